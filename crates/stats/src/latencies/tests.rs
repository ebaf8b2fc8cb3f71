//! Tests of `latencies`.

use proptest::prelude::*;

use super::{LATENCY_MAX_NS, Latencies, quantile_is_supported};

const HOUR_NS: u64 = 3_600_000_000_000;

fn of(latencies_ns: &[u64]) -> Latencies {
    let mut latencies = Latencies::new();
    for &latency_ns in latencies_ns {
        latencies.record(latency_ns);
    }
    latencies
}

/// Latencies of all magnitudes.
fn samples(size: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u64>> {
    let of_magnitude = (0_u32..41).prop_flat_map(|bits| 0..2_u64 << bits);
    prop::collection::vec(of_magnitude, size)
}

#[test]
fn an_empty_histogram_has_no_values() {
    let mut latencies: Latencies = Latencies::new();
    for _ in 0..2 {
        assert!(latencies.is_empty());
        assert_eq!(latencies.count(), 0);
        assert_eq!(latencies.min_ns(), None);
        assert_eq!(latencies.max_ns(), None);
        assert_eq!(latencies.mean_ns(), None);
        assert_eq!(latencies.stddev_ns(), None);
        assert_eq!(latencies.quantile_ns(0.5), None);
        assert_eq!(latencies.saturated(), 0);
        latencies.record(2 * HOUR_NS);
        latencies.reset();
    }
}

#[test]
fn nothing_is_faster_than_a_nanosecond() {
    let latencies = of(&[0, 1]);
    assert_eq!(latencies.count(), 2);
    assert_eq!((latencies.min_ns(), latencies.max_ns()), (Some(1), Some(1)));
    assert_eq!(latencies.quantile_ns(0.0), Some(1));
    assert_eq!(latencies.saturated(), 0);
}

#[test]
fn what_is_too_long_is_clamped_and_counted() {
    let latencies = of(&[LATENCY_MAX_NS, LATENCY_MAX_NS + 1, 2 * HOUR_NS, u64::MAX]);
    assert_eq!(latencies.count(), 4);
    assert_eq!(latencies.saturated(), 3);
    assert_eq!(latencies.max_ns(), Some(LATENCY_MAX_NS));
    assert_eq!(latencies.quantile_ns(0.5), Some(LATENCY_MAX_NS));
    assert_eq!(latencies.mean_ns(), Some(600e9));
}

#[test]
fn percentiles_are_within_a_thousandth_at_any_magnitude() {
    for latency_ns in [80_000, 80_031, 1_234_567, 15_000_000_000, 15_000_123_456] {
        // With one below and one above, the percentile comes from the buckets.
        let latencies = of(&[1, latency_ns, LATENCY_MAX_NS]);
        let median_ns = latencies.quantile_ns(0.5).unwrap();
        assert!(median_ns.abs_diff(latency_ns) as f64 <= latency_ns as f64 / 1_000.0);
    }
}

#[test]
fn extremes_are_exact_and_bound_the_rest() {
    let latencies = of(&[15_000_123_457, 80_031]);
    assert_eq!(latencies.min_ns(), Some(80_031));
    assert_eq!(latencies.max_ns(), Some(15_000_123_457));
    assert_eq!(latencies.quantile_ns(1.0), Some(15_000_123_457));
    let one = of(&[80_031]);
    assert_eq!(one.quantile_ns(0.5), Some(80_031));
    assert_eq!(one.mean_ns(), Some(80_031.0));
    assert_eq!(one.stddev_ns(), Some(0.0));
}

#[test]
fn mean_and_deviation_are_those_of_the_population() {
    // 2, 4, 4, 4, 5, 5, 7, 9 has mean 5 and population deviation 2, exact in the finest buckets.
    let latencies = of(&[2, 4, 4, 4, 5, 5, 7, 9]);
    assert_eq!(latencies.mean_ns(), Some(5.0));
    assert_eq!(latencies.stddev_ns(), Some(2.0));
}

#[test]
fn a_percentile_needs_ten_samples_beyond_it() {
    for (q, enough) in [
        (0.5, 20),
        (0.9, 100),
        (0.99, 1_000),
        (0.999, 10_000),
        (0.9999, 100_000),
    ] {
        assert!(quantile_is_supported(enough, q), "{q}");
        assert!(!quantile_is_supported(enough - 1, q), "{q}");
    }
    assert!(!quantile_is_supported(u64::MAX, 1.0));
    assert!(!quantile_is_supported(0, 0.5));
}

proptest! {
    #[test]
    fn merged_percentiles_are_those_of_the_union(
        one in samples(0..200),
        other in samples(0..200),
    ) {
        let mut merged = of(&one);
        // The recorders of engine threads have counters of 32 bits.
        let mut narrow = Latencies::<u32>::new();
        for &latency_ns in &other {
            narrow.record(latency_ns);
        }
        merged.add(&narrow);
        let union = of(&[one, other].concat());
        prop_assert_eq!(merged.histogram(), union.histogram());
        for q in [0.0, 0.5, 0.9, 0.99, 0.999, 1.0] {
            prop_assert_eq!(merged.quantile_ns(q), union.quantile_ns(q));
        }
        prop_assert_eq!(merged.min_ns(), union.min_ns());
        prop_assert_eq!(merged.max_ns(), union.max_ns());
        prop_assert_eq!(merged.saturated(), union.saturated());
        prop_assert_eq!(merged.count(), union.count());
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_samples(samples in samples(1..300), q in 0.0..=1.0_f64) {
        let latencies = of(&samples);
        let mut sorted: Vec<u64> =
            samples.iter().map(|&it| it.clamp(1, LATENCY_MAX_NS)).collect();
        sorted.sort_unstable();
        let value = latencies.quantile_ns(q).unwrap();
        // The sample of that rank, give or take one where q times the count is rounded.
        let rank = q * sorted.len() as f64;
        let is_of_rank = |(at, &exact): (usize, &u64)| {
            (at as f64 + 1.0 - rank).abs() <= 1.001
                && value.abs_diff(exact) as f64 <= exact as f64 / 1_000.0
        };
        prop_assert!(sorted.iter().enumerate().any(is_of_rank), "{} is not rank {}", value, rank);
        prop_assert!((sorted[0]..=sorted[sorted.len() - 1]).contains(&value));
        let mean = latencies.mean_ns().unwrap();
        prop_assert!((sorted[0] as f64..=sorted[sorted.len() - 1] as f64).contains(&mean));
    }

    #[test]
    fn a_reset_histogram_is_a_new_one(before in samples(0..100), after in samples(0..100)) {
        let mut latencies = of(&before);
        latencies.reset();
        for &latency_ns in &after {
            latencies.record(latency_ns);
        }
        let new = of(&after);
        prop_assert_eq!(latencies.histogram(), new.histogram());
        prop_assert_eq!(latencies.min_ns(), new.min_ns());
        prop_assert_eq!(latencies.max_ns(), new.max_ns());
        prop_assert_eq!(latencies.saturated(), new.saturated());
    }
}

#[test]
fn latencies_above_one_are_counted_by_bucket() {
    let latencies = of(&[1, 2, 2, 3, 1_000_000, 2 * HOUR_NS]);
    for (latency_ns, above) in [
        (0, 6),
        (1, 5),
        (2, 3),
        (3, 2),
        (999_999, 1),
        (2_000_000, 1),
        (LATENCY_MAX_NS, 0),
        (u64::MAX, 0),
    ] {
        assert_eq!(latencies.count_above(latency_ns), above, "{latency_ns}");
    }
    assert_eq!(of(&[]).count_above(1), 0);
}
