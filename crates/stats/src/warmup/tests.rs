//! Tests of `warmup`.

use proptest::prelude::*;

use super::{Warmup, warmup};

fn ends_after(samples: usize) -> Warmup {
    Warmup::EndsAfter { samples }
}

/// 500 ops/s that rise to 1,000 with the time constant `-1 / ln(keep)` seconds, and scatter.
fn warming(count: u32, keep: f64) -> Vec<f64> {
    let mut missing = 500.0;
    let sample = |i: u32| {
        let scatter = f64::from((i * 7) % 11) - 5.0;
        let sample = 1_000.0 - missing + scatter * 10.0;
        missing *= keep;
        sample
    };
    (0..count).map(sample).collect()
}

#[test]
fn cuts_are_those_of_numpy() {
    for (count, keep, samples) in [
        (62, 0.75, 15),
        (62, 0.8, 20),
        (62, 0.9, 25),
        (120, 0.75, 15),
        (120, 0.8, 45),
        (120, 0.9, 45),
        (300, 0.9, 45),
        (300, 0.95, 100),
    ] {
        assert_eq!(
            warmup(&warming(count, keep)),
            ends_after(samples),
            "{count} {keep}"
        );
    }
}

#[test]
fn a_slow_beginning_is_cut_at_the_batch_that_holds_its_end() {
    let mut samples = vec![10.0; 7];
    samples.extend(vec![100.0; 43]);
    assert_eq!(warmup(&samples), ends_after(10));
}

#[test]
fn what_warms_up_to_the_end_has_no_steady_state() {
    for (count, keep) in [(30, 0.75), (62, 0.95), (120, 0.95), (121, 0.99)] {
        assert_eq!(
            warmup(&warming(count, keep)),
            Warmup::NoSteadyState,
            "{count} {keep}"
        );
    }
    let ramp: Vec<f64> = (0..100).map(f64::from).collect();
    assert_eq!(warmup(&ramp), Warmup::NoSteadyState);
}

#[test]
fn a_series_that_does_not_vary_is_steady_from_its_beginning() {
    for count in [25, 29, 30, 1_000] {
        assert_eq!(warmup(&vec![0.1; count]), ends_after(0), "{count}");
    }
}

#[test]
fn less_than_25_samples_are_too_short() {
    assert_eq!(warmup(&[]), Warmup::TooShort);
    assert_eq!(warmup(&[1.0; 24]), Warmup::TooShort);
    assert_eq!(warmup(&[f64::NAN; 24]), Warmup::TooShort);
}

#[test]
fn a_sample_that_is_not_finite_is_no_steady_state() {
    let mut samples = vec![1.0; 52];
    samples[51] = f64::NEG_INFINITY;
    assert_eq!(warmup(&samples), Warmup::NoSteadyState);
    assert_eq!(warmup(&[f64::NAN; 25]), Warmup::NoSteadyState);
}

proptest! {
    #[test]
    fn the_cut_is_a_multiple_of_5_below_half(
        samples in prop::collection::vec(prop::num::f64::ANY, 0..120),
    ) {
        if let Warmup::EndsAfter { samples: cut } = warmup(&samples) {
            prop_assert_eq!(cut % 5, 0);
            prop_assert!(cut * 2 < samples.len());
        }
    }

    #[test]
    fn the_unit_does_not_matter(samples in prop::collection::vec(0.0..1e4, 25..120)) {
        // A power of 2 moves no rounding.
        let other: Vec<f64> = samples.iter().map(|x| x * 1_024.0).collect();
        prop_assert_eq!(warmup(&samples), warmup(&other));
    }

    #[test]
    fn a_wild_beginning_is_never_kept(samples in prop::collection::vec(0.0..1e3, 25..120)) {
        let mut with_beginning = vec![1e6; 5];
        with_beginning.extend(samples);
        prop_assert_ne!(warmup(&with_beginning), ends_after(0));
    }
}
