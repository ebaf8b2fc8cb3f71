//! Tests of `mean_interval`.

use proptest::prelude::*;

use super::mean_interval;
use crate::simulated::{Simulated, THOUSANDS};

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-11 * one.abs().max(other.abs())
}

/// The share of simulated runs of 120 s whose interval holds the true mean.
fn coverage(phi: f64) -> f64 {
    const RUNS: u32 = 2_000;
    let mut simulated = Simulated::seeded(7);
    let hits = (0..RUNS).filter(|_| {
        let samples = simulated.autoregressive(phi, 120);
        mean_interval(&samples).is_some_and(|interval| interval.low <= 0.0 && 0.0 <= interval.high)
    });
    hits.count() as f64 / f64::from(RUNS)
}

#[test]
fn the_interval_is_that_of_scipy() {
    let interval = mean_interval(&THOUSANDS).unwrap();
    assert!(close(interval.mean, 997.025), "{interval:?}");
    assert!(
        close(interval.effective_samples, 8.262_412_467_051_393),
        "{interval:?}"
    );
    assert!(
        close(interval.standard_error, 7.310_857_961_138_837),
        "{interval:?}"
    );
    assert!(close(interval.low, 979.863_392_622_286_3), "{interval:?}");
    assert!(
        close(interval.high, 1_014.186_607_377_713_7),
        "{interval:?}"
    );
}

#[test]
fn independent_samples_have_the_interval_of_student() {
    // r is below 0, so all 12 count: scipy.stats.t.interval(.95, 11, mean, s / sqrt(12)).
    let samples = [7.1, 6.8, 9.4, 3.2, 5.5, 8.8, 7.7, 4.1, 6.0, 10.2, 2.9, 6.6];
    let interval = mean_interval(&samples).unwrap();
    assert!(close(interval.low, 5.039_335_016_938_143), "{interval:?}");
    assert!(close(interval.high, 8.010_664_983_061_856), "{interval:?}");
    assert!(close(interval.effective_samples, 12.0), "{interval:?}");
}

#[test]
fn the_interval_of_independent_samples_holds_the_mean_95_times_in_100() {
    let share = coverage(0.0);
    assert!((0.92..0.98).contains(&share), "{share}");
}

#[test]
fn the_interval_of_alike_neighbours_holds_the_mean_95_times_in_100() {
    let share = coverage(0.8);
    assert!((0.90..0.98).contains(&share), "{share}");
}

#[test]
fn a_series_worth_less_than_two_samples_has_no_interval() {
    let ramp: Vec<f64> = (0..100).map(f64::from).collect();
    assert_eq!(mean_interval(&ramp), None);
}

#[test]
fn what_does_not_vary_or_is_too_short_or_not_finite_has_no_interval() {
    let series: [&[f64]; 5] = [
        &[],
        &[1.0, 2.0],
        &[0.1; 60],
        &[1.0, 2.0, f64::NAN],
        &[1.0, 2.0, f64::NEG_INFINITY],
    ];
    for samples in series {
        assert_eq!(mean_interval(samples), None, "{samples:?}");
    }
}

proptest! {
    #[test]
    fn the_mean_lies_inside_and_all_is_finite(
        samples in prop::collection::vec(-1e9..1e9, 0..100),
    ) {
        if let Some(interval) = mean_interval(&samples) {
            prop_assert!(interval.low < interval.mean && interval.mean < interval.high);
            prop_assert!(interval.low.is_finite() && interval.high.is_finite());
            prop_assert!(interval.standard_error > 0.0);
        }
    }

    #[test]
    fn any_float_gives_numbers_or_none(
        samples in prop::collection::vec(prop::num::f64::ANY, 0..20),
    ) {
        if let Some(interval) = mean_interval(&samples) {
            prop_assert!(!interval.low.is_nan() && !interval.high.is_nan(), "{interval:?}");
        }
    }
}
