//! The time axis of a step, as pure functions: where its window and its intervals end.
//!
//! When what is still in flight is given up is decided in `thread`; where a group's own window
//! ended is known afterwards, in `trial`.

use docstone_model::StepPlan;

/// Length of a full interval in nanoseconds.
pub(crate) const INTERVAL_NS: u64 = 1_000_000_000;

/// The end of the measured window, where it is known beforehand: the longest planned duration,
/// if every group has one.
pub(crate) fn planned_window_ns(step: &StepPlan) -> Option<u64> {
    step.loads
        .iter()
        .map(|load| load.stop.duration_ns)
        .try_fold(0, |longest, duration| {
            duration.map(|duration| duration.max(longest))
        })
}

/// The end of the interval that begins at `from_ns`: a second later, but the end of the window
/// always ends an interval, so that no interval holds measured and drained operations.
pub(crate) fn interval_end_ns(from_ns: u64, window_ns: Option<u64>) -> u64 {
    let full = from_ns + INTERVAL_NS;
    match window_ns {
        Some(window) if from_ns < window => full.min(window),
        _ => full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docstone_model::{GroupLoad, LoadModel, Stop};

    fn load(duration_ns: Option<u64>, operations: Option<u64>) -> GroupLoad {
        GroupLoad {
            group: 0,
            model: LoadModel::Closed {
                concurrency: 1,
                think_time_ns: 0,
            },
            stop: Stop {
                duration_ns,
                operations,
            },
        }
    }

    fn step(loads: Vec<GroupLoad>) -> StepPlan {
        StepPlan {
            name: "s".to_owned(),
            warmup: false,
            loads,
            drain_ns: 0,
        }
    }

    #[test]
    fn the_window_is_the_longest_duration_if_all_groups_have_one() {
        assert_eq!(
            planned_window_ns(&step(vec![load(Some(5), None), load(Some(9), Some(1))])),
            Some(9)
        );
        assert_eq!(
            planned_window_ns(&step(vec![load(Some(5), None), load(None, Some(1))])),
            None
        );
    }

    #[test]
    fn the_end_of_the_window_ends_an_interval() {
        let window = Some(2_500_000_000);
        let mut ends = vec![0];
        for _ in 0..5 {
            ends.push(interval_end_ns(*ends.last().expect("one"), window));
        }
        let seconds: Vec<f64> = ends.iter().map(|end| *end as f64 / 1e9).collect();
        assert_eq!(seconds, [0.0, 1.0, 2.0, 2.5, 3.5, 4.5]);
    }
}
