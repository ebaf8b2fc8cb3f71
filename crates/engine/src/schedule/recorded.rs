//! Arrivals at recorded times.

/// The walk along the arrivals.
#[derive(Clone, Debug)]
pub(super) struct Recorded<'a> {
    times_ns: std::slice::Iter<'a, u64>,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(times_ns: &'a [u64]) -> Self {
        Self {
            times_ns: times_ns.iter(),
        }
    }

    /// When the next arrival is due.
    pub(super) fn next_ns(&mut self) -> Option<u64> {
        self.times_ns.next().copied()
    }
}
