//! The record formats: what a run leaves behind, and what every report reads.

mod data;
mod drill;
mod environment;
mod operation;
mod precision;
mod run;
mod selftest;
mod steadiness;
mod trial;
mod verdict;

pub use data::{CompressibilityRecord, DataRecord};
pub use drill::{
    AcknowledgedRecord, ActionOperationRecord, ActionOutcome, ActionRecord, DrillRecord,
};
pub use environment::{
    ClientRecord, ConnectionCounts, EnvironmentRecord, RunnerRecord, ServerRecord, ThreadRecord,
};
pub use operation::{ArrivalGapsRecord, GroupRecord, OperationRecord};
pub use precision::{
    MeanPrecision, OperationPrecision, PrecisionRecord, QuantilePrecision, TimeKind,
};
pub use run::{RUN_FORMAT, RunRecord, TrialEntry, TrialSummary};
pub use selftest::{
    Headroom, OpenRecord, RateRecord, SELFTEST_FORMAT, SelftestRecord, StepHeadroom, TimerRecord,
    WorkloadRecord,
};
pub use steadiness::{DriftRecord, SeriesSteadiness, SteadinessRecord};
pub use trial::{EventRecord, TRIAL_FORMAT, TrialRecord};
pub use verdict::{Status, Validity, Verdict, Warning, WarningKind};
