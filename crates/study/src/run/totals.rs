//! What is said of a whole step.

use docstone_engine::{SlotData, TrialResult};
use docstone_model::{Interval, Plan};

/// The whole step as one interval, for listeners.
pub(super) fn totals(plan: &Plan, phase: &str, result: &TrialResult) -> Interval {
    let window_s = result.window_ns as f64 / 1e9;
    let row = |slot: &SlotData| {
        let mut row = slot.to_row(plan);
        row.in_flight = slot.in_flight_at_end;
        row
    };
    Interval {
        t_s: window_s,
        length_s: window_s,
        phase: phase.to_owned(),
        rows: result.slots.iter().map(row).collect(),
        iterations: result.iterations.iter().map(row).collect(),
        ..Interval::default()
    }
}
