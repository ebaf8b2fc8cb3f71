//! Scenarios of steps: what overlaps, what ends an iteration, and from when its times count.

use docstone_model::plan::{Capture, OnError, RunStep, ScenarioStep, StepAction};

use super::open::{open, open_plan};
use super::*;
use crate::interval::SlotOf;

/// Steps called `a`, `b`, ...: the operation of the test plan, or its second one.
fn step(name: &str, operation: usize) -> ScenarioStep {
    ScenarioStep::run(name, operation)
}

fn of(action: StepAction) -> ScenarioStep {
    ScenarioStep {
        action,
        ..step("", 0)
    }
}

/// A step with other settings than the default.
fn with(name: &str, operation: usize, change: impl FnOnce(&mut RunStep)) -> ScenarioStep {
    let mut step = step(name, operation);
    if let StepAction::Run(run) = &mut step.action {
        change(run);
    }
    step
}

fn captures_id(run: &mut RunStep) {
    run.captures = vec![Capture {
        name: "id".to_owned(),
        path: "_id".to_owned(),
    }];
}

/// Puts steps into a plan, and a second operation that finds by what was captured as `id`, if one
/// of them is `uses`.
fn steps(mut plan: Plan, steps: Vec<ScenarioStep>) -> Plan {
    let scenario = Scenario::Steps(steps);
    if scenario.run_steps().iter().any(|run| run.operation == 1) {
        let filter = serde_json::json!({"_id": {"$captured": "id"}});
        let filter = Template::from_json(&filter, Context::Filter).expect("valid");
        let mut operation = plan.operations[0].clone();
        operation.name = "by-id".to_owned();
        operation.kind = OperationKind::FindOne {
            filter,
            options: docstone_model::plan::Limits::default(),
        };
        plan.operations.push(operation);
    }
    plan.groups[0].scenario = scenario;
    plan
}

/// So many iterations of one worker.
fn iterations(n: u64) -> Plan {
    let group = Group {
        concurrency: 1,
        operations: Some(n),
        ..GROUP
    };
    plan(&[group], 30 * S)
}

/// The counters of a step by its position.
fn counted(result: &TrialResult, position: usize) -> (u64, u64, u64, u64) {
    let c = &result.slots[position].counters;
    (c.started, c.ok, c.not_found, c.errors)
}

fn service_ns(slot: &SlotData) -> (u64, u64) {
    let latencies = &slot.service;
    let bounds = latencies.min_ns().zip(latencies.max_ns());
    bounds.expect("something succeeded")
}

#[test]
fn steps_in_parallel_take_as_long_as_the_longest_and_steps_in_sequence_as_long_as_all() {
    let slow = |call: u64| {
        Reply::Ok(Duration::from_millis(if call.is_multiple_of(2) {
            200
        } else {
            150
        }))
    };
    let both = || vec![step("a", 0), step("b", 0)];
    let parallel = steps(iterations(10), vec![of(StepAction::Parallel(both()))]);
    let (result, _) = run(&parallel, &Fake::new(slow));
    let (min_ns, max_ns) = service_ns(&result.iterations[0]);
    assert!(min_ns >= 200 * MS && max_ns < 205 * MS, "{min_ns} {max_ns}");
    assert_eq!(result.slots.len(), 2);
    let sequence = steps(iterations(10), both());
    let (result, _) = run(&sequence, &Fake::new(slow));
    let (min_ns, max_ns) = service_ns(&result.iterations[0]);
    assert!(min_ns >= 350 * MS && max_ns < 360 * MS, "{min_ns} {max_ns}");
}

#[test]
fn iterations_are_counted_exactly_and_apart_from_their_operations() {
    let group = Group {
        concurrency: 16,
        operations: Some(3_000),
        ..GROUP
    };
    let branch = of(StepAction::Sequence(vec![step("b", 0), step("a", 0)]));
    let all = vec![
        step("a", 0),
        of(StepAction::Parallel(vec![branch, step("c", 0)])),
    ];
    let plan = steps(plan(&[group], 30 * S), all);
    let fake = Fake::new(|_| Reply::Ok(Duration::from_micros(10)));
    let (result, _) = run_with(&plan, &fake, 2, REAL);
    // Steps with one name are counted together; two at once need two connections for each worker.
    assert_eq!(counted(&result, 0), (6_000, 6_000, 0, 0));
    assert_eq!(counted(&result, 1), (3_000, 3_000, 0, 0));
    assert_eq!((fake.calls(), fake.opened()), (12_000, 32));
    let iterations = &result.iterations[0];
    assert_eq!(iterations.key.of, SlotOf::Iteration);
    assert_eq!(
        (iterations.counters.ok, iterations.counters.documents),
        (3_000, 12_000)
    );
    assert_eq!(result.waits.connection.count(), 12_000);
}

#[test]
fn branches_of_one_operation_draw_each_worker_and_sequence_once() {
    let group = Group {
        concurrency: 3,
        operations: Some(30),
        ..GROUP
    };
    let inner = of(StepAction::Sequence(vec![step("b", 0), step("c", 0)]));
    let branches = of(StepAction::Parallel(vec![step("a", 0), inner]));
    let mut plan = steps(plan(&[group], 30 * S), vec![branches]);
    let filter = serde_json::json!({"w": {"$worker": {}}, "n": {"$worker_sequence": {}}});
    plan.operations[0].kind = OperationKind::FindOne {
        filter: Template::from_json(&filter, Context::Filter).expect("valid"),
        options: docstone_model::plan::Limits::default(),
    };
    let fake = Fake::new(|_| Reply::Ok(TENTH)).keeping_filters();
    let (result, _) = run(&plan, &fake);
    assert_eq!(result.iterations[0].counters.ok, 30);
    let filters = fake.filters();
    let pair = |filter: &bson::RawDocumentBuf| {
        let (worker, sequence) = (filter.get_i32("w"), filter.get_i64("n"));
        (worker.expect("a number"), sequence.expect("a number"))
    };
    let drawn: std::collections::BTreeSet<_> = filters.iter().map(pair).collect();
    assert_eq!((filters.len(), drawn.len()), (90, 90));
}

#[test]
fn a_failed_step_ends_its_iteration_unless_the_plan_says_otherwise() {
    // The first call of each pair fails in every other iteration.
    let failing = |call: u64| match call % 3 {
        0 => Reply::Error(TENTH, 11_000),
        _ => Reply::Ok(TENTH),
    };
    let plan = steps(iterations(10), vec![step("a", 0), step("b", 0)]);
    let (result, _) = run(&plan, &Fake::new(failing));
    // a fails, a, b, a fails, a, b, ...
    assert_eq!(counted(&result, 0), (10, 5, 0, 5));
    assert_eq!(counted(&result, 1), (5, 5, 0, 0));
    let total = &result.iterations[0];
    assert_eq!((total.counters.ok, total.counters.errors), (5, 5));
    assert_eq!(total.error_messages["11000"], "error 11000");
    let goes_on = with("a", 0, |run| run.on_error = OnError::Continue);
    let plan = steps(iterations(9), vec![goes_on, step("b", 0), step("c", 0)]);
    let (result, _) = run(&plan, &Fake::new(failing));
    assert_eq!(counted(&result, 0), (9, 0, 0, 9));
    assert_eq!(counted(&result, 2), (9, 9, 0, 0));
    assert_eq!(result.iterations[0].counters.ok, 9);
}

#[test]
fn a_miss_that_was_to_be_captured_ends_the_iteration_and_any_other_miss_does_not() {
    let misses = |call: u64| match call {
        0..5 => Reply::NotFound(TENTH),
        _ => Reply::Ok(TENTH),
    };
    let all = vec![with("a", 0, captures_id), step("b", 1)];
    let (result, _) = run(&steps(iterations(20), all), &Fake::new(misses));
    assert_eq!(counted(&result, 0), (20, 15, 5, 0));
    assert_eq!(counted(&result, 1), (15, 15, 0, 0));
    let total = &result.iterations[0].counters;
    assert_eq!((total.ok, total.not_found), (15, 5));
    let plain = vec![step("a", 0), step("b", 0)];
    let (result, _) = run(&steps(iterations(20), plain), &Fake::new(misses));
    assert_eq!(counted(&result, 1).0, 20);
    assert_eq!(result.iterations[0].counters.ok, 20);
}

#[test]
fn an_iteration_fails_where_one_branch_fails_and_another_misses_whichever_ends_first() {
    for (miss, error) in [(TENTH * 2, TENTH), (TENTH, TENTH * 2)] {
        let both = move |call: u64| match call % 2 {
            0 => Reply::NotFound(miss),
            _ => Reply::Error(error, 11_000),
        };
        let branches = vec![with("a", 0, captures_id), step("b", 0)];
        let all = vec![of(StepAction::Parallel(branches))];
        let (result, _) = run(&steps(iterations(10), all), &Fake::new(both));
        assert_eq!(counted(&result, 0), (10, 0, 10, 0));
        assert_eq!(counted(&result, 1), (10, 0, 0, 10));
        let total = &result.iterations[0].counters;
        assert_eq!((total.ok, total.not_found, total.errors), (0, 0, 10));
    }
}

#[test]
fn a_step_whose_value_was_not_captured_does_not_run() {
    let lenient = |run: &mut RunStep| {
        captures_id(run);
        run.on_error = OnError::Continue;
    };
    let failing = |call: u64| match call {
        0 => Reply::Error(TENTH, 1),
        1 => Reply::NotFound(TENTH),
        _ => Reply::Ok(TENTH),
    };
    // fails, c; misses, c; then a, b, c.
    let failing = move |call: u64| match call {
        0 => failing(0),
        2 => failing(1),
        _ => failing(9),
    };
    let all = vec![with("a", 0, lenient), step("b", 1), step("c", 0)];
    let (result, _) = run(&steps(iterations(5), all), &Fake::new(failing));
    assert_eq!(counted(&result, 0), (5, 3, 1, 1));
    assert_eq!(counted(&result, 1), (3, 3, 0, 0));
    assert_eq!(counted(&result, 2), (5, 5, 0, 0));
}

#[test]
fn pauses_between_steps_lengthen_the_iteration_and_no_step() {
    let mut first = step("a", 0);
    first.think_time = ThinkTime::Constant { ns: 500 * MS };
    let plan = steps(open_plan(open(2.0, 10 * S, 4)), vec![first, step("b", 0)]);
    let (result, _) = run(&plan, &Fake::new(|_| Reply::Ok(TENTH)));
    let (min_ns, max_ns) = service_ns(&result.iterations[0]);
    assert!(min_ns >= 700 * MS && max_ns < 715 * MS, "{min_ns} {max_ns}");
    let second = &result.slots[1].response;
    assert!(second.max_ns() < Some(110 * MS), "{:?}", second.max_ns());
}

/// A step with a pause of 400 ms after it.
fn pausing(step: ScenarioStep) -> ScenarioStep {
    ScenarioStep {
        think_time: ThinkTime::Constant { ns: 400 * MS },
        ..step
    }
}

#[test]
fn a_pause_after_the_last_operation_lengthens_no_iteration() {
    let fake = || Fake::new(|_| Reply::Ok(TENTH));
    let two = || vec![step("a", 0), step("b", 0)];
    let never = ScenarioStep {
        probability: f64::MIN_POSITIVE,
        ..step("c", 0)
    };
    let in_branch = vec![pausing(step("a", 0)), step("b", 0)];
    for last in [
        vec![pausing(step("a", 0))],
        vec![pausing(of(StepAction::Sequence(vec![pausing(step(
            "a", 0,
        ))])))],
        vec![of(StepAction::Parallel(in_branch.clone()))],
        vec![pausing(of(StepAction::Parallel(two())))],
        vec![pausing(step("a", 0)), never],
    ] {
        let (result, _) = run(&steps(iterations(5), last.clone()), &fake());
        let (min_ns, max_ns) = service_ns(&result.iterations[0]);
        assert!(min_ns >= 100 * MS && max_ns < 110 * MS, "{max_ns} {last:?}");
    }
    // Before another step it is between two, also where a branch ends in it.
    let between = vec![of(StepAction::Parallel(in_branch)), step("c", 0)];
    let (result, _) = run(&steps(iterations(5), between), &fake());
    let (min_ns, max_ns) = service_ns(&result.iterations[0]);
    assert!(min_ns >= 600 * MS && max_ns < 615 * MS, "{min_ns} {max_ns}");
}

#[test]
fn the_pause_after_the_last_step_stands_between_iterations_of_closed_load_and_not_of_open() {
    let group = Group {
        concurrency: 1,
        duration_ns: Some(10 * S),
        ..GROUP
    };
    let all = || vec![step("a", 0), pausing(step("b", 0))];
    let fake = || Fake::new(|_| Reply::Ok(Duration::from_millis(20)));
    let (result, _) = run(&steps(plan(&[group], 30 * S), all()), &fake());
    // 440 ms each.
    let ok = result.iterations[0].counters.ok;
    assert!((21..=23).contains(&ok), "{ok}");
    assert_eq!(result.iterations[0].in_flight_at_end, 0);
    // One at a time could hold no more than two a second if it waited for the pause.
    let (result, _) = run(&steps(open_plan(open(10.0, 10 * S, 1)), all()), &fake());
    let total = &result.iterations[0];
    assert_eq!((total.counters.intended, total.counters.ok), (100, 100));
    assert!(total.service.max_ns() < Some(50 * MS));
}

#[test]
fn drawn_pauses_between_steps_have_their_mean_and_their_tail_and_are_the_same_each_time() {
    let pauses = |concurrency: u32| {
        let group = Group {
            concurrency,
            operations: Some(2_000),
            ..GROUP
        };
        let mut first = step("a", 0);
        first.think_time = ThinkTime::Exponential { mean_ns: 100 * MS };
        let plan = steps(plan(&[group], 600 * S), vec![first, step("b", 0)]);
        let (result, _) = run(&plan, &Fake::new(|_| Reply::Ok(Duration::ZERO)));
        result.iterations[0].service.clone()
    };
    let alone = pauses(1);
    assert_eq!(alone.count(), 2_000);
    // The standard error of the mean is 2.2 %, and a timer of a millisecond rounds up.
    let mean_ms = alone.mean_ns().expect("some") / MS as f64;
    assert!((92.0..110.0).contains(&mean_ms), "{mean_ms}");
    // Of an exponential distribution, e^-1 is above the mean and e^-3 above three times it.
    for (limit, expected) in [(100 * MS, 0.3679), (300 * MS, 0.0498)] {
        let above = alone.count_above(limit) as f64 / 2_000.0;
        assert!((above - expected).abs() < 0.04, "{above} above {limit}");
    }
    // They belong to the number of the iteration, whoever runs it.
    let many = pauses(7);
    assert_eq!(
        (many.quantile_ns(0.5), many.max_ns()),
        (alone.quantile_ns(0.5), alone.max_ns())
    );
}

#[test]
fn response_counts_from_the_arrival_for_the_first_step_and_from_its_predecessor_for_others() {
    // The first operation takes 3 s, so the arrivals of those seconds wait for the one worker.
    let stalls = |call: u64| Reply::Ok(Duration::from_millis(if call == 0 { 3_000 } else { 10 }));
    let load = open_plan(open(10.0, 10 * S, 1));
    let plan = steps(load, vec![step("a", 0), step("b", 0)]);
    let (result, _) = run(&plan, &Fake::new(stalls));
    let total = &result.iterations[0];
    assert_eq!((total.counters.intended, total.counters.ok), (100, 100));
    assert_eq!(result.slots[0].counters.intended, 100);
    let p75 = |slot: &SlotData| slot.response.quantile_ns(0.75).expect("some");
    assert!(p75(total) > 500 * MS && p75(&result.slots[0]) > 500 * MS);
    assert!(total.response.max_ns() >= Some(3_000 * MS));
    assert!(result.slots[1].response.max_ns() < Some(20 * MS));
    assert_eq!(result.waits.schedule_lag.count(), 100);
}

#[test]
fn what_the_end_comes_upon_is_counted_in_its_step_and_in_its_iteration() {
    let group = Group {
        concurrency: 3,
        duration_ns: Some(2 * S),
        ..GROUP
    };
    let both = of(StepAction::Parallel(vec![step("b", 0), step("c", 0)]));
    let mut plan = steps(plan(&[group], 60 * S), vec![step("a", 0), both]);
    plan.steps[0].drain_ns = S;
    let hangs = |call: u64| {
        if call < 3 {
            Reply::Ok(TENTH)
        } else {
            Reply::Hang
        }
    };
    let (result, intervals) = run(&plan, &Fake::new(hangs));
    let left: Vec<_> = result
        .slots
        .iter()
        .map(|slot| slot.in_flight_at_end)
        .collect();
    assert_eq!(left, [0, 3, 3]);
    let total = &result.iterations[0];
    assert_eq!((total.in_flight_at_end, total.censored), (3, 3));
    assert!(total.service.min_ns() >= Some(2_990 * MS));
    assert_eq!(intervals[0].iterations[0].in_flight, 3);
    // An outage is seen once, by the operations.
    assert_eq!(result.outages.len(), 1);
}
