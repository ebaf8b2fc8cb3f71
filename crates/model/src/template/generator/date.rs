//! `$date`: a time between two others.

use bson::DateTime;
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use crate::template::distribution::Distribution;

/// A time between `min` and `max`, to the millisecond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Date {
    /// The earliest, as `2026-01-31` or `2026-01-31T12:00:00Z`.
    #[serde(default = "earliest")]
    pub min: String,
    /// The latest.
    #[serde(default = "latest")]
    pub max: String,
    /// How it is drawn; its `mean` and `stddev` are milliseconds.
    #[serde(default)]
    pub distribution: Distribution,
}

fn earliest() -> String {
    "2020-01-01".to_owned()
}

fn latest() -> String {
    "2025-12-31".to_owned()
}

impl Date {
    /// The bounds in milliseconds since 1970, UTC; `None` where one cannot be read.
    pub fn bounds_ms(&self) -> Option<(i64, i64)> {
        Some((milliseconds(&self.min)?, milliseconds(&self.max)?))
    }
}

/// A date alone is its first millisecond.
fn milliseconds(text: &str) -> Option<i64> {
    let whole = if text.contains('T') {
        text.to_owned()
    } else {
        format!("{text}T00:00:00Z")
    };
    let time = DateTime::parse_rfc3339_str(whole).ok()?;
    Some(time.timestamp_millis())
}

impl Arguments for Date {
    fn fault(&self) -> Option<String> {
        for (name, text) in [("min", &self.min), ("max", &self.max)] {
            if milliseconds(text).is_none() {
                return Some(format!(
                    "`{name}` is no date: write it like `2026-01-31` or `2026-01-31T12:00:00Z`, in \
                     quotes"
                ));
            }
        }
        let (min, max) = self.bounds_ms()?;
        if min > max {
            return Some(format!(
                "`min` ({}) must not be after `max` ({})",
                self.min, self.max
            ));
        }
        self.distribution.fault(min, max)
    }

    fn largest_bytes(&self) -> u64 {
        8
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a likelihood needs no exact counts"
    )]
    fn values(&self) -> f64 {
        match (self.distribution, self.bounds_ms()) {
            (Distribution::Uniform, Some((min, max))) => (max - min) as f64 + 1.0,
            _ => 1.0,
        }
    }
}
