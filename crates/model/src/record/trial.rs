//! `docstone.trial/1`: one measured load step.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::data::DataRecord;
use super::drill::DrillRecord;
use super::environment::{ClientRecord, EnvironmentRecord, ServerRecord};
use super::operation::{GroupRecord, OperationRecord};
use super::precision::PrecisionRecord;
use super::steadiness::SteadinessRecord;
use super::verdict::{Status, Validity};
use crate::outage::Outage;
use crate::plan::StepPlan;

/// The format of a trial's `record.json`.
pub const TRIAL_FORMAT: &str = "docstone.trial/1";

/// One measured load step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialRecord {
    /// Always [`TRIAL_FORMAT`].
    pub format: String,
    /// The step's name.
    pub cell: String,
    /// Which trial of its cell, from 1.
    pub n: u32,
    /// How it ended.
    pub status: Status,
    /// Whether its numbers may be used, and why not.
    pub validity: Validity,
    /// What limited it; null until it is judged.
    pub limited_by: Option<String>,
    /// The seed of its draws.
    pub seed: u64,
    /// Start of the load, RFC 3339, UTC.
    pub started_at: String,
    /// Length of the measured window in seconds.
    pub window_s: f64,
    /// The load step as planned.
    pub load: StepPlan,
    /// How operations reached the target: `driver`.
    pub transport: String,
    /// What happened, in order.
    pub events: Vec<EventRecord>,
    /// Times without a success.
    pub outages: Vec<Outage>,
    /// The step's actions and what became of them; null for a step without any.
    #[serde(default)]
    pub drill: Option<DrillRecord>,
    /// By group name.
    pub groups: BTreeMap<String, GroupRecord>,
    /// By operation name, merged over groups.
    pub operations: BTreeMap<String, OperationRecord>,
    /// Whether it was in a steady state; null where there was nothing to judge.
    #[serde(default)]
    pub steadiness: Option<SteadinessRecord>,
    /// How precise its numbers are within it; no basis for a comparison.
    #[serde(default)]
    pub precision: Option<PrecisionRecord>,
    /// The load generator.
    pub client: ClientRecord,
    /// One entry per worker process; a local run has one.
    pub generators: Vec<ClientRecord>,
    /// The deployment under test.
    pub server: ServerRecord,
    /// What the numbers depend on.
    pub environment: EnvironmentRecord,
    /// The documents of the collections that have payloads, by their names.
    #[serde(default)]
    pub data: BTreeMap<String, DataRecord>,
}

/// One event on the time axis of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventRecord {
    /// Seconds since the step began.
    pub t_s: f64,
    /// Its kind, such as `primary_lost`, `primary_found`, `outage`, `interrupted`.
    pub kind: String,
    /// One line for people.
    pub text: String,
}
