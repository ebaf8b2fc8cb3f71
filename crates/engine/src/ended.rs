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
    /// True if the server said that it has inserted the document at this position among those of
    /// the operation; not where it was not asked to say it (write concern 0).
    pub(crate) fn acknowledged(&self, position: u32) -> bool {
        let Self::Outcome(outcome) = self else {
            return false;
        };
        match outcome.result {
            OperationResult::Ok => outcome.documents.is_some(),
            OperationResult::NotFound => false,
            OperationResult::Error(_) => outcome
                .inserted
                .as_ref()
                .is_some_and(|inserted| inserted.binary_search(&position).is_ok()),
        }
    }
}
