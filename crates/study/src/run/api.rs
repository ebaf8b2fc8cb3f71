//! What a run is asked for and what it returns.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use docstone_model::record::{DataRecord, RunRecord, Status, TrialRecord, Verdict};
use docstone_model::{Plan, RunEvent};
use docstone_telemetry::Machine;

/// Who listens to a run. An error ends the run in order: records are written, then it is returned.
pub type Listener<'a> = dyn FnMut(&RunEvent<'_>) -> io::Result<()> + 'a;

/// What to run, and what is known beforehand.
#[derive(Clone, Debug)]
pub struct RunRequest<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Facts worth a line before the load; those of the target are added.
    pub notes: Vec<String>,
    /// This machine.
    pub machine: Machine,
    /// The documents of collections with payloads, by their names.
    pub data: BTreeMap<String, DataRecord>,
    /// docstone's version.
    pub version: &'a str,
    /// docstone's build: `debug` or `release`.
    pub build: &'a str,
}

/// A run that has ended, complete or interrupted.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcome {
    /// Its record.
    pub record: RunRecord,
    /// The records of its trials, in order.
    pub trials: Vec<TrialRecord>,
    /// The output folder.
    pub out: PathBuf,
}

impl RunOutcome {
    /// True if a trial has numbers: not all operations failed, and some ended.
    pub fn has_valid_result(&self) -> bool {
        self.trials
            .iter()
            .any(|trial| !matches!(trial.validity.verdict, Verdict::Failed | Verdict::NoSamples))
    }

    /// True if the user ended it before its plan did.
    pub fn is_interrupted(&self) -> bool {
        self.record.status == Status::Interrupted
    }
}
