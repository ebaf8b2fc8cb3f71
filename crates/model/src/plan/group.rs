//! Groups: workers that run at the same time with their own scenario and connections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scenario::Scenario;

/// One group of workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupPlan {
    /// The name under which it is counted; `main` where the file names no groups.
    pub name: String,
    /// What one iteration does.
    pub scenario: Scenario,
    /// Connections; `None` is the target's `pool`, else as many as the group can have operations
    /// in flight: the step's concurrency times the scenario's width. There are never more than
    /// that. A smaller pool makes workers wait, and the wait is shown.
    pub connections: Option<u32>,
}
