//! Closed load whose workers come and go, or pause, in virtual time.

use docstone_model::plan::WorkerStage;

use super::*;

/// A plan of one group whose workers follow stages of seconds, from and to.
fn staged(stages: &[(u64, u32, u32)], operations: Option<u64>) -> Plan {
    let stage = |(seconds, from, to): &(u64, u32, u32)| WorkerStage {
        duration_ns: seconds * S,
        from: *from,
        to: *to,
    };
    let stages: Vec<WorkerStage> = stages.iter().map(stage).collect();
    let most = stages.iter().map(|stage| stage.from.max(stage.to)).max();
    let group = Group {
        duration_ns: Some(stages.iter().map(|stage| stage.duration_ns).sum()),
        operations,
        ..GROUP
    };
    let mut plan = plan(&[group], 30 * S);
    plan.steps[0].loads[0].model = LoadModel::Closed(ClosedLoad {
        stages,
        ..ClosedLoad::steady(most.expect("stages"))
    });
    plan
}

fn ok_by_second(intervals: &[IntervalData]) -> Vec<u64> {
    let ok = |data: &IntervalData| data.slots[0].counters.ok;
    intervals.iter().map(ok).collect()
}

#[test]
fn workers_of_a_ramp_come_and_go_and_what_they_sent_is_never_cut() {
    let plan = staged(&[(4, 0, 4), (2, 4, 4), (4, 4, 0)], None);
    let (result, intervals) = run(&plan, &Fake::new(|_| Reply::Ok(TENTH)));
    let slot = &result.slots[0];
    assert_eq!((slot.counters.errors, slot.in_flight_at_end), (0, 0));
    // The area under the line is 24 worker seconds, of 10 operations each.
    assert!(
        (225..=245).contains(&slot.counters.ok),
        "{}",
        slot.counters.ok
    );
    let ok = ok_by_second(&intervals);
    for (second, expected) in [5, 15, 25, 35, 40, 40, 35, 25, 15, 5].iter().enumerate() {
        assert!(
            ok[second].abs_diff(*expected) <= 5,
            "second {second}: {ok:?}"
        );
    }
    let in_flight: Vec<u64> = intervals
        .iter()
        .map(|data| data.slots[0].in_flight)
        .collect();
    assert!(
        in_flight.iter().all(|workers| *workers <= 4),
        "{in_flight:?}"
    );
    assert_eq!(result.window_ns, 10 * S);
}

#[test]
fn nothing_is_sent_in_a_pause_and_a_failure_before_it_makes_no_outage() {
    let plan = staged(&[(2, 3, 3), (4, 0, 0), (2, 3, 3)], None);
    let failing = |call| match call {
        55.. if call < 60 => Reply::Error(TENTH, 11_600),
        _ => Reply::Ok(TENTH),
    };
    let (result, intervals) = run(&plan, &Fake::new(failing));
    let started: Vec<u64> = intervals
        .iter()
        .map(|data| data.slots[0].counters.started)
        .collect();
    assert_eq!(started[2..6], [0, 0, 0, 0], "{started:?}");
    assert!(started[7] >= 20, "{started:?}");
    assert_eq!(result.slots[0].counters.errors, 5);
    assert_eq!(result.outages, []);
}

#[test]
fn a_pause_at_the_end_takes_its_time() {
    let plan = staged(&[(1, 2, 2), (3, 0, 0)], None);
    let (result, intervals) = run(&plan, &Fake::new(|_| Reply::Ok(TENTH)));
    // The drain has an interval of its own.
    let seconds = intervals.iter().filter(|data| data.to_ns <= 4 * S).count();
    assert_eq!((result.window_ns, seconds), (4 * S, 4));
}

#[test]
fn an_exact_number_ends_the_step_while_others_wait_for_their_time() {
    let plan = staged(&[(3_600, 0, 100)], Some(30));
    let (result, intervals) = run(&plan, &Fake::new(|_| Reply::Ok(TENTH)));
    assert_eq!(result.slots[0].counters.ok, 30);
    let end_ns = intervals.last().expect("some").to_ns;
    assert!(end_ns < 60 * S, "{end_ns}");
    assert!(result.window_ns < 30 * S, "{}", result.window_ns);
}

#[test]
fn a_long_think_time_does_not_hold_up_the_end_of_an_exact_number() {
    let group = Group {
        concurrency: 2,
        think_time: ThinkTime::Constant { ns: 600 * S },
        operations: Some(2),
        ..GROUP
    };
    let (result, intervals) = run(&plan(&[group], 30 * S), &Fake::new(|_| Reply::Ok(TENTH)));
    assert_eq!(result.slots[0].counters.ok, 2);
    assert!(intervals.last().expect("some").to_ns < 2 * S);
}

#[test]
fn ramps_on_several_threads_have_all_their_workers_and_connections() {
    let mut plan = staged(&[(1, 0, 6), (1, 6, 6)], None);
    plan.steps[0].drain_ns = S;
    let fake = Fake::new(|_| Reply::Ok(Duration::from_millis(5)));
    let (result, _) = run_with(&plan, &fake, 2, REAL);
    assert_eq!((result.threads, fake.opened()), (2, 6));
    assert!(result.slots[0].counters.ok > 50);
    assert_eq!(result.slots[0].counters.errors, 0);
}

#[test]
fn think_time_lies_between_operations() {
    let think = Group {
        concurrency: 1,
        think_time: ThinkTime::Constant { ns: 9 * S / 10 },
        duration_ns: Some(5 * S),
        ..GROUP
    };
    let (result, _) = run(&plan(&[think], 30 * S), &Fake::new(|_| Reply::Ok(TENTH)));
    assert!((5..=6).contains(&result.slots[0].counters.ok));
    assert_eq!(result.outages, []);
}

#[test]
fn a_drawn_think_time_paces_the_load_by_its_mean_and_the_same_each_time() {
    let group = Group {
        concurrency: 10,
        think_time: ThinkTime::Exponential { mean_ns: 100 * MS },
        duration_ns: Some(20 * S),
        ..GROUP
    };
    let ok = || {
        let (result, _) = run(&plan(&[group], 30 * S), &Fake::new(|_| Reply::Ok(TENTH)));
        result.slots[0].counters.ok
    };
    // Ten workers, each one operation in 200 ms in the mean.
    let first = ok();
    assert!((900..1_100).contains(&first), "{first}");
    assert_eq!(ok(), first);
}
