//! Whether gaps between arrivals are exponential, as those of a Poisson process are.
//!
//! Owns the Anderson-Darling test with an estimated mean. Only gaps of a constant rate can be
//! exponential: those of a ramp are not, however well it is kept.

/// With fewer gaps the critical value does not hold.
const MIN_GAPS: usize = 5;

/// The test of gaps against the exponential distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExponentialFit {
    /// The gaps that were tested.
    pub gaps: usize,
    /// Their mean in nanoseconds.
    pub mean_ns: f64,
    /// The Anderson-Darling statistic, corrected for the number of gaps; 0 and up.
    pub statistic: f64,
}

impl ExponentialFit {
    /// Exponential gaps exceed this statistic once in 400 times: the upper 0.25 % point of table 4.14
    /// in D'Agostino and Stephens, "Goodness-of-fit techniques" (1986), for an unknown mean.
    pub const CRITICAL: f64 = 2.534;

    /// True if the gaps are exponential as far as the test can tell, but for one false alarm in 400.
    /// Of many thousands of gaps it tells even those of a good clock, whose steps no user would
    /// notice.
    pub fn is_exponential(&self) -> bool {
        self.statistic <= Self::CRITICAL
    }
}

/// Tests gaps in nanoseconds against the exponential distribution with their mean. A gap of 0
/// counts as 1 ns. `None` for less than 5 gaps.
///
/// `A^2 = -n - 1/n sum_i (2i - 1) (ln F(x_i) + ln(1 - F(x_{n+1-i})))` of the ordered gaps with
/// `F(x) = 1 - exp(-x / mean)` (Anderson and Darling, JASA 49, 1954), and the statistic is
/// `A^2 (1 + 0.6 / n)` (D'Agostino and Stephens 1986, section 4.9).
pub fn exponential_fit(gaps_ns: &[u64]) -> Option<ExponentialFit> {
    if gaps_ns.len() < MIN_GAPS {
        return None;
    }
    let mut ordered: Vec<u64> = gaps_ns.iter().map(|&gap_ns| gap_ns.max(1)).collect();
    ordered.sort_unstable();
    let count = ordered.len() as f64;
    let mean_ns = ordered.iter().map(|&gap_ns| gap_ns as f64).sum::<f64>() / count;
    let sum: f64 = ordered
        .iter()
        .zip(ordered.iter().rev())
        .enumerate()
        .map(|(index, (&from_least, &from_greatest))| {
            let log_below = (-(-(from_least as f64) / mean_ns).exp_m1()).ln();
            let log_above = -(from_greatest as f64) / mean_ns;
            (2 * index + 1) as f64 * (log_below + log_above)
        })
        .sum();
    let squared_distance = -count - sum / count;
    Some(ExponentialFit {
        gaps: ordered.len(),
        mean_ns,
        statistic: squared_distance * (1.0 + 0.6 / count),
    })
}

#[cfg(test)]
mod tests;
