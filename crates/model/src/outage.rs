//! Outages: times without a success while operations were waiting.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shortest gap that is called an outage, in nanoseconds.
pub const OUTAGE_MIN_NS: u64 = 1_000_000_000;

/// A second or more without a successful operation while operations were in flight or failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// From the last success before it, in nanoseconds since the step began.
    pub from_ns: u64,
    /// To the first success after it, or to the end of the step.
    pub to_ns: u64,
    /// Operations that failed during it.
    pub errors: u64,
    /// Attempts that the client repeated by itself and that may have hidden it from error counts.
    pub retries: u64,
}

impl Outage {
    /// Its length in nanoseconds.
    pub fn length_ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }
}
