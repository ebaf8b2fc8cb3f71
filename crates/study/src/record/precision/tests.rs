//! Intervals of windows made by hand.

use super::*;
use crate::fixture::{self, interval as second, operations, plan, slot, staged, step};

const MS: u64 = 1_000_000;

/// A window of closed load in which second `n` had so many finds with these latencies.
fn of(seconds: u64, latencies: impl Fn(u64) -> Vec<u64>) -> Option<PrecisionRecord> {
    let steady = step("steady", false, operations(1));
    under(&steady, seconds, latencies)
}

/// The same under another step.
fn under(
    step: &StepPlan,
    seconds: u64,
    latencies: impl Fn(u64) -> Vec<u64>,
) -> Option<PrecisionRecord> {
    let mut pieces = Pieces::default();
    let mut all = Vec::new();
    for n in 0..seconds {
        let latencies = latencies(n);
        all.extend(latencies.iter().copied());
        pieces.second(
            &plan(Vec::new()),
            &second(n, vec![slot(0, 0, &latencies, &[])]),
        );
    }
    let mut result = fixture::result(vec![slot(0, 0, &all, &[])]);
    result.group_windows_ns = vec![(0, seconds * 1_000_000_000)];
    precision((&plan(Vec::new()), step), &result, &pieces)
}

/// 1 to 100 ms, as many as there are, from a place that moves with the second.
fn spread(n: u64, count: u64) -> Vec<u64> {
    (0..count)
        .map(|k| (1 + (k * 37 + n * 11) % 100) * MS)
        .collect()
}

#[test]
fn a_number_of_workers_that_changes_has_no_interval_of_throughput() {
    let staged = |to| under(&staged(8, to), 60, |n| spread(n, 100 + n % 7)).expect("long enough");
    assert!(staged(8).throughput_ops_per_s.is_some());
    let ramp = staged(1);
    assert!(ramp.throughput_ops_per_s.is_none());
    assert!(ramp.operations["find"].p50_ns.is_some());
}

#[test]
fn intervals_hold_what_they_are_of() {
    let record = of(60, |n| spread(n, 100 + n % 7)).expect("long enough");
    let throughput = record.throughput_ops_per_s.expect("closed load");
    assert!(throughput.low < throughput.mean && throughput.mean < throughput.high);
    assert!((throughput.mean - 103.0).abs() < 1.0, "{throughput:?}");
    let find = &record.operations["find"];
    assert_eq!(find.time, TimeKind::Service);
    let p50 = find.p50_ns.expect("enough operations");
    assert!(
        p50.low <= 50 * MS && 50 * MS <= p50.high && p50.low > 40 * MS,
        "{p50:?}"
    );
    let p99 = find.p99_ns.expect("enough operations");
    assert!(p99.low <= 99 * MS && p99.high >= 99 * MS, "{p99:?}");
    let mean = find.mean_ns.expect("enough seconds");
    assert!(mean.low < 50.5e6 && mean.high > 50.5e6, "{mean:?}");
}

#[test]
fn seconds_that_are_alike_widen_the_interval_of_a_quantile() {
    let mixed = of(60, |n| spread(n, 200)).expect("long enough");
    // The same latencies, but each second has its own part of them.
    let apart = of(60, |n| {
        (0..200)
            .map(|k| (1 + (n * 100 / 60 + k % 3) % 100) * MS)
            .collect()
    });
    let apart = apart.expect("long enough");
    let p50 = |record: &PrecisionRecord| record.operations["find"].p50_ns.expect("enough");
    let (mixed, apart) = (p50(&mixed), p50(&apart));
    assert!(
        apart.design_effect > 20.0 && mixed.design_effect < 5.0,
        "{mixed:?} {apart:?}"
    );
    assert!(
        apart.high - apart.low > 2 * (mixed.high - mixed.low),
        "{mixed:?} {apart:?}"
    );
}

#[test]
fn a_few_seconds_have_no_precision_and_a_few_operations_no_99th_percentile() {
    assert_eq!(of(9, |n| spread(n, 100)), None);
    let few = of(20, |n| spread(n, 10)).expect("long enough");
    let find = &few.operations["find"];
    assert!(find.p50_ns.is_some() && find.p99_ns.is_none(), "{find:?}");
}

#[test]
fn the_mean_weighs_operations_and_not_seconds() {
    // A second of many fast operations, then one of few slow ones.
    let record = of(60, |n| {
        if n % 2 == 0 {
            vec![MS; 99]
        } else {
            vec![101 * MS; 1]
        }
    });
    let mean = record.expect("long enough").operations["find"]
        .mean_ns
        .expect("seconds");
    assert!((mean.mean / 1e6 - 2.0).abs() < 0.01, "{mean:?}");
}

#[test]
fn the_mean_holds_what_ended_in_the_drain() {
    let mut pieces = Pieces::default();
    let mut all = Vec::new();
    for n in 0..20 {
        let latencies = spread(n, 100);
        pieces.second(
            &plan(Vec::new()),
            &second(n, vec![slot(0, 0, &latencies, &[])]),
        );
        all.extend(latencies);
    }
    all.extend([9_000 * MS; 64]);
    let mut result = fixture::result(vec![slot(0, 0, &all, &[])]);
    result.group_windows_ns = vec![(0, 20_000_000_000)];
    let step = step("steady", false, operations(1));
    let record = precision((&plan(Vec::new()), &step), &result, &pieces).expect("long enough");
    let mean = record.operations["find"].mean_ns.expect("enough seconds");
    let of_all = times(&result.slots[0]).mean_ns().expect("operations");
    assert!((mean.mean - of_all).abs() < 1.0, "{mean:?} {of_all}");
    assert!(mean.low < of_all && of_all < mean.high, "{mean:?} {of_all}");
}

#[test]
fn the_iterations_of_steps_have_a_precision_of_their_own() {
    let plan = plan(Vec::new());
    let mut pieces = Pieces::default();
    let mut all = Vec::new();
    for n in 0..30 {
        let mut of = second(n, vec![slot(0, 0, &spread(n, 60), &[])]);
        let whole: Vec<u64> = spread(n, 20).iter().map(|ns| 10 * ns).collect();
        of.iterations = vec![fixture::iterations(0, &whole)];
        all.extend(whole);
        pieces.second(&plan, &of);
    }
    let mut result = fixture::result(vec![slot(0, 0, &spread(0, 60), &[])]);
    result.iterations = vec![fixture::iterations(0, &all)];
    result.group_windows_ns = vec![(0, 30_000_000_000)];
    let steady = step("steady", false, operations(1));
    let record = precision((&plan, &steady), &result, &pieces).expect("long enough");
    let names: Vec<_> = record.operations.keys().collect();
    assert_eq!(names, ["find", "iterations"]);
    let p50 = record.operations["iterations"].p50_ns.expect("enough");
    assert!(
        p50.low <= 510 * MS && p50.high >= 490 * MS && p50.low > 300 * MS,
        "{p50:?}"
    );
    // So many arrived a second, whatever each of them sent.
    let throughput = record.throughput_ops_per_s;
    assert!(
        throughput.is_none_or(|of| (of.mean - 20.0).abs() < 1e-9),
        "{throughput:?}"
    );
}
