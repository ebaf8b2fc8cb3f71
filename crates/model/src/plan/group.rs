//! Groups: workers that run at the same time with their own scenario and connections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One group of workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupPlan {
    /// The name under which it is counted; `main` where the file names no groups.
    pub name: String,
    /// Weighted mix: each operation number picks one entry.
    pub mix: Vec<MixEntry>,
    /// Connections; `None` is the step's concurrency. A smaller pool makes workers wait, and the
    /// wait is shown.
    pub connections: Option<u32>,
}

/// One operation of a mix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MixEntry {
    /// Index in the plan's operations.
    pub operation: usize,
    /// Its share is the weight over the sum of all weights; above 0.
    pub weight: f64,
}
