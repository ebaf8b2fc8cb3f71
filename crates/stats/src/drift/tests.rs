//! Tests of `drift`.

use proptest::prelude::*;

use super::{Drift, drift};
use crate::simulated::{Simulated, THOUSANDS};

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-11 * one.abs().max(other.abs())
}

/// The known series, its second half moved up.
fn raised(by: f64) -> Drift {
    let mut samples = THOUSANDS;
    for sample in &mut samples[20..] {
        *sample += by;
    }
    drift(&samples).unwrap()
}

#[test]
fn change_and_z_are_those_of_numpy() {
    let drift = raised(60.0);
    assert_eq!((drift.first_mean, drift.second_mean), (1_007.35, 1_046.7));
    assert!(close(drift.change, 0.038_314_549_305_031_545), "{drift:?}");
    assert!(close(drift.z.unwrap(), 5.811_963_446_083_612), "{drift:?}");
    assert!(drift.is_drift());
}

#[test]
fn a_change_below_2_percent_is_no_drift_however_clear() {
    let mut samples = [1_000.0, 1_001.0].repeat(30);
    samples.extend([1_019.0, 1_020.0].repeat(30));
    let below = drift(&samples).unwrap();
    assert!(below.z.unwrap() > 100.0, "{below:?}");
    assert!(!below.is_drift(), "{below:?}");
}

#[test]
fn a_change_that_may_be_chance_is_no_drift_however_large() {
    let mut samples = [500.0, 1_500.0].repeat(10);
    samples.extend([550.0, 1_600.0].repeat(10));
    let chance = drift(&samples).unwrap();
    assert!(chance.change > 0.05, "{chance:?}");
    assert!(!chance.is_drift(), "{chance:?}");
}

#[test]
fn a_clean_ramp_is_a_drift() {
    let mut simulated = Simulated::seeded(3);
    let ramp: Vec<f64> = (0..120)
        .map(|i| 1_000.0 + f64::from(i) + simulated.normal())
        .collect();
    assert!(drift(&ramp).unwrap().is_drift());
    let exact: Vec<f64> = (0..120).map(|i| 1_000.0 + f64::from(i)).collect();
    assert!(drift(&exact).unwrap().is_drift());
}

#[test]
fn a_steady_series_seldom_drifts() {
    let mut simulated = Simulated::seeded(5);
    for phi in [0.0, 0.8] {
        let drifts = (0..1_000).filter(|_| {
            let noise = simulated.autoregressive(phi, 120);
            let samples: Vec<f64> = noise.iter().map(|x| 1_000.0 + 30.0 * x).collect();
            drift(&samples).unwrap().is_drift()
        });
        let count = drifts.count();
        assert!(count < 60, "{count} of 1,000 at {phi}");
    }
}

#[test]
fn halves_that_do_not_scatter_drift_if_they_differ() {
    let mut samples = vec![100.0; 30];
    assert!(drift(&samples).unwrap().change.abs() <= 0.0);
    assert!(!drift(&samples).unwrap().is_drift());
    samples.extend(vec![103.0; 30]);
    let step = drift(&samples).unwrap();
    assert_eq!(step.z, None);
    assert!(step.is_drift());
}

#[test]
fn a_series_that_starts_from_nothing_changes_by_200_percent() {
    let mut samples = vec![0.0; 20];
    samples.extend([1.0, 2.0].repeat(10));
    let start = drift(&samples).unwrap();
    assert!(close(start.change, 2.0), "{start:?}");
    assert!(start.is_drift());
}

#[test]
fn what_is_short_negative_not_finite_or_all_zero_is_not_judged() {
    assert_eq!(drift(&[]), None);
    assert_eq!(drift(&[1.0; 19]), None);
    assert!(drift(&[1.0; 20]).is_some());
    assert_eq!(drift(&[0.0; 20]), None);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let mut samples = [1.0; 30];
        samples[4] = bad;
        assert_eq!(drift(&samples), None, "{bad}");
    }
}

proptest! {
    #[test]
    fn backwards_is_the_same_change_with_the_other_sign(
        mut samples in prop::collection::vec(1.0..1e6, 20..100),
    ) {
        let forwards = drift(&samples).unwrap();
        samples.reverse();
        let backwards = drift(&samples).unwrap();
        prop_assert!((forwards.change + backwards.change).abs() < 1e-9);
        prop_assert!((forwards.z.unwrap() + backwards.z.unwrap()).abs() < 1e-6);
    }

    #[test]
    fn any_float_gives_numbers_or_none(
        samples in prop::collection::vec(prop::num::f64::ANY, 15..40),
    ) {
        if let Some(drift) = drift(&samples) {
            prop_assert!(drift.change.is_finite() && drift.z.is_none_or(f64::is_finite));
        }
    }
}
