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

impl Control {
    /// Of a trial that begins, with the numbers of its loads.
    pub(crate) fn new(numbers: Vec<OperationNumbers>) -> Self {
        Self {
            numbers,
            stop_ns: AtomicU64::new(u64::MAX),
        }
    }
}
