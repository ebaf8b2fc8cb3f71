//! `docstone.run/1`: the record of a whole run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::environment::EnvironmentRecord;
use super::verdict::{Status, Validity};
use crate::latency::LatencySummary;

/// The format of a run's `record.json`.
pub const RUN_FORMAT: &str = "docstone.run/1";

/// The record of a run: what ran, and where its trials are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// Always [`RUN_FORMAT`].
    pub format: String,
    /// The plan's name.
    pub name: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// RFC 3339, UTC; null while it runs.
    pub ended_at: Option<String>,
    /// How it ended.
    pub status: Status,
    /// The plan's seed.
    pub seed: u64,
    /// The plan's hash.
    pub plan_hash: String,
    /// What the numbers depend on.
    pub environment: EnvironmentRecord,
    /// The trials, in order.
    pub trials: Vec<TrialEntry>,
    /// Verdicts; always empty in a run, which has no repetitions.
    pub verdicts: Vec<serde_json::Value>,
    /// What the reader of the numbers must know.
    pub warnings: Vec<String>,
}

/// One trial in the record of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialEntry {
    /// The step's name.
    pub cell: String,
    /// Which trial of its cell, from 1.
    pub n: u32,
    /// The trial's folder, relative to the run's.
    pub path: String,
    /// How it ended.
    pub status: Status,
    /// Whether its numbers may be used.
    pub validity: Validity,
    /// Its figures in short.
    pub summary: TrialSummary,
}

/// A trial in short, over all groups: of a mix its operations, of a scenario of steps its whole
/// iterations. What follows calls both operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialSummary {
    /// The most in flight at once, of all groups: workers of closed load, the limit of open load.
    pub concurrency: u32,
    /// Length of the measured window in seconds.
    pub window_s: f64,
    /// Operations that succeeded and touched a document.
    pub ok: u64,
    /// Operations that succeeded and touched none; iterations that found nothing to capture.
    pub not_found: u64,
    /// Operations that failed, timeouts included.
    pub errors: u64,
    /// Successes (`ok` and `not_found`) that ended in the window, per second; null where nothing
    /// succeeded.
    pub throughput_ops_per_s: Option<f64>,
    /// Service times of all operations, in nanoseconds.
    pub service_ns: LatencySummary,
    /// Response times of all operations, in nanoseconds; null unless all load was open.
    #[serde(default)]
    pub response_ns: Option<LatencySummary>,
    /// Client CPU in microseconds per operation that ended in the window, of steps too: never per
    /// iteration. Null with pacing `spin`, or where nothing ended.
    pub client_cpu_us_per_op: Option<f64>,
}
