//! Poisson arrivals that were noticed in time, late, and together.

use docstone_model::plan::Arrivals;

use super::*;
use crate::fixture;

/// Gaps of 200 arrivals at a rate, the quantiles of the exponential distribution, through `noticed`.
fn gaps(rate_per_s: f64, noticed: impl Fn(u64) -> u64) -> TrialResult {
    let gap = |n: u64| -(1.0 - (n as f64 + 0.5) / 200.0).ln() * 1e9 / rate_per_s;
    // 77 and 200 have no divisor in common: each quantile comes once, large and small ones mixed.
    let times = (0..200).scan(0, |sum: &mut u64, n| {
        *sum += whole(gap(n * 77 % 200));
        Some(noticed(*sum))
    });
    let times: Vec<u64> = times.collect();
    let mut result = fixture::result(Vec::new());
    result.arrival_gaps_ns = vec![(0, times.windows(2).map(|pair| pair[1] - pair[0]).collect())];
    result
}

fn whole(ns: f64) -> u64 {
    let length = std::time::Duration::from_secs_f64(ns / 1e9);
    u64::try_from(length.as_nanos()).expect("short")
}

fn judged(
    rate_per_s: f64,
    arrivals: Arrivals,
    pacing: Pacing,
    noticed: impl Fn(u64) -> u64,
) -> Option<ArrivalGapsRecord> {
    let step = fixture::open_step(rate_per_s, arrivals);
    let mut plan = fixture::plan(vec![step.clone()]);
    plan.pacing = pacing;
    arrival_gaps((&plan, &step), &gaps(rate_per_s, noticed), 0)
}

fn warned(of: ArrivalGapsRecord) -> Vec<String> {
    let group = GroupRecord {
        arrival_gaps: Some(of),
        ..GroupRecord::default()
    };
    let groups = BTreeMap::from([("load".to_owned(), group)]);
    warnings(&groups).map(|warning| warning.text).collect()
}

#[test]
fn arrivals_that_are_noticed_in_time_have_no_warning() {
    for rate_per_s in [0.5, 100.0, 1_000.0] {
        let of = judged(rate_per_s, Arrivals::Poisson, Pacing::Timer, |at_ns| {
            // The grain of the timer, at which it wakes.
            at_ns.next_multiple_of(50_000) + 30_000
        });
        let of = of.expect("it can be judged");
        assert_eq!(of.gaps, 199);
        assert!((of.mean_ns * rate_per_s / 1e9 - 1.0).abs() < 0.1, "{of:?}");
        assert!(of.anderson_darling < 1.0, "{of:?} at {rate_per_s}/s");
        assert!(warned(of).is_empty());
    }
}

#[test]
fn arrivals_that_are_noticed_together_have_a_warning_with_the_figures() {
    let coarse = |at_ns: u64| at_ns.next_multiple_of(4_000_000);
    let of = judged(1_000.0, Arrivals::Poisson, Pacing::Timer, coarse).expect("judged");
    let warned = warned(of);
    let figures = format!("of 199 gaps is {:.1}, above 2.5", of.anderson_darling);
    assert!(
        warned.len() == 1 && warned[0].contains(&figures),
        "{warned:?}"
    );
}

#[test]
fn what_need_not_be_exponential_or_is_finer_than_the_timer_is_not_judged() {
    let exact = |at_ns: u64| at_ns;
    assert_eq!(judged(100.0, Arrivals::Uniform, Pacing::Timer, exact), None);
    assert_eq!(
        judged(1_001.0, Arrivals::Poisson, Pacing::Timer, exact),
        None
    );
    // A thread that spins has no such grain.
    assert!(judged(1_001.0, Arrivals::Poisson, Pacing::Spin, exact).is_some());
}

#[test]
fn a_group_is_named_where_there_are_several() {
    let of = |anderson_darling| GroupRecord {
        arrival_gaps: Some(ArrivalGapsRecord {
            gaps: 200,
            mean_ns: 1e6,
            anderson_darling,
            limit: 2.534,
        }),
        ..GroupRecord::default()
    };
    let groups = BTreeMap::from([("even".to_owned(), of(0.5)), ("late".to_owned(), of(9.0))]);
    let texts: Vec<String> = warnings(&groups).map(|warning| warning.text).collect();
    assert!(
        texts.len() == 1 && texts[0].contains("of group late"),
        "{texts:?}"
    );
}
