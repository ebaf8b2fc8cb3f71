//! Tests of `quantile_interval`.

use proptest::prelude::*;

use super::{SecondAgainstQuantile, design_effect, quantile_interval, quantile_interval_min_count};
use crate::latencies::{LATENCY_MAX_NS, Latencies};
use crate::simulated::Simulated;

/// 1 to `count` ns, which the histogram holds exactly up to 2,047.
fn one_to(count: u64) -> Latencies {
    of(1..=count)
}

fn second(count: u64, above: u64) -> SecondAgainstQuantile {
    SecondAgainstQuantile { count, above }
}

/// The bounds in nanoseconds.
fn bounds(latencies: &Latencies, q: f64, seconds: &[SecondAgainstQuantile]) -> Option<(u64, u64)> {
    let interval = quantile_interval(latencies, q, seconds)?;
    Some((interval.low_ns, interval.high_ns))
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * one.max(other)
}

fn of(latencies_ns: impl IntoIterator<Item = u64>) -> Latencies {
    let mut latencies = Latencies::new();
    for latency_ns in latencies_ns {
        latencies.record(latency_ns);
    }
    latencies
}

/// Seconds of a run against its quantile.
fn against(seconds: &[Latencies], quantile_ns: u64) -> Vec<SecondAgainstQuantile> {
    let of = |latencies: &Latencies| second(latencies.count(), latencies.count_above(quantile_ns));
    seconds.iter().map(of).collect()
}

fn merged(seconds: &[Latencies]) -> Latencies {
    let mut all = Latencies::new();
    for second in seconds {
        all.add(second);
    }
    all
}

#[test]
fn an_interval_needs_the_listed_number_of_operations() {
    for (q, least) in [
        (0.5, 6),
        (0.9, 36),
        (0.99, 368),
        (0.999, 3_688),
        (0.9999, 36_887),
        (0.01, 368),
    ] {
        assert_eq!(quantile_interval_min_count(q), Some(least), "{q}");
        assert_eq!(quantile_interval(&one_to(least - 1), q, &[]), None, "{q}");
        assert!(quantile_interval(&one_to(least), q, &[]).is_some(), "{q}");
    }
}

#[test]
fn there_is_no_quantile_outside_0_to_1() {
    for q in [-0.5, 0.0, 1.0, 1.5, f64::NAN, f64::INFINITY] {
        assert_eq!(quantile_interval_min_count(q), None, "{q}");
        assert_eq!(quantile_interval(&one_to(1_000), q, &[]), None, "{q}");
    }
}

#[test]
fn bounds_are_the_latencies_of_their_ranks() {
    let latencies = one_to(1_000);
    assert_eq!(bounds(&latencies, 0.5, &[]), Some((469, 531)));
    assert_eq!(bounds(&latencies, 0.9, &[]), Some((881, 919)));
    assert_eq!(bounds(&latencies, 0.99, &[]), Some((983, 997)));
    assert_eq!(bounds(&one_to(6), 0.5, &[]), Some((1, 6)));
    assert_eq!(bounds(&one_to(368), 0.99, &[]), Some((360, 368)));
}

#[test]
fn a_design_effect_of_4_doubles_the_width() {
    // (75 - 50)^2 + (25 - 50)^2 = 1,250 over 0.25 x 200 is 25; 60 and 40 give 4.
    assert!(close(
        design_effect(&[second(100, 75), second(100, 25)]),
        25.0
    ));
    let seconds = [second(100, 60), second(100, 40)];
    assert!(close(design_effect(&seconds), 4.0));
    let latencies = one_to(1_000);
    assert_eq!(bounds(&latencies, 0.5, &seconds), Some((438, 562)));
    assert_eq!(bounds(&latencies, 0.9, &seconds), Some((862, 938)));
    assert_eq!(
        quantile_interval(&latencies, 0.99, &seconds),
        None,
        "4 x 368 are needed"
    );
}

#[test]
fn seconds_that_say_nothing_have_a_design_effect_of_1() {
    for seconds in [
        &[][..],
        &[second(0, 0)],
        &[second(10, 0), second(20, 0)],
        &[second(10, 10)],
        &[second(100, 50), second(0, 0), second(10, 5)],
    ] {
        assert!(close(design_effect(seconds), 1.0), "{seconds:?}");
    }
}

#[test]
fn a_median_in_a_full_bucket_is_not_taken_for_likeness() {
    // 40 % of each second share the bucket of the median: 30 %, not 50 %, are above.
    let seconds = [second(10_000, 3_000); 20];
    assert!(close(design_effect(&seconds), 1.0));
}

#[test]
fn a_bound_among_latencies_that_were_cut_off_does_not_exist() {
    let latencies = of((1..=980).chain([LATENCY_MAX_NS + 1; 20]));
    assert_eq!(quantile_interval(&latencies, 0.98, &[]), None);
    assert_eq!(bounds(&latencies, 0.9, &[]), Some((881, 919)));
}

#[test]
fn stalls_of_whole_seconds_widen_the_interval() {
    // 3 of 60 s are slow throughout: their operations are 5 % of all, and stand for 3 events.
    let mut simulated = Simulated::seeded(2);
    let mut run_of = |slow: &dyn Fn(usize, usize) -> bool| -> Vec<Latencies> {
        (0..60)
            .map(|time_s| {
                of((0..1_000).map(|i| {
                    let factor = if slow(time_s, i) { 100 } else { 1 };
                    factor * (1_000_000 + simulated.exponential_ns(1e6))
                }))
            })
            .collect()
    };
    let stalled = run_of(&|time_s, _| time_s % 20 == 7);
    let spread = run_of(&|_, i| i % 20 == 7);
    let effect = |run: &[Latencies]| {
        let p90_ns = merged(run).quantile_ns(0.9).unwrap();
        design_effect(&against(run, p90_ns))
    };
    assert!(effect(&stalled) > 100.0, "{}", effect(&stalled));
    assert!(effect(&spread) < 2.0, "{}", effect(&spread));
}

#[test]
fn the_interval_holds_the_true_quantile_95_times_in_100() {
    let mut simulated = Simulated::seeded(6);
    for q in [0.5, 0.99] {
        let truth_ns = -1e6 * f64::ln(1.0 - q);
        let hits = (0..400).filter(|_| {
            let latencies = of((0..1_500).map(|_| simulated.exponential_ns(1e6)));
            let interval = quantile_interval(&latencies, q, &[]).unwrap();
            interval.low_ns as f64 <= truth_ns && truth_ns <= interval.high_ns as f64
        });
        let share = hits.count() as f64 / 400.0;
        assert!((0.92..0.99).contains(&share), "{share} at {q}");
    }
}

proptest! {
    #[test]
    fn the_quantile_lies_inside_and_the_bounds_inside_the_extremes(
        values in prop::collection::vec(1_u64..1_000_000_000, 6..500),
        q in 0.3..0.95,
    ) {
        let latencies = of(values);
        if let Some(interval) = quantile_interval(&latencies, q, &[]) {
            let quantile_ns = latencies.quantile_ns(q).unwrap();
            prop_assert!(latencies.min_ns().unwrap() <= interval.low_ns);
            prop_assert!(interval.low_ns <= quantile_ns && quantile_ns <= interval.high_ns);
            prop_assert!(interval.high_ns <= latencies.max_ns().unwrap());
        }
    }

    #[test]
    fn more_likeness_never_narrows(
        seconds in prop::collection::vec((1_u64..100, 0_u64..100), 1..50),
        q in 0.3..0.95,
    ) {
        let seconds: Vec<_> = seconds
            .iter()
            .map(|&(count, above)| second(count, above.min(count)))
            .collect();
        prop_assert!(design_effect(&seconds) >= 1.0);
        let latencies = one_to(2_000);
        let independent = quantile_interval(&latencies, q, &[]).unwrap();
        if let Some(wide) = quantile_interval(&latencies, q, &seconds) {
            prop_assert!(wide.low_ns <= independent.low_ns);
            prop_assert!(independent.high_ns <= wide.high_ns);
        }
    }
}
