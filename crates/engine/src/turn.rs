//! What the pacer hands to a worker.

use crate::schedule::Arrival;

/// An arrival that a worker is to execute now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The arrival.
    pub(crate) arrival: Arrival,
    /// When this thread noticed that it was due; its intended start where that was not kept,
    /// since it had to wait.
    pub(crate) woke_ns: u64,
}
