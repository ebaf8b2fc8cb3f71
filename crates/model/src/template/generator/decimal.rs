//! `$decimal`: a decimal number of 128 bits, such as a price.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::double::{bounds_fault, decimals_fault, distribution_fault};
use crate::template::distribution::Distribution;

/// The most digits behind the point.
const MOST_DECIMALS: u8 = 15;

/// A decimal number between `min` and `max`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decimal {
    /// The smallest value.
    #[serde(default)]
    pub min: f64,
    /// The largest value.
    #[serde(default = "hundred")]
    pub max: f64,
    /// Digits behind the point.
    #[serde(default = "two")]
    pub decimals: u8,
    /// How it is drawn; `zipfian` is one of whole numbers.
    #[serde(default)]
    pub distribution: Distribution,
}

fn hundred() -> f64 {
    100.0
}

fn two() -> u8 {
    2
}

impl Arguments for Decimal {
    fn fault(&self) -> Option<String> {
        bounds_fault(self.min, self.max)
            .or_else(|| decimals_fault(self.decimals, MOST_DECIMALS, self.min, self.max))
            .or_else(|| distribution_fault(&self.distribution, self.min, self.max))
    }

    fn largest_bytes(&self) -> u64 {
        16
    }

    fn values(&self) -> f64 {
        match self.distribution {
            Distribution::Uniform => {
                (self.max - self.min) * 10.0_f64.powi(self.decimals.into()) + 1.0
            }
            _ => 1.0,
        }
    }
}
