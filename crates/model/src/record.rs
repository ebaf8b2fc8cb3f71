//! The record formats: what a run leaves behind, and what every report reads.

mod environment;
mod operation;
mod run;
mod trial;
mod verdict;

pub use environment::{
    ClientRecord, ConnectionCounts, EnvironmentRecord, RunnerRecord, ServerRecord,
};
pub use operation::{GroupRecord, OperationRecord};
pub use run::{RUN_FORMAT, RunRecord, TrialEntry, TrialSummary};
pub use trial::{EventRecord, TRIAL_FORMAT, TrialRecord};
pub use verdict::{Status, Validity, Verdict};
