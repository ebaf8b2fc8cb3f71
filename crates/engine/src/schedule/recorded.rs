//! Arrivals at recorded times.

use std::sync::Arc;

/// The walk along the arrivals.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    times_ns: Arc<[u64]>,
    number: usize,
}

impl Recorded {
    pub(super) fn new(times_ns: &[u64]) -> Self {
        Self {
            times_ns: times_ns.into(),
            number: 0,
        }
    }

    /// When the next arrival is due.
    pub(super) fn next_ns(&mut self) -> Option<u64> {
        let time_ns = self.times_ns.get(self.number).copied();
        self.number += 1;
        time_ns
    }
}
