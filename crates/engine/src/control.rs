//! What the workers of all threads share.

use std::sync::atomic::AtomicU64;

use crate::operation_numbers::OperationNumbers;

/// What the workers of all threads share: operation numbers, and the time of an early end.
#[derive(Debug)]
pub(crate) struct Control {
    /// By position in the step's loads.
    pub(crate) numbers: Vec<OperationNumbers>,
    /// No operation begins after it; `u64::MAX` until the trial is stopped early.
    pub(crate) stop_ns: AtomicU64,
}
