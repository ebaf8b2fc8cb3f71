//! The summary of a latency histogram, as records hold it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Summary of latencies in nanoseconds. With `count` 0 every other field is null; percentiles
/// come from a histogram with 3 significant digits, minimum and maximum are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    missing_docs,
    reason = "each field is the percentile that its name says, in nanoseconds"
)]
pub struct LatencySummary {
    pub count: u64,
    pub min: Option<u64>,
    pub mean: Option<f64>,
    pub stddev: Option<f64>,
    pub p50: Option<u64>,
    pub p75: Option<u64>,
    pub p90: Option<u64>,
    pub p95: Option<u64>,
    pub p98: Option<u64>,
    pub p99: Option<u64>,
    pub p99_9: Option<u64>,
    pub p99_99: Option<u64>,
    pub max: Option<u64>,
}
