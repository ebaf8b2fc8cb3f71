//! The time axis of a step: where its window and its intervals end.
//!
//! When the drain is over is decided in `shared` and seen in `running`; where a group's own window
//! ended is known afterwards, in `trial`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::control::Control;

/// Length of a full interval in nanoseconds.
pub(crate) const INTERVAL_NS: u64 = 1_000_000_000;

/// The measured window of a step: it ends as planned, or when the trial is stopped before.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    planned_ns: u64,
    control: Arc<Control>,
}

impl Window {
    /// A window that is planned to last so long, if a duration ends it.
    pub(crate) fn new(planned_ns: Option<u64>, control: &Arc<Control>) -> Self {
        Self {
            planned_ns: planned_ns.unwrap_or(u64::MAX),
            control: Arc::clone(control),
        }
    }

    /// Its end, as far as that is known.
    pub(crate) fn end_ns(&self) -> u64 {
        self.planned_ns
            .min(self.control.stop_ns.load(Ordering::Relaxed))
    }
}

/// The end of the interval that begins at `from_ns`: a second later, but the end of the window
/// always ends an interval, so that no interval holds measured and drained operations.
pub(crate) fn interval_end_ns(from_ns: u64, window_ns: u64) -> u64 {
    let full = from_ns + INTERVAL_NS;
    if from_ns < window_ns {
        full.min(window_ns)
    } else {
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_window_ends_an_interval() {
        let window = 2_500_000_000;
        let mut ends = vec![0];
        for _ in 0..5 {
            ends.push(interval_end_ns(*ends.last().expect("one"), window));
        }
        let seconds: Vec<f64> = ends.iter().map(|end| *end as f64 / 1e9).collect();
        assert_eq!(seconds, [0.0, 1.0, 2.0, 2.5, 3.5, 4.5]);
    }
}
