//! The confidence interval of a quantile of the latencies of one run.
//!
//! Owns the ranks, and how neighbours that are alike widen them. Like the interval of a mean, it
//! says how precise the quantile is inside this run, and never compares two runs.

use hdrhistogram::Counter;

use crate::latencies::{LATENCY_MAX_NS, Latencies};

/// The 97.5 % point of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// What may be missed at either bound.
const TAIL: f64 = 0.025;

/// Operations of one second, and how many of them took longer than the quantile of the whole run
/// (counted by [`Latencies::count_above`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecondAgainstQuantile {
    /// Latencies in this second.
    pub count: u64,
    /// Those above the quantile.
    pub above: u64,
}

/// A two-sided 95 % confidence interval of a quantile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantileInterval {
    /// The lower bound, in nanoseconds: the lower edge of its bucket.
    pub low_ns: u64,
    /// The upper bound, in nanoseconds: the upper edge of its bucket.
    pub high_ns: u64,
}

/// How many independent operations a two-sided 95 % interval of quantile `q` needs: with fewer, one
/// bound lies beyond all of them. `None` unless 0 < q < 1. Operations that are alike need
/// [`design_effect`] times as many.
///
/// The least n with `q^n <= 0.025` and `(1 - q)^n <= 0.025`: 6 for the median, 36, 368, 3,688 and
/// 36,887 for 0.9, 0.99, 0.999 and 0.9999 (David and Nagaraja, "Order statistics", section 7.1).
pub fn quantile_interval_min_count(q: f64) -> Option<u64> {
    if !(q > 0.0 && q < 1.0) {
        return None;
    }
    let least = (TAIL.ln() / q.max(1.0 - q).ln()).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and a cast saturates"
    )]
    Some(least as u64)
}

/// How many times wider than that of independent operations the variance of a share of operations
/// is, since those of one second are alike; 1 if they are not, and never less.
///
/// `phi = max(1, sum_s (e_s - p n_s)^2 / (p (1 - p) sum_s n_s))`, where of `n_s` operations in second
/// `s` `e_s` are above the quantile (the ratio estimate of a share from clusters against that of a
/// simple sample: Cochran, "Sampling techniques", section 3.12; Kish's design effect). `p` is the
/// share of all that is above, `sum e_s / sum n_s`: that is 1 - q, except where many latencies share
/// the bucket of the quantile, and there 1 - q would take the width of the bucket for likeness. A
/// handful of seconds says little, and a single one nothing.
pub fn design_effect(seconds: &[SecondAgainstQuantile]) -> f64 {
    let count: f64 = seconds.iter().map(|second| second.count as f64).sum();
    let above: f64 = seconds.iter().map(|second| second.above as f64).sum();
    let share = above / count;
    let independent = share * (1.0 - share) * count;
    let squares: f64 = seconds
        .iter()
        .map(|second| (second.above as f64 - share * second.count as f64).powi(2))
        .sum();
    // Nothing, or nothing above: the quotient is not a number, and `max` takes the 1.
    (squares / independent).max(1.0)
}

/// The two-sided 95 % confidence interval of quantile `q` of latencies, which must hold the
/// operations of all `seconds`. `None` where a bound does not exist: with less than
/// [`quantile_interval_min_count`] operations times their [`design_effect`], where the upper bound
/// lies among latencies that were cut off at 600 s, or unless 0 < q < 1.
///
/// The bounds are the latencies of ranks `n q ± z sqrt(phi n q (1 - q))`, rounded outwards and kept
/// in 1 to n (order statistics with the normal approximation of the binomial distribution: David
/// and Nagaraja, section 7.1). By the binomial distribution itself, an interval of independent
/// operations misses the quantile at most 5.3 times in 100, at q from 0.5 to 0.9999 and from the
/// least number of operations to a thousand times it.
pub fn quantile_interval<C: Counter>(
    latencies: &Latencies<C>,
    q: f64,
    seconds: &[SecondAgainstQuantile],
) -> Option<QuantileInterval> {
    let min_count = quantile_interval_min_count(q)? as f64;
    let count = latencies.count() as f64;
    let phi = design_effect(seconds);
    if count < min_count * phi {
        return None;
    }
    let half = Z * (phi * count * q * (1.0 - q)).sqrt();
    let low_rank = (count * q - half).floor().max(1.0);
    let high_rank = (count * q + half).ceil().min(count);
    if high_rank > count - latencies.saturated() as f64 {
        return None;
    }
    // The middle of a rank: the product with the count then never rounds to the next one.
    let value = |rank: f64| latencies.quantile_ns((rank - 0.5) / count);
    let lower_edge = latencies.histogram().lowest_equivalent(value(low_rank)?);
    Some(QuantileInterval {
        low_ns: lower_edge.max(latencies.min_ns()?),
        high_ns: value(high_rank)?.min(LATENCY_MAX_NS),
    })
}

#[cfg(test)]
mod tests;
