//! Tests of whole trials against a scripted target, in virtual time where one thread is enough.

use std::time::Duration;

use docstone_model::plan::{ClosedLoad, MixEntry, Scenario, TargetPlan, ThinkTime};
use docstone_model::template::Context;
use docstone_model::{
    GroupLoad, GroupPlan, LoadModel, MongoUri, OperationKind, OperationPlan, StepPlan, Stop,
    Template,
};

use tokio::runtime::{Builder, LocalOptions, LocalRuntime};

use super::*;
use crate::fake::{Fake, Reply};
use crate::interval::IntervalData;

mod closed;
mod open;
mod steps;

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;
const TENTH: Duration = Duration::from_millis(100);

/// One group of a test plan: concurrency, think time, duration and number of operations.
#[derive(Clone, Copy)]
struct Group {
    concurrency: u32,
    think_time: ThinkTime,
    duration_ns: Option<u64>,
    operations: Option<u64>,
}

const GROUP: Group = Group {
    concurrency: 4,
    think_time: ThinkTime::None,
    duration_ns: None,
    operations: None,
};

fn plan(groups: &[Group], timeout_ns: u64) -> Plan {
    let filter = Template::from_json(&serde_json::json!({"_id": 1}), Context::Filter);
    let operation = OperationPlan {
        name: "find".to_owned(),
        collection: "c".to_owned(),
        kind: OperationKind::FindOne {
            filter: filter.expect("a valid filter"),
            options: docstone_model::plan::Limits::default(),
        },
        timeout_ns,
    };
    let group = |index: usize| GroupPlan {
        name: format!("group-{index}"),
        scenario: Scenario::Mix(vec![MixEntry {
            operation: 0,
            weight: 1.0,
        }]),
        connections: None,
    };
    let load = |(index, group): (usize, &Group)| GroupLoad {
        group: index,
        model: LoadModel::Closed(ClosedLoad {
            think_time: group.think_time,
            ..ClosedLoad::steady(group.concurrency)
        }),
        stop: Stop {
            duration_ns: group.duration_ns,
            operations: group.operations,
        },
    };
    Plan {
        seed: 1,
        operations: vec![operation],
        groups: (0..groups.len()).map(group).collect(),
        steps: vec![StepPlan {
            name: "step-1".to_owned(),
            warmup: false,
            loads: groups.iter().enumerate().map(load).collect(),
            drain_ns: 10 * S,
            actions: Vec::new(),
        }],
        ..Plan::new(
            "test",
            TargetPlan::new(MongoUri::new("mongodb://127.0.0.1"), "d"),
        )
    }
}

/// How a trial's threads run and wait.
type Means = (MakeRuntime, Pacing);

const REAL: Means = (build_runtime, Pacing::Timer);

/// In virtual time, which one thread can follow.
const VIRTUAL: Means = (paused, Pacing::Virtual);

fn paused() -> std::io::Result<LocalRuntime> {
    Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build_local(LocalOptions::default())
}

/// The first step of a plan on a target of which nothing is known.
fn request(plan: &Plan, threads: u32, pacing: Pacing) -> TrialRequest<'_> {
    let workload = Workload::compile(plan, &docstone_workload::Facts::default()).expect("compiles");
    TrialRequest {
        marks: None,
        plan,
        step: 0,
        workload: Arc::new(workload),
        threads,
        pacing,
    }
}

/// Runs a plan in virtual time on one thread.
fn run(plan: &Plan, fake: &Fake) -> (TrialResult, Vec<IntervalData>) {
    run_with(plan, fake, 1, VIRTUAL)
}

fn run_with(
    plan: &Plan,
    fake: &Fake,
    threads: u32,
    (runtime, pacing): Means,
) -> (TrialResult, Vec<IntervalData>) {
    let request = request(plan, threads, pacing);
    let mut intervals = Vec::new();
    let mut on_event = |event| {
        if let EngineEvent::Interval(data) = event {
            intervals.push(data);
        }
    };
    let result = run_on(&request, fake, &Interrupt::new(), &mut on_event, runtime);
    let result = result.expect("the fake opens");
    for slot in result.slots.iter().chain(&result.iterations) {
        let c = &slot.counters;
        let waiting = c.intended - c.started - c.dropped;
        assert!(
            slot.key.open || waiting == 0,
            "nothing waits in closed load"
        );
        assert_eq!(
            c.started,
            c.ok + c.not_found + c.errors + slot.in_flight_at_end
        );
        let of_intervals: u64 = intervals
            .iter()
            .flat_map(|data| data.slots.iter().chain(&data.iterations))
            .filter(|row| row.key == slot.key)
            .map(|row| row.counters.ended())
            .sum();
        assert_eq!(of_intervals, c.ended(), "intervals add up to the total");
    }
    (result, intervals)
}

#[test]
fn an_exact_number_of_operations_is_kept_by_64_workers_on_two_threads() {
    let group = Group {
        concurrency: 64,
        operations: Some(3_000),
        ..GROUP
    };
    let fake = Fake::new(|_| Reply::Ok(Duration::from_millis(1)));
    let (result, _) = run_with(&plan(&[group], 30 * S), &fake, 2, REAL);
    assert_eq!(
        (result.slots[0].counters.ok, fake.calls(), fake.opened()),
        (3_000, 3_000, 64)
    );
}

#[test]
fn a_duration_gives_one_interval_a_second_and_the_drain_apart() {
    let group = Group {
        duration_ns: Some(10 * S + S / 20),
        ..GROUP
    };
    let (result, intervals) = run(&plan(&[group], 30 * S), &Fake::new(|_| Reply::Ok(TENTH)));
    assert_eq!(result.window_ns, 10 * S + S / 20);
    // Operations take a tenth of a second, so four of them begin before the end and end after it.
    let counters = &result.slots[0].counters;
    assert_eq!((counters.ok, counters.completed_in_window), (404, 400));
    let measured = intervals.iter().filter(|data| !data.drain).count();
    assert_eq!(measured, 11, "ten whole seconds and a twentieth");
    let drained: u64 = intervals
        .iter()
        .filter(|data| data.drain)
        .map(|data| data.slots[0].counters.ok)
        .sum();
    assert_eq!(drained, 4);
}

#[test]
fn a_second_of_a_steady_load_counts_what_ended_in_it() {
    let group = Group {
        duration_ns: Some(3 * S),
        ..GROUP
    };
    let fake = Fake::new(|_| Reply::Ok(Duration::from_millis(99)));
    let (_, intervals) = run(&plan(&[group], 30 * S), &fake);
    let ended: Vec<u64> = intervals
        .iter()
        .map(|data| data.slots[0].counters.ok)
        .collect();
    assert_eq!(ended, [40, 40, 40, 4]);
    assert_eq!(intervals[0].slots[0].in_flight, 4);
}

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
fn failures_and_misses_stand_apart_from_successes() {
    let group = Group {
        concurrency: 1,
        operations: Some(9),
        ..GROUP
    };
    let fake = Fake::new(|call| match call % 3 {
        0 => Reply::Ok(TENTH),
        1 => Reply::NotFound(TENTH),
        _ => Reply::Error(Duration::from_millis(1), 11_600),
    });
    let (result, _) = run(&plan(&[group], 30 * S), &fake);
    let slot = &result.slots[0];
    let c = &slot.counters;
    assert_eq!((c.ok, c.not_found, c.errors), (3, 3, 3));
    assert_eq!(c.errors_by_class.values().copied().collect::<Vec<_>>(), [3]);
    assert_eq!((slot.service.count(), slot.error.count()), (6, 3));
    assert!(
        slot.service.min_ns().expect("six") >= S / 10,
        "no failure is a fast success"
    );
}

#[test]
fn groups_start_together_and_end_by_their_own_conditions() {
    let groups = [
        Group {
            concurrency: 2,
            operations: Some(20),
            ..GROUP
        },
        Group {
            concurrency: 3,
            duration_ns: Some(4 * S),
            operations: Some(1_000_000),
            ..GROUP
        },
    ];
    let (result, _) = run(&plan(&groups, 30 * S), &Fake::new(|_| Reply::Ok(TENTH)));
    assert_eq!(result.slots[0].counters.ok, 20);
    assert!((117..=123).contains(&result.slots[1].counters.ok));
    let windows: Vec<u64> = result
        .group_windows_ns
        .iter()
        .map(|(_, ns)| ns / 100_000_000)
        .collect();
    assert_eq!(windows, [10, 40], "in tenths of a second");
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

#[test]
fn an_outage_that_retries_hid_is_named() {
    let group = Group {
        concurrency: 2,
        duration_ns: Some(10 * S),
        ..GROUP
    };
    let fake = Fake::new(|call| match call {
        50 | 51 => Reply::Retried(Duration::from_secs(4)),
        _ => Reply::Ok(TENTH),
    });
    let (result, intervals) = run(&plan(&[group], 30 * S), &fake);
    assert_eq!(result.slots[0].counters.errors, 0);
    assert_eq!(result.outages.len(), 1);
    let outage = result.outages[0];
    assert_eq!((outage.length_ns() / (S / 2), outage.retries), (8, 2));
    assert!(
        intervals.iter().any(|data| data.outage.is_some()),
        "seen while it goes on"
    );
}

#[test]
fn an_interrupted_trial_ends_soon_and_keeps_what_was_measured() {
    let group = Group {
        duration_ns: Some(60 * S),
        ..GROUP
    };
    let plan = plan(&[group], 30 * S);
    let request = request(&plan, 2, Pacing::Timer);
    let interrupt = Interrupt::new();
    let fake = Fake::new(|call| {
        if call < 20 {
            Reply::Ok(TENTH)
        } else {
            Reply::Hang
        }
    });
    let mut on_event = |event| {
        if matches!(event, EngineEvent::Interval(_)) {
            interrupt.trigger();
        }
    };
    let result = run_trial(&request, &fake, &interrupt, &mut on_event).expect("opens");
    assert!(result.interrupted);
    assert!(
        (S..20 * S).contains(&result.window_ns),
        "{}",
        result.window_ns
    );
    assert_eq!(
        (
            result.slots[0].counters.ok,
            result.slots[0].in_flight_at_end
        ),
        (20, 4)
    );
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

#[test]
fn latencies_above_the_range_are_clamped_and_counted() {
    let group = Group {
        concurrency: 1,
        operations: Some(2),
        ..GROUP
    };
    let fake = Fake::new(|call| Reply::Ok(Duration::from_secs(if call == 0 { 700 } else { 1 })));
    let (result, _) = run(&plan(&[group], 100_000 * S), &fake);
    let slot = &result.slots[0];
    assert_eq!(
        (slot.counters.saturated, slot.service.max_ns()),
        (1, Some(600 * S))
    );
}
