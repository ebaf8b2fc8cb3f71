//! How a run or a trial ended, and whether its numbers may be used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run or a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Still going on; only in the record of a run that was killed.
    Running,
    /// As planned.
    Complete,
    /// By the user.
    Interrupted,
    /// By an error.
    Failed,
}

/// Whether a trial's numbers may be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Validity {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in words with figures.
    pub reasons: Vec<String>,
}

/// The verdict on a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The numbers are about the target.
    Valid,
    /// The load generator was the limit.
    ClientLimited,
    /// The offered rate was not held.
    Unsustained,
    /// Every operation failed.
    Failed,
    /// Nothing ended.
    NoSamples,
}
