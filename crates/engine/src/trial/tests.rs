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
mod connections;
mod limits;
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
        options: docstone_model::plan::CallOptions::default(),
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

/// At any time each worker has an operation in flight, which ends after the stop.
#[test]
fn no_interval_holds_what_ended_before_and_what_ended_after_a_stop() {
    let group = Group {
        duration_ns: Some(60 * S),
        ..GROUP
    };
    let plan = plan(&[group], 30 * S);
    for threads in [1, 2] {
        let request = request(&plan, threads, Pacing::Timer);
        let interrupt = Interrupt::new();
        let fake = Fake::new(|_| Reply::Ok(3 * TENTH));
        let mut intervals = Vec::new();
        let mut on_event = |event| {
            if let EngineEvent::Interval(data) = event {
                interrupt.trigger();
                intervals.push(data);
            }
        };
        let result = run_trial(&request, &fake, &interrupt, &mut on_event).expect("opens");
        let ended = |drain: bool| -> u64 {
            let of = intervals.iter().filter(|data| data.drain == drain);
            let slots = of.flat_map(|data| &data.slots);
            slots.map(|slot| slot.counters.ended()).sum()
        };
        let counters = &result.slots[0].counters;
        assert_eq!(ended(false), counters.completed_in_window);
        assert_eq!(ended(false) + ended(true), counters.ok);
        assert_eq!(ended(true), 4, "what was in flight at the stop");
        let last = intervals.iter().rfind(|data| !data.drain);
        let last = last.map(|data| data.to_ns);
        assert_eq!(last, Some(result.window_ns), "the stop ends the window");
    }
}

/// Two seconds are the contract, and what comes after the trial needs some of them.
#[test]
fn an_interrupt_of_any_number_of_groups_leaves_one_second_for_hanging_operations_and_closings() {
    let group = Group {
        duration_ns: Some(60 * S),
        ..GROUP
    };
    let plan = plan(&[group; 8], 30 * S);
    let request = request(&plan, 2, Pacing::Timer);
    let interrupt = Interrupt::new();
    let fake = Fake::new(|_| Reply::Hang).hanging_at_close();
    let mut interrupted = None;
    let mut on_event = |event| {
        if matches!(event, EngineEvent::Interval(_)) && interrupted.is_none() {
            interrupt.trigger();
            interrupted = Some(std::time::Instant::now());
        }
    };
    let result = run_trial(&request, &fake, &interrupt, &mut on_event).expect("opens");
    let took = interrupted.expect("a second has passed").elapsed();
    assert!(took < Duration::from_millis(1500), "{took:?}");
    assert!(result.interrupted);
    let in_flight: u64 = result.slots.iter().map(|slot| slot.in_flight_at_end).sum();
    assert_eq!(in_flight, 32);
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
