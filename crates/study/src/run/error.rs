//! Why a run ended before its plan.

use std::io;

use docstone_engine::TargetError;
use docstone_engine::workload::CompileError;

use crate::store::StoreError;

/// A run failed. Failed operations are not among these: they are results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The target could not be prepared or connected to.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The plan's operations do not fit what the target holds.
    #[error(transparent)]
    Workload(#[from] CompileError),
    /// A listener failed, such as a terminal that was closed.
    #[error("cannot write output: {0}")]
    Listener(#[source] io::Error),
}
