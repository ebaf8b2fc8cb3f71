//! Tests of `exponential_fit`.

use proptest::prelude::*;

use super::{ExponentialFit, exponential_fit};
use crate::simulated::Simulated;

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-11 * one.abs().max(other.abs())
}

/// Exponential gaps with a mean of 1 ms.
fn poisson(simulated: &mut Simulated, count: usize) -> Vec<u64> {
    std::iter::repeat_with(|| simulated.exponential_ns(1e6))
        .take(count)
        .collect()
}

#[test]
fn the_statistic_is_that_of_scipy() {
    // scipy 1.17.1: stats.anderson(gaps, "expon"), times 1 + 0.6 / 20
    let gaps = [
        812, 95, 1530, 2210, 341, 77, 1204, 640, 3980, 150, 505, 932, 2704, 18, 1111, 423, 760,
        1893, 264, 588,
    ];
    let fit = exponential_fit(&gaps).unwrap();
    assert!(close(fit.statistic, 0.094_580_412_254_479_18), "{fit:?}");
    assert!(close(fit.mean_ns, 1_011.85), "{fit:?}");
    assert_eq!(fit.gaps, 20);
    assert!(fit.is_exponential());
}

#[test]
fn nearly_even_gaps_are_not_exponential() {
    let gaps: Vec<u64> = (0..50).map(|i| 1_000 + (i * 37) % 21).collect();
    let fit = exponential_fit(&gaps).unwrap();
    assert!(close(fit.statistic, 22.933_040_803_806_247), "{fit:?}");
    assert!(!fit.is_exponential());
}

#[test]
fn exponential_gaps_are_refused_about_once_in_400_times() {
    let mut simulated = Simulated::seeded(9);
    for count in [20, 200] {
        let refused = (0..10_000).filter(|_| {
            !exponential_fit(&poisson(&mut simulated, count))
                .unwrap()
                .is_exponential()
        });
        let refused = refused.count();
        assert!((10..45).contains(&refused), "{refused} of {count} gaps");
    }
}

#[test]
fn bursts_of_a_coarse_timer_are_not_exponential() {
    // Arrivals of 10,000/s that a timer with steps of 1 ms sends.
    let mut simulated = Simulated::seeded(4);
    let mut time_ns = 0_u64;
    let sent: Vec<u64> = (0..2_000)
        .map(|_| {
            time_ns += simulated.exponential_ns(1e5);
            time_ns.next_multiple_of(1_000_000)
        })
        .collect();
    let gaps: Vec<u64> = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(!exponential_fit(&gaps).unwrap().is_exponential());
}

#[test]
fn less_than_5_gaps_are_not_tested() {
    assert_eq!(exponential_fit(&[]), None);
    assert_eq!(exponential_fit(&[1, 2, 3, 4]), None);
    assert!(exponential_fit(&[1, 2, 3, 4, 5]).is_some());
}

#[test]
fn gaps_of_nothing_and_of_centuries_have_a_finite_statistic() {
    for gaps in [
        vec![0; 10],
        vec![u64::MAX; 10],
        vec![0, 0, 0, 0, 0, u64::MAX],
    ] {
        let fit = exponential_fit(&gaps).unwrap();
        assert!(fit.statistic.is_finite(), "{fit:?}");
        assert!(fit.statistic > ExponentialFit::CRITICAL, "{fit:?}");
    }
}

proptest! {
    #[test]
    fn order_does_not_matter(mut gaps in prop::collection::vec(any::<u64>(), 5..50)) {
        let one = exponential_fit(&gaps).unwrap().statistic;
        gaps.reverse();
        let other = exponential_fit(&gaps).unwrap().statistic;
        prop_assert!((one - other).abs() <= 1e-9 * one, "{one} {other}");
    }

    #[test]
    fn the_unit_does_not_matter(gaps in prop::collection::vec(1_u64..1_000_000, 5..50)) {
        let in_other_unit: Vec<u64> = gaps.iter().map(|gap| gap * 1_024).collect();
        let one = exponential_fit(&gaps).unwrap().statistic;
        let other = exponential_fit(&in_other_unit).unwrap().statistic;
        prop_assert!((one - other).abs() <= 1e-12 * one, "{one} {other}");
    }

    #[test]
    fn the_statistic_is_positive_and_finite(
        gaps in prop::collection::vec(0_u64..1_000_000_000, 5..100),
    ) {
        let fit = exponential_fit(&gaps).unwrap();
        prop_assert!(fit.statistic > 0.0 && fit.statistic.is_finite(), "{fit:?}");
    }
}
