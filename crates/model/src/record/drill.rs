//! What the actions of a trial did, and how the deployment came back.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The actions of a trial, and what became of the inserts that were acknowledged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrillRecord {
    /// In the order of their planned times.
    pub actions: Vec<ActionRecord>,
    /// One entry per operation that inserts.
    pub acknowledged: Vec<AcknowledgedRecord>,
}

/// One action. Times are seconds since the step began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionRecord {
    /// Its name.
    pub name: String,
    /// `command`, `run` or `signal`.
    pub kind: String,
    /// What was done, without secrets.
    pub what: String,
    /// When it was to start.
    pub planned_at_s: f64,
    /// When it started; null where it did not.
    pub at_s: Option<f64>,
    /// When it had been done: the server had answered, the command line had ended, the signal had
    /// its effect.
    pub ended_s: Option<f64>,
    /// When it had been undone: unlocked, continued, started again. Null where there is nothing to
    /// undo.
    pub undone_s: Option<f64>,
    /// How it ended.
    pub outcome: ActionOutcome,
    /// What the server, the command line or docstone said; null where there is nothing to say.
    pub message: Option<String>,
    /// The exit status of a command line; null for others, and for one that did not end.
    pub exit_code: Option<i32>,
    /// Operations per second that succeeded in the seconds before it, its baseline.
    pub throughput_before_ops_per_s: Option<f64>,
    /// From its start to the end of the first operation that was sent after it had been done and
    /// succeeded.
    pub time_to_first_success_s: Option<f64>,
    /// From its start to the first second from which the throughput was back to 90 % of that
    /// before, and not before the first success; 0 where it never fell below.
    pub recovery_90_s: Option<f64>,
    /// Operations that failed from its start to the start of the next action, or to the end.
    pub errors: u64,
    /// The same by code.
    pub errors_by_code: BTreeMap<String, u64>,
    /// Operations that passed their own limit in that time; part of `errors`.
    pub timeouts: u64,
    /// The same by operation, merged over groups.
    pub operations: BTreeMap<String, ActionOperationRecord>,
}

/// What one action meant for one operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionOperationRecord {
    /// See [`ActionRecord::time_to_first_success_s`].
    pub time_to_first_success_s: Option<f64>,
    /// See [`ActionRecord::errors`].
    pub errors: u64,
    /// See [`ActionRecord::errors_by_code`].
    pub errors_by_code: BTreeMap<String, u64>,
    /// See [`ActionRecord::timeouts`].
    pub timeouts: u64,
}

/// How an action ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionOutcome {
    /// It was done.
    Ok,
    /// It was refused or failed; the message says why.
    Failed,
    /// It had not been done when the load ended.
    TimedOut,
    /// The load ended before its time.
    NotStarted,
}

/// The acknowledged inserts of one operation, looked up when the load had ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcknowledgedRecord {
    /// The operation.
    pub operation: String,
    /// The collection.
    pub collection: String,
    /// The write concern in force, as far as it is known.
    pub write_concern: Option<String>,
    /// Inserts that were acknowledged; null where that is not known.
    pub acknowledged: Option<u64>,
    /// Of these, how many were looked up, by read concern majority where the deployment has it.
    pub looked_up: u64,
    /// Of those looked up, how many were not there; null where none could be looked up.
    pub missing: Option<u64>,
    /// The first of the missing `_id`s, as Extended JSON.
    pub missing_ids: Vec<String>,
    /// Why not all were looked up; null where all were.
    pub reason: Option<String>,
}
