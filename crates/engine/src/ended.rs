//! How an operation ended, as the worker saw it.

use crate::target::Outcome;

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
