//! The vocabulary of docstone: the plan, the record formats and the events of a run.
//!
//! Owns the types that every other crate speaks in. Has no I/O, no async code and no driver types.

pub mod byte_size;
pub mod counters;
pub mod error_class;
pub mod event;
pub mod hash;
pub mod latency;
pub mod length;
pub mod outage;
pub mod plan;
pub mod record;
pub mod secret;
pub mod template;

pub use byte_size::ByteSize;
pub use counters::Counters;
pub use error_class::ErrorClass;
pub use event::{Interval, IntervalRow, RunEvent};
pub use latency::LatencySummary;
pub use outage::Outage;
pub use plan::{
    CollectionPlan, Compressor, GroupLoad, GroupPlan, IndexPlan, LoadModel, OperationKind,
    OperationPlan, Plan, StepPlan, Stop, TargetPlan,
};
pub use secret::MongoUri;
pub use template::{Generator, Template};
