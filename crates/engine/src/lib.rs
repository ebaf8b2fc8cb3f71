//! One trial against any target: workers, recorders, phases and accounting.

pub mod interval;
pub mod target;

pub use interval::{EngineEvent, IntervalData, SlotData, SlotKey, TrialResult, summarize};
pub use target::{
    OperationError, OperationResult, Outcome, Pool, PoolShare, Session, Target, TargetDescription,
    TargetError, TargetErrorKind, TargetEvent,
};
