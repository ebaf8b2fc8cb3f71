//! What is blocked: limits of operations, and the end of the drain.

use super::*;

#[test]
fn the_deadline_ends_blocked_operations_and_counts_them_at_their_age() {
    let group = Group {
        duration_ns: Some(5 * S),
        ..GROUP
    };
    let (result, _) = run(&plan(&[group], 60 * S), &Fake::new(|_| Reply::Hang));
    let slot = &result.slots[0];
    assert_eq!(
        (slot.in_flight_at_end, slot.censored, slot.counters.ok),
        (4, 4, 0)
    );
    assert!(slot.service.min_ns().expect("four ages") >= 15 * S);
    assert!(slot.service.max_ns().expect("four ages") < 16 * S);
    assert_eq!(result.window_ns, 5 * S);
}

#[test]
fn many_workers_that_are_given_up_do_not_hold_up_the_end() {
    let group = Group {
        concurrency: 30_000,
        duration_ns: Some(5 * S),
        ..GROUP
    };
    let mut plan = plan(&[group], 60 * S);
    plan.steps[0].drain_ns = 2 * S;
    let (result, intervals) = run_with(&plan, &Fake::new(|_| Reply::Hang), 2, REAL);
    // A busy machine may not get to start them all.
    let slot = &result.slots[0];
    assert_eq!(slot.in_flight_at_end, slot.counters.started);
    assert!(slot.counters.started > 3_000, "{}", slot.counters.started);
    // With a look at all workers for each that ended, the end came seconds later, and what was an
    // outage up to the deadline went on to it.
    let end_ns = intervals.last().expect("some").to_ns;
    assert!(end_ns < 19 * S, "{end_ns}");
    let outage = result.outages.first().expect("nothing ended");
    assert!(outage.to_ns <= 7 * S, "{outage:?}");
}

#[test]
fn an_operation_that_passes_its_limit_is_a_timeout_at_its_age() {
    let group = Group {
        concurrency: 1,
        operations: Some(3),
        ..GROUP
    };
    let fake = Fake::new(|call| {
        if call == 1 {
            Reply::Hang
        } else {
            Reply::Ok(TENTH)
        }
    });
    let (result, _) = run(&plan(&[group], 2 * S), &fake);
    let slot = &result.slots[0];
    assert_eq!(
        (
            slot.counters.ok,
            slot.counters.errors,
            slot.counters.timeouts
        ),
        (2, 1, 1)
    );
    assert_eq!(slot.error.min_ns().map(|ns| ns / S), Some(2));
    assert!(
        slot.service.max_ns().expect("two") < S,
        "a timeout is no service time"
    );
    assert_eq!(slot.error_messages.keys().collect::<Vec<_>>(), ["timeout"]);
}

#[test]
fn a_limit_of_three_milliseconds_is_kept_to_the_millisecond() {
    let group = Group {
        concurrency: 3,
        operations: Some(30),
        ..GROUP
    };
    let (result, _) = run(&plan(&[group], 3 * MS), &Fake::new(|_| Reply::Hang));
    let slot = &result.slots[0];
    assert_eq!((slot.counters.timeouts, slot.counters.ok), (30, 0));
    assert!(slot.error.min_ns().expect("thirty") >= 3 * MS);
    assert!(slot.error.max_ns().expect("thirty") <= 5 * MS);
}

#[test]
fn a_hang_does_not_shorten_the_window_of_a_number_that_was_not_reached() {
    let group = Group {
        duration_ns: Some(10 * S),
        operations: Some(1_000_000),
        ..GROUP
    };
    let fake = Fake::new(|call| {
        if call < 40 {
            Reply::Ok(TENTH)
        } else {
            Reply::Hang
        }
    });
    let (result, _) = run(&plan(&[group], 60 * S), &fake);
    assert_eq!(
        (result.window_ns, result.slots[0].counters.ok),
        (10 * S, 40)
    );
}

#[test]
fn the_first_of_very_many_workers_end_operations_while_others_have_not_begun() {
    let group = Group {
        concurrency: 20_000,
        operations: Some(20_000),
        ..GROUP
    };
    let fake = Fake::new(|_| Reply::Ok(Duration::from_millis(1)));
    let (result, _) = run_with(&plan(&[group], 60 * S), &fake, 1, REAL);
    assert_eq!(result.slots[0].counters.ok, 20_000);
    let most = fake.most_in_flight();
    assert!(most < 20_000, "{most} began before one had ended");
}

#[test]
fn of_very_many_workers_each_begins() {
    let group = Group {
        concurrency: 20_000,
        duration_ns: Some(5 * S),
        ..GROUP
    };
    let (result, _) = run(&plan(&[group], 60 * S), &Fake::new(|_| Reply::Hang));
    assert_eq!(result.slots[0].in_flight_at_end, 20_000);
}
