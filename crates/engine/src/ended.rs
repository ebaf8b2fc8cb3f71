//! How an operation ended, as the worker saw it.

use crate::target::{OperationResult, Outcome};

/// How an operation ended, as the worker saw it.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The target answered or failed.
    Outcome(Outcome),
    /// The operation's own limit passed.
    TimedOut {
        /// The limit, for the message.
        limit_ns: u64,
        /// Encoded bytes that were sent.
        bytes_out: u64,
    },
}

impl Ended {
    /// True if the server said that it has done what was asked; not where it was not asked to say
    /// it (write concern 0).
    pub(crate) fn acknowledged(&self) -> bool {
        matches!(
            self,
            Self::Outcome(Outcome {
                result: OperationResult::Ok,
                documents: Some(_),
                ..
            })
        )
    }
}
