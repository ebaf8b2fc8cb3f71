//! How much neighbouring samples of a series are alike, and what the series is worth therefore.
//!
//! Owns the lag-1 autocorrelation, the number of effective samples, and the standard error that
//! follows. The model is a first-order autoregressive process, AR(1); longer memory, such as a
//! checkpoint each minute, is not modelled.

use crate::deviations::Deviations;

/// Series that are shorter say nothing about neighbours.
const MIN_SAMPLES: usize = 3;

/// The largest autocorrelation that is believed: beyond it the error has no bound.
const MAX_AUTOCORRELATION: f64 = 0.98;

/// The lag-1 autocorrelation of a series, -1 to 1; `None` for less than 3 samples, where they do
/// not vary, or where one is not finite.
///
/// `r = sum (x_i - m)(x_{i+1} - m) / sum (x_i - m)^2` (Box, Jenkins and Reinsel, "Time series
/// analysis", section 2.1).
pub fn lag1_autocorrelation(samples: &[f64]) -> Option<f64> {
    lag1(&Deviations::from_mean(samples)?)
}

/// How many independent samples estimate the mean as well as this series does, at most its length;
/// `None` as for [`lag1_autocorrelation`].
///
/// `n_eff = n (1 - r') / (1 + r')` with `r' = clip(r + (1 + 4 r) / n, 0, 0.98)`. The first is the
/// variance of the mean of an AR(1) process; the second takes off the bias of `r`, which is about
/// `-(1 + 4 r) / n` (Marriott and Pope, Biometrika 41, 1954). Samples that alternate count as
/// independent, which errs to the safe side.
pub fn effective_samples(samples: &[f64]) -> Option<f64> {
    effective(&Deviations::from_mean(samples)?)
}

/// A standard error, and the number of independent samples that it stands on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandardError {
    pub(crate) value: f64,
    pub(crate) effective_samples: f64,
}

/// The standard error of the mean of a series: `s / sqrt(n_eff)`, where `s` is the root of the sum
/// of squares over `n` less the parameters fitted. `None` as for [`lag1_autocorrelation`].
pub(crate) fn standard_error(deviations: &Deviations) -> Option<StandardError> {
    let effective_samples = effective(deviations)?;
    let freedom = deviations.values.len() as f64 - f64::from(deviations.fitted);
    let value = (deviations.squares() / freedom / effective_samples).sqrt();
    value.is_finite().then_some(StandardError {
        value,
        effective_samples,
    })
}

fn effective(deviations: &Deviations) -> Option<f64> {
    let r = lag1(deviations)?;
    let n = deviations.values.len() as f64;
    let unbiased = (r + (1.0 + 4.0 * r) / n).clamp(0.0, MAX_AUTOCORRELATION);
    Some(n * (1.0 - unbiased) / (1.0 + unbiased))
}

fn lag1(deviations: &Deviations) -> Option<f64> {
    let squares = deviations.squares();
    let is_judged = deviations.values.len() >= MIN_SAMPLES && squares > 0.0 && squares.is_finite();
    // Rounding may lead a hair beyond 1.
    is_judged.then(|| (deviations.neighbours() / squares).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests;
