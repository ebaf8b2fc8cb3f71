//! Whether a series of one-second samples moves from its first half to its second.
//!
//! Owns the rule for the flag: a difference that is both large and not by chance. A cache that
//! fills and a disk whose credits end look like this.

use crate::autocorrelation::standard_error;
use crate::deviations::Deviations;

/// Halves of less than ten samples are not judged.
const MIN_HALF: usize = 10;

/// The least change that is called a drift, as a share of the mean.
const MIN_CHANGE: f64 = 0.02;

/// The least |z| that is called a drift.
const MIN_Z: f64 = 3.0;

/// The first half of a series against the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The mean of the first half, in units of the samples.
    pub first_mean: f64,
    /// The mean of the second half, in units of the samples.
    pub second_mean: f64,
    /// The second mean less the first, as a share of the mean of the two: -2 to 2.
    pub change: f64,
    /// The difference in units of its standard error; `None` if neither half scatters, so that any
    /// difference is one.
    pub z: Option<f64>,
}

impl Drift {
    /// True if the halves differ by more than 2 % with |z| > 3.
    pub fn is_drift(&self) -> bool {
        self.change.abs() > MIN_CHANGE && self.z.is_none_or(|z| z.abs() > MIN_Z)
    }
}

/// Compares the halves of a series of evenly spaced samples, none of which is negative (a rate or
/// a latency, not its logarithm). A sample in the middle belongs to neither half. `None` for less
/// than 20 samples, where one is negative or not finite, or where all are 0.
///
/// `z = (m2 - m1) / sqrt(SE1^2 + SE2^2)`. The standard errors are those of the mean interval, with
/// effective samples, but of the residuals from the line of least squares of each half (n - 2
/// degrees of freedom): scatter around the plain mean would take the drift itself for
/// autocorrelation, and a clean ramp for noise.
pub fn drift(samples: &[f64]) -> Option<Drift> {
    let half = samples.len() / 2;
    if half < MIN_HALF || samples.iter().any(|&x| x < 0.0) {
        return None;
    }
    let first = Deviations::from_line(&samples[..half])?;
    let second = Deviations::from_line(&samples[samples.len() - half..])?;
    let mean = f64::midpoint(first.mean, second.mean);
    let difference = second.mean - first.mean;
    if mean <= 0.0 || !difference.is_finite() {
        return None;
    }
    let error = error_of(&first)?.hypot(error_of(&second)?);
    let z = difference / error;
    Some(Drift {
        first_mean: first.mean,
        second_mean: second.mean,
        change: difference / mean,
        z: z.is_finite().then_some(z),
    })
}

/// The standard error of a half: 0 where it does not scatter.
fn error_of(half: &Deviations) -> Option<f64> {
    if half.squares() == 0.0 {
        return Some(0.0);
    }
    standard_error(half).map(|error| error.value)
}

#[cfg(test)]
mod tests;
