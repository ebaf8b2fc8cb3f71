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
    /// What the reader of the numbers must know all the same. No warning changes the verdict.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// One thing that the reader of a trial's numbers must know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// One line for people, with figures.
    pub text: String,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// The target, or a part of it, runs on the machine of the load generator.
    Colocated,
    /// Arrivals were noticed late.
    ScheduleLag,
    /// Arrivals were not spread as the schedule says.
    ArrivalGaps,
    /// The load generator used much of the cores that it may use.
    ProcessCpu,
    /// A thread of the load generator used much of a core.
    ThreadCpu,
    /// The hypervisor took time.
    Steal,
    /// A network link of this machine was busy.
    Network,
    /// The first seconds of the window were unlike the rest.
    Warmup,
    /// The second half of the window was unlike the first.
    Drift,
    /// An action was not done, or not undone.
    Action,
    /// An operation found nothing most of the time.
    Misses,
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
