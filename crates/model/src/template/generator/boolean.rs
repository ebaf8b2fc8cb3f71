//! `$bool`: true or false.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;

/// True with a probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boolean {
    /// That of true, 0 to 1.
    #[serde(default = "half")]
    pub probability: f64,
}

fn half() -> f64 {
    0.5
}

impl Arguments for Boolean {
    fn fault(&self) -> Option<String> {
        let probability = self.probability;
        (!(0.0..=1.0).contains(&probability)).then(|| {
            format!("`probability` must be from 0 (never true) to 1 (always), not {probability}")
        })
    }

    fn largest_bytes(&self) -> u64 {
        1
    }

    fn values(&self) -> f64 {
        1.0
    }
}
