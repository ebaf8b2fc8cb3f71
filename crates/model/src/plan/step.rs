//! Load steps: how much load, and until when.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One load step: all groups start together and each ends by its own stop condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepPlan {
    /// Its name; the cell of its record. `step-1` where the file names none.
    pub name: String,
    /// Runs like the others, but is not measured.
    pub warmup: bool,
    /// What each group does; one entry per group that takes part.
    pub loads: Vec<GroupLoad>,
    /// After the end, how long operations in flight may take, in nanoseconds.
    pub drain_ns: u64,
}

/// What one group does in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupLoad {
    /// Index in the plan's groups.
    pub group: usize,
    /// How load is produced.
    pub model: LoadModel,
    /// When it ends.
    pub stop: Stop,
}

/// How load is produced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LoadModel {
    /// Closed load: each worker starts its next operation when the one before has ended.
    Closed {
        /// Workers, at least 1.
        concurrency: u32,
        /// Pause of a worker between two operations, in nanoseconds.
        think_time_ns: u64,
    },
}

impl LoadModel {
    /// The largest number of operations in flight.
    pub fn concurrency(&self) -> u32 {
        match self {
            Self::Closed { concurrency, .. } => *concurrency,
        }
    }
}

/// When a group's load ends: at the first of its conditions. At least one is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// After this time, in nanoseconds.
    pub duration_ns: Option<u64>,
    /// After exactly so many operations of the group.
    pub operations: Option<u64>,
}
