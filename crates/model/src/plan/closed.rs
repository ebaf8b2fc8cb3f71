//! Closed load: how many workers, and how long each pauses between two operations, or
//! iterations of steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Load of workers that each start their next operation, or iteration of steps, when the one before
/// has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedLoad {
    /// Workers, at least 1; where their number changes, the most at any time.
    pub concurrency: u32,
    /// The number of workers over time, one stage after the other; empty where it is the same
    /// throughout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<WorkerStage>,
    /// Pause of a worker between two operations, or iterations of steps.
    pub think_time: ThinkTime,
}

impl ClosedLoad {
    /// So many workers throughout, without a pause.
    pub fn steady(concurrency: u32) -> Self {
        Self {
            concurrency,
            stages: Vec::new(),
            think_time: ThinkTime::None,
        }
    }

    /// The length of all stages in nanoseconds; 0 where there are none.
    pub fn duration_ns(&self) -> u64 {
        let durations = self.stages.iter().map(|stage| stage.duration_ns);
        durations.fold(0, u64::saturating_add)
    }
}

/// A part of closed load in which the number of workers follows one line. 0 throughout is a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkerStage {
    /// How long, in nanoseconds, above 0.
    pub duration_ns: u64,
    /// Workers at the start.
    pub from: u32,
    /// Workers at the end.
    pub to: u32,
}

/// A pause: of a worker after an operation, or of an iteration after a step. What is drawn is drawn
/// anew each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ThinkTime {
    /// What comes next follows at once.
    None,
    /// Always the same.
    Constant {
        /// In nanoseconds, above 0.
        ns: u64,
    },
    /// Exponentially distributed.
    Exponential {
        /// The mean in nanoseconds, above 0.
        mean_ns: u64,
    },
    /// Evenly distributed.
    Uniform {
        /// The shortest, in nanoseconds.
        min_ns: u64,
        /// The longest, in nanoseconds; not below the shortest.
        max_ns: u64,
    },
}

impl ThinkTime {
    /// Its mean, in nanoseconds.
    pub fn mean_ns(self) -> u64 {
        match self {
            Self::None => 0,
            Self::Constant { ns } => ns,
            Self::Exponential { mean_ns } => mean_ns,
            Self::Uniform { min_ns, max_ns } => u64::midpoint(min_ns, max_ns),
        }
    }
}
