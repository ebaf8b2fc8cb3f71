//! What a record says of one operation.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::latency::LatencySummary;

/// One group of a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupRecord {
    /// Length of the group's own measured window in seconds: groups end by their own conditions.
    pub window_s: f64,
    /// By the name of the operation, or of the step.
    pub operations: BTreeMap<String, OperationRecord>,
    /// Iterations of all steps, where the scenario has steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<OperationRecord>,
    /// What was due and had not ended grew, so that response times grow with the length of the step
    /// and are no property of the target; false in closed load.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub backlog_grew: bool,
    /// How the first arrivals were spread, where they are Poisson arrivals of one rate and far enough
    /// apart for the timer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrival_gaps: Option<ArrivalGapsRecord>,
}

/// The gaps between the first arrivals of a group, as the load generator noticed them, against the
/// exponential distribution of their mean, which those of a Poisson process have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrivalGapsRecord {
    /// Gaps that were looked at; 5 to 200.
    pub gaps: u64,
    /// Their mean in nanoseconds.
    pub mean_ns: f64,
    /// The Anderson-Darling statistic, corrected for the number of gaps; the smaller the better.
    pub anderson_darling: f64,
    /// What exponential gaps exceed once in 400 runs.
    pub limit: f64,
}

/// Counts and latencies of one operation. The counts add up:
/// `intended = started + dropped + backlog_at_end`,
/// `started = ok + not_found + errors + in_flight_at_end`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationRecord {
    /// Operations that the schedule called for.
    pub intended: u64,
    /// Operations that were sent.
    pub started: u64,
    /// Succeeded and touched a document.
    pub ok: u64,
    /// Succeeded and touched none.
    pub not_found: u64,
    /// Failed, timeouts included.
    pub errors: u64,
    /// Errors by server code, or by class (`network`, `timeout`, `server_selection`, ...).
    pub errors_by_code: BTreeMap<String, u64>,
    /// The first message of each code, without secrets.
    pub error_messages: BTreeMap<String, String>,
    /// Passed their own limit; part of `errors`.
    pub timeouts: u64,
    /// Attempts that the client repeated by itself.
    pub retries: u64,
    /// Never sent, by policy.
    pub dropped: u64,
    /// Never sent, since the end came first.
    pub backlog_at_end: u64,
    /// Sent, and not answered when the drain ended.
    pub in_flight_at_end: u64,
    /// Part of `in_flight_at_end` that stands in the histogram at its age.
    pub censored: u64,
    /// Latencies above 600 s, recorded as 600 s.
    pub saturated: u64,
    /// Documents touched; null where write concern 0 leaves it unknown.
    pub documents: Option<u64>,
    /// Encoded bytes of filters, documents and updates that were sent.
    pub bytes_out: u64,
    /// Encoded bytes of documents that were received.
    pub bytes_in: u64,
    /// Successes that ended inside the window.
    pub completed_in_window: u64,
    /// `completed_in_window / window_s` of its group; merged over groups, by the
    /// longest of theirs. Null where nothing succeeded or the window is empty.
    pub throughput_ops_per_s: Option<f64>,
    /// From sending to the answer, successes only.
    pub service_ns: LatencySummary,
    /// From the intended start to the answer; null in closed load.
    pub response_ns: Option<LatencySummary>,
    /// From sending to the failure.
    pub error_ns: LatencySummary,
}
