//! One trial against any target: workers, recorders, phases and accounting.

pub mod target;

pub use target::{
    OperationError, OperationResult, Outcome, Pool, PoolShare, Session, Target, TargetDescription,
    TargetError, TargetErrorKind, TargetEvent,
};
