//! The confidence interval of the mean of one-second samples of one run.
//!
//! It says how precise the mean is *inside this run*. Runs differ by more than that, so it is never
//! a ground to compare two of them.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::autocorrelation::standard_error;
use crate::deviations::Deviations;

/// Fewer independent samples have no interval: Student's t with less than one degree of freedom
/// gives bounds that say nothing.
const MIN_EFFECTIVE_SAMPLES: f64 = 2.0;

/// A mean with its two-sided 95 % confidence interval, in units of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// The arithmetic mean.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
    /// How many independent samples the series is worth.
    pub effective_samples: f64,
}

/// The mean of a series of neighbouring samples, with its 95 % confidence interval. `None` for less
/// than 3 samples, where they do not vary, where one is not finite, or where the series is worth
/// less than 2 independent samples.
///
/// `mean ± t(0.975; n_eff - 1) s / sqrt(n_eff)`, where `s` is the sample standard deviation and
/// `n_eff` is [`effective_samples`](crate::effective_samples) (Zwiers and von Storch, "Taking serial
/// correlation into account in tests of the mean", J. Climate 8, 1995).
pub fn mean_interval(samples: &[f64]) -> Option<MeanInterval> {
    let deviations = Deviations::from_mean(samples)?;
    let error = standard_error(&deviations)?;
    if error.effective_samples < MIN_EFFECTIVE_SAMPLES {
        return None;
    }
    let t = StudentsT::new(0.0, 1.0, error.effective_samples - 1.0)
        .ok()?
        .inverse_cdf(0.975);
    let half = t * error.value;
    half.is_finite().then_some(MeanInterval {
        mean: deviations.mean,
        low: deviations.mean - half,
        high: deviations.mean + half,
        standard_error: error.value,
        effective_samples: error.effective_samples,
    })
}

#[cfg(test)]
mod tests;
