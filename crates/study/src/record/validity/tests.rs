//! Verdicts on open load.

use docstone_engine::{GivenUp, SlotData, SlotOf};
use docstone_model::plan::Arrivals;

use super::*;
use crate::fixture;
use crate::outstanding::{Arrived, Outstanding};

/// Ten seconds at a hundred a second, at most 64 in flight.
fn step() -> StepPlan {
    let mut step = fixture::open_step(100.0, Arrivals::Uniform);
    let LoadModel::Open(open) = &mut step.loads[0].model else {
        panic!("{step:?}");
    };
    open.max_in_flight = Some(64);
    step
}

fn slot(ended: usize, intended: u64, dropped: u64) -> SlotData {
    let mut slot = fixture::slot(0, 0, &vec![1_000_000; ended], &[]);
    slot.key.open = true;
    slot.counters.intended = intended;
    slot.counters.dropped = dropped;
    slot
}

/// The verdict on a trial in which `waiting(second)` arrivals waited.
fn verdict(
    slot: SlotData,
    queue_ns: u64,
    given_up: Option<GivenUp>,
    waiting: impl Fn(u64) -> u64,
) -> Validity {
    lagging(slot, 0, queue_ns, given_up, waiting)
}

/// The same of arrivals that were noticed late.
fn lagging(
    slot: SlotData,
    lag_ns: u64,
    queue_ns: u64,
    given_up: Option<GivenUp>,
    waiting: impl Fn(u64) -> u64,
) -> Validity {
    let mut outstanding = Outstanding::default();
    for second in 0..10 {
        outstanding.second(waiting(second), 2);
    }
    let mut result = fixture::result(vec![slot]);
    for _ in 0..1_000 {
        result.waits.queue.record(queue_ns);
        result.waits.schedule_lag.record(lag_ns);
    }
    result.given_up = given_up;
    judged(&result, &outstanding)
}

fn judged(result: &TrialResult, outstanding: &Outstanding) -> Validity {
    let client = ClientRecord::default();
    let step = step();
    let plan = fixture::plan(vec![step.clone()]);
    let arrived = Arrived {
        ended: result.slots[0].counters.ended(),
        outstanding: outstanding.clone(),
    };
    let load = Load {
        plan: &plan,
        step: &step,
        open_groups: &OpenGroups::default().with(0, arrived),
        client: &client,
        colocation: Colocation::default(),
    };
    validity(result, &load, &shortfalls(result, &load), Status::Complete)
}

const SECOND: u64 = 1_000_000_000;

#[test]
fn a_rate_that_was_held_is_valid_also_after_a_stall() {
    let held = verdict(slot(1_000, 1_000, 0), SECOND, None, |_| 0);
    assert_eq!((held.verdict, held.reasons.len()), (Verdict::Valid, 0));
    let stalled = |second| if second == 5 { 90 } else { 0 };
    let held = verdict(slot(1_000, 1_000, 0), SECOND, None, stalled);
    assert_eq!(held.verdict, Verdict::Valid, "{:?}", held.reasons);
}

#[test]
fn a_backlog_that_grows_is_unsustained_with_its_figures() {
    let short = verdict(slot(800, 1_000, 0), SECOND, None, |second| {
        20 * (second + 1)
    });
    assert_eq!(short.verdict, Verdict::Unsustained);
    let text = short.reasons.join("\n");
    for figure in [
        "200 arrivals waited",
        "80.0 a second ended",
        "100.0 that were due",
    ] {
        assert!(text.contains(figure), "{figure} in {text}");
    }
    assert!(text.contains("grew by 20.0 a second"), "{text}");
}

#[test]
fn the_figures_of_a_rate_are_those_of_open_groups_over_their_own_window() {
    let closed = fixture::slot(1, 0, &vec![1_000_000; 5_000], &[]);
    let mut outstanding = Outstanding::default();
    (0..5).for_each(|second| outstanding.second(40 * (second + 1), 2));
    let mut result = fixture::result(vec![slot(800, 1_000, 0), closed]);
    result.waits.queue.record(SECOND);
    result.group_windows_ns = vec![(0, 5 * SECOND), (1, 10 * SECOND)];
    let text = judged(&result, &outstanding).reasons.join("\n");
    assert!(
        text.contains("160.0 a second ended of 200.0 that were due"),
        "{text}"
    );
}

#[test]
fn a_rate_that_falls_far_short_is_seen_in_a_window_of_a_few_seconds() {
    let judged_after = |seconds: u64, grows: u64| {
        let mut outstanding = Outstanding::default();
        (0..seconds).for_each(|second| outstanding.second(0, 5 + grows * second));
        let intended = 100 * seconds;
        let ended = usize::try_from(intended - outstanding.at_end()).expect("small");
        let mut result = fixture::result(vec![slot(ended, intended, 0)]);
        result.waits.queue.record(SECOND);
        result.group_windows_ns = vec![(0, seconds * SECOND)];
        judged(&result, &outstanding)
    };
    for seconds in [2, 4] {
        let short = judged_after(seconds, 80);
        assert_eq!(short.verdict, Verdict::Unsustained, "{seconds} s");
        let text = short.reasons.join("\n");
        assert!(text.contains("grew by 80.0 a second"), "{text}");
        assert_eq!(judged_after(seconds, 2).verdict, Verdict::Valid);
    }
}

#[test]
fn operations_that_pile_up_in_flight_are_unsustained_though_none_waits() {
    let mut outstanding = Outstanding::default();
    for second in 0..10 {
        outstanding.second(0, 5 * second);
    }
    let mut result = fixture::result(vec![slot(955, 1_000, 0)]);
    result.waits.queue.record(SECOND);
    let step = step();
    let plan = fixture::plan(vec![step.clone()]);
    let load = Load {
        plan: &plan,
        step: &step,
        open_groups: &OpenGroups::default().with(
            0,
            Arrived {
                ended: 955,
                outstanding,
            },
        ),
        client: &ClientRecord::default(),
        colocation: Colocation::default(),
    };
    let short = validity(
        &result,
        &load,
        &shortfalls(&result, &load),
        Status::Complete,
    );
    assert_eq!(short.verdict, Verdict::Unsustained, "{:?}", short.reasons);
}

#[test]
fn dropped_arrivals_above_one_in_a_hundred_are_unsustained() {
    let few = verdict(slot(991, 1_000, 9), SECOND, None, |_| 0);
    assert_eq!(few.verdict, Verdict::Valid);
    let many = verdict(slot(980, 1_000, 20), SECOND, None, |_| 0);
    assert_eq!(many.verdict, Verdict::Unsustained);
    assert!(many.reasons[0].contains("20 of 1000"), "{:?}", many.reasons);
}

#[test]
fn dropped_arrivals_found_no_free_worker_though_those_that_were_sent_did_not_wait() {
    let dropped = verdict(slot(980, 1_000, 20), 50_000, None, |_| 0);
    let reasons = &dropped.reasons;
    assert_eq!(dropped.verdict, Verdict::Unsustained, "{reasons:?}");
}

#[test]
fn iterations_that_all_fail_are_no_result_though_their_first_steps_succeed() {
    let mut result = fixture::result(vec![fixture::slot(0, 0, &[1_000_000; 5], &[])]);
    let mut iterations = fixture::slot(0, 0, &[], &[2_000_000; 5]);
    iterations.key.of = SlotOf::Iteration;
    result.iterations.push(iterations);
    let judge = |result: &TrialResult| judged(result, &Outstanding::default());
    let failed = judge(&result);
    assert_eq!(failed.verdict, Verdict::Failed);
    assert!(
        failed.reasons[0].starts_with("all 5 iterations"),
        "{:?}",
        failed.reasons
    );
    result.iterations[0].counters.errors = 0;
    let none = judge(&result);
    assert_eq!(none.verdict, Verdict::NoSamples);
    assert_eq!(none.reasons, ["no iteration ended"]);
}

#[test]
fn arrivals_that_wait_to_the_end_while_all_workers_are_busy_are_the_targets_fault() {
    // The target froze: what was sent before did not wait, what came later was never sent.
    let mut outstanding = Outstanding::default();
    for second in 0_u64..10 {
        let frozen = second.saturating_sub(5);
        outstanding.second(80 * frozen, if frozen > 0 { 64 } else { 2 });
    }
    let mut result = fixture::result(vec![slot(500, 1_000, 0)]);
    (0..1_000).for_each(|_| result.waits.queue.record(50_000));
    let verdict = judged(&result, &outstanding);
    assert_eq!(verdict.verdict, Verdict::Unsustained, "{verdict:?}");
}

#[test]
fn a_stall_that_was_caught_up_within_the_window_is_valid_however_short_the_window() {
    for waited in [
        [0, 0, 0, 90, 190, 120, 40, 0, 0, 0],
        [0, 0, 0, 0, 0, 90, 190, 290, 200, 3],
    ] {
        let mut outstanding = Outstanding::default();
        for waiting in waited {
            outstanding.second(waiting, 2);
        }
        let mut result = fixture::result(vec![slot(1_000, 1_000, 0)]);
        result.waits.queue.record(SECOND);
        let held = judged(&result, &outstanding);
        assert_eq!(held.verdict, Verdict::Valid, "{:?}", held.reasons);
    }
}

#[test]
fn a_group_that_loses_its_load_is_seen_beside_one_that_does_not() {
    let mut step = step();
    let mut easy = step.loads[0].clone();
    easy.group = 1;
    step.loads.push(easy);
    let plan = fixture::plan(vec![step.clone()]);
    let mut of_easy = slot(30_000, 30_000, 0);
    of_easy.key.group = 1;
    let mut result = fixture::result(vec![slot(160, 320, 160), of_easy]);
    result.waits.queue.record(SECOND);
    let load = Load {
        plan: &plan,
        step: &step,
        open_groups: &OpenGroups::default(),
        client: &ClientRecord::default(),
        colocation: Colocation::default(),
    };
    let verdict = validity(
        &result,
        &load,
        &shortfalls(&result, &load),
        Status::Complete,
    );
    assert_eq!(verdict.verdict, Verdict::Unsustained);
    let name = &plan.groups[0].name;
    let reason = format!("group {name}: 160 of 320 arrivals were dropped");
    assert_eq!(verdict.reasons, [reason]);
}

#[test]
fn a_trial_that_was_given_up_is_unsustained() {
    let given_up = GivenUp {
        at_ns: 42 * SECOND,
        backlog_age_ns: 31 * SECOND,
    };
    let verdict = verdict(slot(100, 1_000, 0), 0, Some(given_up), |_| 0);
    assert_eq!(verdict.verdict, Verdict::Unsustained);
    assert!(
        verdict.reasons[0].contains("31.0 s"),
        "{:?}",
        verdict.reasons
    );
}

#[test]
fn a_rate_that_was_missed_while_workers_were_free_is_the_clients_fault() {
    let short = verdict(slot(800, 1_000, 0), 50_000, None, |second| {
        20 * (second + 1)
    });
    assert_eq!(short.verdict, Verdict::ClientLimited);
    assert!(short.reasons[0].contains("within 50us:"));
}

/// Operations of one millisecond, and a backlog that grows.
#[test]
fn a_rate_that_was_missed_while_arrivals_were_noticed_late_is_the_clients_fault() {
    let growing = |second| 20 * (second + 1);
    let lagging = |lag_ns| lagging(slot(800, 1_000, 0), lag_ns, SECOND, None, growing);
    let late = lagging(200_000);
    assert_eq!(late.verdict, Verdict::ClientLimited);
    assert!(
        late.reasons[0].contains("20 % of the service time of find at p50, 1.000 ms"),
        "{:?}",
        late.reasons
    );
    assert!(
        late.reasons[1].contains("that were due"),
        "{:?}",
        late.reasons
    );
    // Within a tenth of the service time, or within the grain of the timer, nothing is said.
    for lag_ns in [90_000, 100_000] {
        let in_time = lagging(lag_ns);
        assert_eq!(in_time.verdict, Verdict::Unsustained, "{lag_ns}");
    }
}

#[test]
fn a_lag_of_a_part_of_the_service_time_says_nothing_of_a_rate_that_was_held() {
    let held = lagging(slot(1_000, 1_000, 0), 200_000, SECOND, None, |_| 0);
    assert_eq!(held.verdict, Verdict::Valid, "{:?}", held.reasons);
}
