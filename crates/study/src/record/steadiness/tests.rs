//! Steadiness of windows made by hand.

use docstone_engine::SlotData;
use docstone_model::plan::{Arrivals, WhenFull};

use super::*;
use crate::fixture::{self, interval, milliseconds, plan, slot, staged, step};

/// Pieces of a window in which second `n` had `ops(n)` finds of `latency(n)` nanoseconds.
fn pieces(seconds: u64, ops: impl Fn(u64) -> usize, latency: impl Fn(u64) -> u64) -> Pieces {
    let mut pieces = Pieces::default();
    for n in 0..seconds {
        // A scatter that repeats: 0, 1, 2, 3, 4 percent.
        let latency_ns = latency(n) * (100 + n % 5) / 100;
        let finds = vec![slot(0, 0, &vec![latency_ns; ops(n)], &[])];
        pieces.second(&plan(Vec::new()), &interval(n, finds));
    }
    pieces
}

fn closed() -> StepPlan {
    let mut step = step("steady", false, milliseconds(60_000));
    step.loads.truncate(1);
    step
}

fn result_of(slots: Vec<SlotData>) -> TrialResult {
    let mut result = fixture::result(slots);
    result.group_windows_ns = vec![(0, 60_000_000_000)];
    result
}

fn judge(step: &StepPlan, open: bool, pieces: &Pieces) -> SteadinessRecord {
    let mut of = slot(0, 0, &[1_000], &[]);
    of.key.open = open;
    let plan = plan(vec![step.clone()]);
    steadiness((&plan, step), &result_of(vec![of]), pieces)
}

#[test]
fn a_steady_window_has_no_warning() {
    let even = pieces(
        60,
        |n| 100 + usize::try_from(n % 3).expect("small"),
        |_| 1_000_000,
    );
    let record = judge(&closed(), false, &even);
    assert_eq!(
        (record.judged_s, record.not_judged.as_deref()),
        (60.0, None)
    );
    let throughput = record.throughput_ops_per_s.as_ref().expect("closed load");
    assert!(
        !throughput.is_warmup && !throughput.no_steady_state,
        "{throughput:?}"
    );
    assert_eq!(warnings(&record), []);
}

#[test]
fn a_slow_start_is_named_with_its_length_and_the_step_that_would_help() {
    let cold = pieces(
        60,
        |n| {
            if n < 10 {
                50
            } else {
                100 + usize::try_from(n % 3).expect("small")
            }
        },
        |n| if n < 10 { 2_000_000 } else { 1_000_000 },
    );
    let record = judge(&closed(), false, &cold);
    let throughput = record.throughput_ops_per_s.as_ref().expect("closed load");
    assert_eq!(throughput.warmup_s, Some(10.0));
    assert!(throughput.is_warmup);
    let warnings = warnings(&record);
    let text = &warnings[0].text;
    assert_eq!(warnings[0].kind, WarningKind::Warmup);
    assert!(
        text.contains("the first 10 s") && text.contains("% higher") && text.contains("13 s"),
        "the median stands out the most: {text}"
    );
}

#[test]
fn a_window_that_grows_slower_is_flagged_as_drift() {
    let slower = pieces(
        60,
        |n| 200 - usize::try_from(n).expect("small"),
        |n| 1_000_000 + 10_000 * n,
    );
    let record = judge(&closed(), false, &slower);
    let drift = record.throughput_ops_per_s.as_ref().and_then(|of| of.drift);
    let drift = drift.expect("long enough");
    assert!(drift.is_drift && drift.change < -0.1, "{drift:?}");
    let warnings = warnings(&record);
    let of_drift = warnings
        .iter()
        .find(|warning| warning.kind == WarningKind::Drift);
    assert!(
        of_drift.is_some_and(|warning| warning.text.contains("second half")),
        "{warnings:?}"
    );
}

#[test]
fn too_few_seconds_and_a_load_that_changes_by_plan_are_not_judged() {
    let short = judge(&closed(), false, &pieces(24, |_| 10, |_| 1_000));
    assert!(short.throughput_ops_per_s.is_none() && short.median_ns.is_empty());
    assert!(short.not_judged.is_some_and(|why| why.contains("25")));
    let staged = |to| {
        let load = staged(8, to);
        judge(&load, false, &pieces(60, |_| 10, |_| 1_000)).not_judged
    };
    assert!(staged(4).is_some_and(|why| why.contains("by plan")));
    assert_eq!(staged(8), None);
    let open = |from_per_s, to_per_s| {
        let mut step = closed();
        step.loads[0].model = LoadModel::Open(OpenLoad {
            schedule: SchedulePlan::Rates {
                stages: vec![RateStage {
                    duration_ns: 60_000_000_000,
                    rate: Rate::Linear {
                        from_per_s,
                        to_per_s,
                    },
                }],
                arrivals: Arrivals::Uniform,
            },
            max_in_flight: Some(64),
            settled_in_flight: None,
            when_full: WhenFull::Queue,
            give_up_after_ns: None,
        });
        let mut open = Pieces::default();
        for n in 0..60 {
            let mut of = slot(0, 0, &[], &[]);
            of.key.open = true;
            of.response.record(1_000 + n % 5);
            open.second(&plan(Vec::new()), &interval(n, vec![of]));
        }
        judge(&step, true, &open)
    };
    let ramp = open(10.0, 20.0);
    assert!(ramp.not_judged.is_some_and(|why| why.contains("by plan")));
    let level = open(10.0, 10.0);
    assert!(level.throughput_ops_per_s.is_none(), "the schedule sets it");
    assert!(level.median_ns.contains_key("find"), "{level:?}");
}

#[test]
fn a_second_without_a_success_leaves_the_median_out_and_says_so() {
    let gap = pieces(60, |n| if n == 30 { 0 } else { 10 }, |_| 1_000);
    let record = judge(&closed(), false, &gap);
    assert!(record.median_ns.is_empty());
    assert!(record.not_judged.is_some_and(|why| why.contains("find")));
    assert!(record.throughput_ops_per_s.is_some());
}

#[test]
fn the_iterations_of_steps_are_judged_besides_their_steps() {
    let plan = plan(vec![closed()]);
    let mut pieces = Pieces::default();
    for n in 0..60 {
        let ms = 1_000_000 * (100 + n % 5) / 100;
        let mut second = interval(n, vec![slot(0, 0, &vec![ms; 30], &[])]);
        // The pauses between the steps become longer; the steps do not.
        let longer = if n < 30 { 1 } else { 2 };
        let count = usize::try_from(10 + n % 3).expect("small");
        second.iterations = vec![fixture::iterations(0, &vec![3 * longer * ms; count])];
        pieces.second(&plan, &second);
    }
    let mut result = result_of(vec![slot(0, 0, &[1_000], &[])]);
    result.iterations = vec![fixture::iterations(0, &[1_000])];
    let record = steadiness((&plan, &closed()), &result, &pieces);
    assert_eq!(record.not_judged, None);
    let drifts = |name: &str| record.median_ns[name].drift.expect("60 pieces").is_drift;
    assert!(drifts("iterations") && !drifts("find"), "{record:#?}");
    let throughput = record.throughput_ops_per_s.as_ref().expect("closed load");
    let mean = throughput.drift.expect("60 pieces").first_mean;
    assert!((mean - 11.0).abs() < 1e-9, "whole iterations: {mean}");
    assert!(
        warnings(&record)
            .iter()
            .any(|of| of.text.contains("of iterations"))
    );
}
