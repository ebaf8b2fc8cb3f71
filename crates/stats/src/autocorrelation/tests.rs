//! Tests of `autocorrelation`.

use proptest::prelude::*;

use super::{effective_samples, lag1_autocorrelation};
use crate::simulated::{Simulated, THOUSANDS};

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * one.abs().max(other.abs())
}

#[test]
fn autocorrelation_and_effective_samples_are_those_of_numpy() {
    assert!(close(
        lag1_autocorrelation(&THOUSANDS).unwrap(),
        0.575_095_149_066_871_3
    ));
    assert!(close(
        effective_samples(&THOUSANDS).unwrap(),
        8.262_412_467_051_393
    ));
}

#[test]
fn samples_that_alternate_count_in_full() {
    let samples: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
    assert!(close(lag1_autocorrelation(&samples).unwrap(), -0.99));
    assert_eq!(effective_samples(&samples), Some(100.0));
}

#[test]
fn a_long_ramp_counts_as_a_hundredth_of_its_samples() {
    let samples: Vec<f64> = (0..1_000).map(f64::from).collect();
    assert!(lag1_autocorrelation(&samples).unwrap() > 0.98);
    assert!(close(
        effective_samples(&samples).unwrap(),
        1_000.0 * 0.02 / 1.98
    ));
}

#[test]
fn a_simulated_process_shows_its_autocorrelation() {
    let samples = Simulated::seeded(1).autoregressive(0.8, 20_000);
    let r = lag1_autocorrelation(&samples).unwrap();
    assert!((0.77..0.83).contains(&r), "{r}");
    let share = effective_samples(&samples).unwrap() / 20_000.0;
    assert!(
        (0.09..0.14).contains(&share),
        "0.2 / 1.8 is 0.111, not {share}"
    );
}

#[test]
fn what_does_not_vary_or_is_too_short_or_not_finite_has_none() {
    let series: [&[f64]; 8] = [
        &[],
        &[1.0],
        &[1.0, 2.0],
        &[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
        &[0.0, 0.0, 0.0],
        &[1.0, f64::NAN, 2.0, 3.0],
        &[1.0, f64::INFINITY, 2.0, 3.0],
        &[1e300, -1e300, 1e300, -1e300],
    ];
    for samples in series {
        assert_eq!(lag1_autocorrelation(samples), None, "{samples:?}");
        assert_eq!(effective_samples(samples), None, "{samples:?}");
    }
}

proptest! {
    #[test]
    fn results_are_in_range(samples in prop::collection::vec(-1e6..1e6, 3..100)) {
        let r = lag1_autocorrelation(&samples).unwrap();
        let effective = effective_samples(&samples).unwrap();
        prop_assert!((-1.0..=1.0).contains(&r), "{r}");
        prop_assert!(0.0 < effective && effective <= samples.len() as f64, "{effective}");
    }

    #[test]
    fn any_float_gives_a_number_or_none(
        samples in prop::collection::vec(prop::num::f64::ANY, 0..20),
    ) {
        prop_assert!(lag1_autocorrelation(&samples).is_none_or(f64::is_finite));
        prop_assert!(effective_samples(&samples).is_none_or(f64::is_finite));
    }

    #[test]
    fn unit_and_zero_point_do_not_matter(
        samples in prop::collection::vec(0_u32..1_000, 5..50),
        power in -8_i32..8,
    ) {
        let plain: Vec<f64> = samples.iter().copied().map(f64::from).collect();
        let other: Vec<f64> = plain.iter().map(|x| (x - 77.0) * 2_f64.powi(power)).collect();
        match (lag1_autocorrelation(&plain), lag1_autocorrelation(&other)) {
            (Some(one), Some(two)) => prop_assert!((one - two).abs() < 1e-9, "{one} {two}"),
            (one, two) => prop_assert_eq!(one, two),
        }
    }
}
