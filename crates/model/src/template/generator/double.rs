//! `$double`: a floating point number between two bounds.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use crate::template::distribution::Distribution;

/// The most decimals: beyond them a floating point number holds no other digits.
const MOST_DECIMALS: u8 = 12;

/// The largest number of steps between `min` and `max`: 2^53.
const MOST_STEPS: f64 = 9_007_199_254_740_992.0;

/// A floating point number between `min` and `max`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Double {
    /// The smallest value.
    #[serde(default)]
    pub min: f64,
    /// The largest value.
    #[serde(default = "one")]
    pub max: f64,
    /// Digits behind the point; by default as many as there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
    /// How it is drawn; `zipfian` is one of whole numbers.
    #[serde(default)]
    pub distribution: Distribution,
}

fn one() -> f64 {
    1.0
}

impl Arguments for Double {
    fn fault(&self) -> Option<String> {
        bounds_fault(self.min, self.max)
            .or_else(|| {
                let decimals = self.decimals?;
                decimals_fault(decimals, MOST_DECIMALS, self.min, self.max)
            })
            .or_else(|| distribution_fault(&self.distribution, self.min, self.max))
    }

    fn largest_bytes(&self) -> u64 {
        8
    }

    fn values(&self) -> f64 {
        match (self.distribution, self.decimals) {
            (Distribution::Uniform, None) => MOST_STEPS,
            (Distribution::Uniform, Some(decimals)) => {
                (self.max - self.min) * 10.0_f64.powi(decimals.into()) + 1.0
            }
            _ => 1.0,
        }
    }
}

/// What is wrong with the bounds of a number.
pub(super) fn bounds_fault(min: f64, max: f64) -> Option<String> {
    if !min.is_finite() || !max.is_finite() {
        return Some("`min` and `max` must be numbers".to_owned());
    }
    (min > max).then(|| format!("`min` ({min}) must not be above `max` ({max})"))
}

/// What is wrong with a number of decimals.
pub(super) fn decimals_fault(decimals: u8, most: u8, min: f64, max: f64) -> Option<String> {
    if decimals > most {
        return Some(format!("`decimals` must be at most {most}, not {decimals}"));
    }
    let widest = min.abs().max(max.abs()).max(max - min) * 10.0_f64.powi(decimals.into());
    (widest >= MOST_STEPS).then(|| {
        "`decimals` gives more values than a number holds (2^53): write fewer, or move `min` and \
         `max` together"
            .to_owned()
    })
}

/// What is wrong with a distribution between two bounds that are no whole numbers.
pub(super) fn distribution_fault(law: &Distribution, min: f64, max: f64) -> Option<String> {
    match *law {
        Distribution::Zipfian { .. } => Some(
            "`distribution: zipfian` is one of whole numbers: use `$int`, or `exponential` here"
                .to_owned(),
        ),
        Distribution::Normal {
            mean: Some(mean), ..
        } if !(min..=max).contains(&mean) => Some(format!(
            "`mean` must lie between `min` ({min}) and `max` ({max}), not at {mean}"
        )),
        Distribution::Normal {
            stddev: Some(stddev),
            ..
        } if !(stddev > 0.0 && stddev <= max - min) => Some(format!(
            "`stddev` must be above 0 and at most `max` - `min` ({}), not {stddev}",
            max - min
        )),
        Distribution::Exponential { mean: Some(mean) } if !(mean > 0.0 && mean.is_finite()) => {
            Some(format!("`mean` must be above 0, not {mean}"))
        }
        Distribution::Uniform | Distribution::Normal { .. } | Distribution::Exponential { .. } => {
            None
        }
    }
}
