//! The seam between a drill and the deployment under test: what is done to it besides load.
//!
//! Apart from `target`, since most targets have none of it. The engine itself never calls it.

use std::time::Instant;

use docstone_model::plan::ActionKind;
use docstone_workload::Workload;

use crate::acknowledged::Acknowledged;

/// A deployment that can be acted on while load is sent to it. Called from threads of their own,
/// never from async code; all calls block.
pub trait Deployment: Sync {
    /// Does a command or a signal, and returns when it has had its effect.
    ///
    /// # Errors
    /// If it was refused or failed, or had not been done at `until`.
    fn act(&self, action: &ActionKind, until: Instant) -> Result<Acted, ActFailure>;

    /// Undoes what can be undone: unlocks, lets go on, starts again. Returns when that is done.
    ///
    /// # Errors
    /// One line that says why it could not be.
    fn undo(&self, action: &ActionKind, acted: &Acted) -> Result<(), String>;

    /// Looks up the documents that an operation of the workload inserted, by their numbers. Waits
    /// for a deployment that has no primary, but not for ever.
    fn look_up(&self, operation: usize, numbers: &Acknowledged, workload: &Workload) -> LookedUp;
}

/// An action that was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acted {
    /// One line for people: on which member.
    pub message: Option<String>,
    /// The members of a private server that got a signal.
    pub members: Vec<usize>,
    /// The address of the server that got a command, where it has a name of its own.
    pub address: Option<String>,
}

/// Why an action was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActFailure {
    /// It was refused or failed; one line without secrets.
    Failed(String),
    /// It had not been done when its time was over.
    TimedOut,
}

/// Documents that were looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookedUp {
    /// How many.
    pub looked_up: u64,
    /// How many of them were not there.
    pub missing: u64,
    /// The first of the missing `_id`s, as Extended JSON.
    pub missing_ids: Vec<String>,
    /// Why not all were looked up.
    pub reason: Option<String>,
}
