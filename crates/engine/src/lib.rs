//! One trial against any target: workers, recorders, phases and accounting.
//!
//! Knows no MongoDB and writes no file. See ARCHITECTURE.md for the way of an operation through
//! it: `trial` has the `crew` start one `thread` per core, each runs its `worker`s, whose
//! `recorder` hands intervals to the `aggregate`.

mod acknowledged;
mod aggregate;
mod arrival_gaps;
mod clock;
mod control;
mod crew;
mod deadlines;
mod deployment;
mod desk;
mod drill;
mod ended;
#[cfg(test)]
mod fake;
mod guard;
mod handover;
mod interrupt;
pub mod interval;
mod iteration;
mod open_queue;
mod operation_numbers;
mod pacer;
mod phases;
mod presence;
mod probe;
mod recorder;
mod room;
mod running;
pub mod schedule;
mod shared;
mod silence;
pub mod stub;
pub mod target;
mod think_time;
mod thread;
mod timer;
mod trial;
mod turn;
mod worker;

pub use acknowledged::Acknowledged;
pub use deployment::{ActFailure, Acted, Deployment, LookedUp};
pub use docstone_workload as workload;
pub use drill::{AfterAction, DrillResult, Marks};
pub use interrupt::Interrupt;
pub use interval::{
    EngineEvent, GivenUp, IntervalData, SlotData, SlotKey, SlotOf, TrialResult, Waits, summarize,
};
pub use probe::RecorderProbe;
pub use target::{
    Colocation, OperationError, OperationResult, Outcome, Pool, PoolShare, Session, Target,
    TargetDescription, TargetError, TargetErrorKind, TargetEvent,
};
pub use timer::Pacing;
pub use trial::{TrialRequest, run_trial, slots};
