//! Connections: how many are opened, on which threads, and none.

use super::*;

#[test]
fn small_groups_are_spread_over_the_threads() {
    let groups = [Group {
        concurrency: 1,
        operations: Some(1),
        ..GROUP
    }; 4];
    let fake = Fake::new(|_| Reply::Ok(Duration::ZERO));
    let (result, _) = run_with(&plan(&groups, S), &fake, 3, REAL);
    assert_eq!((result.threads, fake.opened(), fake.threads()), (3, 4, 3));
}

#[test]
fn connections_that_take_long_do_not_hold_up_an_interrupt() {
    let plan = plan(
        &[Group {
            operations: Some(5),
            ..GROUP
        }],
        30 * S,
    );
    let request = request(&plan, 2, Pacing::Timer);
    let (fake, interrupt) = (Fake::slow_to_open(), Interrupt::new());
    interrupt.trigger();
    let result = run_trial(&request, &fake, &interrupt, &mut |event| {
        panic!("no event is expected, not {event:?}");
    });
    let result = result.expect("an interrupt is no error");
    assert!(result.interrupted);
    assert_eq!((result.slots[0].counters.started, fake.calls()), (0, 0));
}

#[test]
fn without_connections_there_is_no_load() {
    let plan = plan(
        &[Group {
            operations: Some(5),
            ..GROUP
        }],
        30 * S,
    );
    let request = request(&plan, 2, Pacing::Timer);
    let fake = Fake::closed();
    let result = run_trial(&request, &fake, &Interrupt::new(), &mut |event| {
        panic!("no event is expected, not {event:?}");
    });
    assert_eq!(result.expect_err("closed").message, "nobody home");
    assert_eq!(fake.calls(), 0);
}

#[test]
fn a_pool_smaller_than_the_workers_is_kept_exactly() {
    for (workers, connections, threads) in [(64, 1, 8), (64, 5, 4), (3, 64, 8), (10, 10, 3)] {
        let mut plan = plan(
            &[Group {
                concurrency: workers,
                operations: Some(1),
                ..GROUP
            }],
            S,
        );
        plan.groups[0].connections = Some(connections);
        let fake = Fake::new(|_| Reply::Ok(Duration::ZERO));
        let _ = run_with(&plan, &fake, threads, REAL);
        assert_eq!(fake.opened(), u64::from(connections.min(workers)));
    }
}
