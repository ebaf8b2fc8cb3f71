//! Tests of `theil_sen`.

use proptest::prelude::*;

use super::theil_sen_slope;

fn line(count: u32, slope: f64) -> Vec<f64> {
    (0..count).map(|i| 5.0 + slope * f64::from(i)).collect()
}

/// Whole numbers, so that sums and differences are exact.
fn series() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-1_000_000_i32..1_000_000).prop_map(f64::from), 2..60)
}

#[test]
fn the_slope_is_that_of_scipy() {
    // scipy 1.17.1: stats.theilslopes
    let samples = [7.1, 6.8, 9.4, 3.2, 5.5, 8.8, 7.7, 4.1, 6.0, 10.2, 2.9, 6.6];
    let slope = theil_sen_slope(&samples).unwrap();
    assert!((slope - -0.125_892_857_142_857_1).abs() < 1e-15, "{slope}");
}

#[test]
fn the_median_of_three_slopes_is_the_middle_one() {
    // The slopes are 1, 6 and 3.5.
    assert_eq!(theil_sen_slope(&[0.0, 1.0, 7.0]), Some(3.5));
}

#[test]
fn a_fifth_of_wild_samples_does_not_move_the_slope_of_a_line() {
    let mut samples = line(100, 2.0);
    for wild in samples.iter_mut().step_by(5) {
        *wild = 1e9;
    }
    assert_eq!(theil_sen_slope(&samples), Some(2.0));
}

#[test]
fn a_backlog_that_jumps_once_does_not_grow() {
    let mut samples = vec![3.0; 40];
    samples.extend(vec![900.0; 10]);
    assert_eq!(theil_sen_slope(&samples), Some(0.0));
}

#[test]
fn long_series_are_thinned_and_keep_their_slope() {
    for count in [3_001, 7_000] {
        assert_eq!(theil_sen_slope(&line(count, 0.5)), Some(0.5), "{count}");
    }
}

#[test]
fn one_sample_or_one_that_is_not_finite_has_no_slope() {
    assert_eq!(theil_sen_slope(&[]), None);
    assert_eq!(theil_sen_slope(&[1.0]), None);
    assert_eq!(theil_sen_slope(&[1.0, f64::NAN, 2.0]), None);
    assert_eq!(theil_sen_slope(&[1.0, f64::INFINITY]), None);
    assert_eq!(theil_sen_slope(&[f64::MAX, f64::MIN]), None);
    let mut thinned_out = line(6_000, 1.0);
    thinned_out[1] = f64::NAN;
    assert_eq!(theil_sen_slope(&thinned_out), None);
}

proptest! {
    #[test]
    fn adding_a_constant_changes_nothing(samples in series(), constant in -1_000_i32..1_000) {
        let moved: Vec<f64> = samples.iter().map(|x| x + f64::from(constant)).collect();
        prop_assert_eq!(theil_sen_slope(&moved), theil_sen_slope(&samples));
    }

    #[test]
    fn the_slope_backwards_is_its_negative(mut samples in series()) {
        let forwards = theil_sen_slope(&samples).unwrap();
        samples.reverse();
        prop_assert_eq!(theil_sen_slope(&samples), Some(-forwards));
    }

    #[test]
    fn the_slope_lies_between_the_least_and_the_greatest_step(samples in series()) {
        let steps: Vec<f64> = samples.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let slope = theil_sen_slope(&samples).unwrap();
        let least = steps.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = steps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        prop_assert!(least <= slope && slope <= greatest, "{least} {slope} {greatest}");
    }
}
