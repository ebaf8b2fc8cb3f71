//! How many arrivals were due and had not ended, second by second: by its slope a backlog that
//! grows is told from one that comes and goes.

use std::collections::BTreeMap;

use docstone_engine::{IntervalData, SlotData};
use docstone_model::StepPlan;

/// Seconds from which a slope is told.
const SLOPE_MIN: usize = 5;

/// The most samples that are kept: memory must not grow with the length of a run.
const SAMPLES_MAX: usize = 2048;

/// What became of the arrivals of open load, by the index of their group: each has a rate of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenGroups(BTreeMap<usize, Arrived>);

/// What became of the arrivals of one group within its window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrived {
    /// Those that ended, failed ones too: iterations where there are steps.
    pub(crate) ended: u64,
    /// What was due and had not ended.
    pub(crate) outstanding: Outstanding,
}

impl OpenGroups {
    /// Takes an interval of the step's window in.
    pub(crate) fn interval(&mut self, step: &StepPlan, data: &IntervalData) {
        for load in step.loads.iter().filter(|load| load.model.is_open()) {
            let end_ns = load.stop.duration_ns.unwrap_or(u64::MAX);
            if data.to_ns > end_ns {
                continue;
            }
            let of_group = |slot: &&SlotData| slot.key.group == load.group;
            let sum = |of: fn(&SlotData) -> u64| data.arriving().filter(of_group).map(of).sum();
            let arrived = self.0.entry(load.group).or_default();
            arrived.ended += sum(|slot| slot.counters.ended());
            let (waiting, in_flight) = (sum(|slot| slot.backlog), sum(|slot| slot.in_flight));
            arrived.outstanding.second(waiting, in_flight);
        }
    }

    /// Those of one group; nothing where it has no open load.
    pub(crate) fn of(&self, group: usize) -> Arrived {
        self.0.get(&group).cloned().unwrap_or_default()
    }

    /// Puts one group in by hand.
    #[cfg(test)]
    pub(crate) fn with(mut self, group: usize, arrived: Arrived) -> Self {
        let _ = self.0.insert(group, arrived);
        self
    }
}

/// One value for each second, or for each 2, 4, 8, ... once a run is long.
#[derive(Clone, Debug)]
pub(crate) struct Outstanding {
    samples: Vec<f64>,
    every: usize,
    seen: usize,
    /// Arrivals that waited at the end of the last second, and those that were in flight.
    waiting: u64,
    in_flight: u64,
}

impl Default for Outstanding {
    fn default() -> Self {
        Self {
            samples: Vec::new(),
            every: 1,
            seen: 0,
            waiting: 0,
            in_flight: 0,
        }
    }
}

impl Outstanding {
    /// A second of the window has passed.
    pub(crate) fn second(&mut self, waiting: u64, in_flight: u64) {
        (self.waiting, self.in_flight) = (waiting, in_flight);
        if self.seen.is_multiple_of(self.every) {
            self.samples.push((waiting + in_flight) as f64);
        }
        self.seen += 1;
        if self.samples.len() > SAMPLES_MAX {
            let mut keep = (0..).map(|n: usize| n.is_multiple_of(2));
            self.samples.retain(|_| keep.next().unwrap_or(true));
            self.every *= 2;
        }
    }

    /// Arrivals that waited at the end of the window.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting
    }

    /// What was in flight at the end of the window.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Arrivals that were due and had not ended at the end of the window.
    pub(crate) fn at_end(&self) -> u64 {
        self.waiting + self.in_flight
    }

    /// How fast the number grew, per second, from the first second of a short window to its last;
    /// `None` where [`Outstanding::slope_per_s`] tells it.
    pub(crate) fn short_growth_per_s(&self) -> Option<f64> {
        let (first, rest) = self
            .samples
            .split_first()
            .filter(|_| self.seen < SLOPE_MIN)?;
        // What was due in the only second and has not ended may have come at its very end.
        let last = rest.last()?;
        Some((last - first) / rest.len() as f64)
    }

    /// How fast the number grew, per second; `None` for a window of less than five seconds.
    pub(crate) fn slope_per_s(&self) -> Option<f64> {
        let slope =
            docstone_stats::theil_sen_slope(&self.samples).filter(|_| self.seen >= SLOPE_MIN)?;
        Some(slope / self.every as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_grows_by_three_a_second_has_a_slope_of_three_however_long_it_is_watched() {
        for seconds in [10, 5_000, 50_000] {
            let mut outstanding = Outstanding::default();
            for t in 0..seconds {
                outstanding.second(2 * t, t);
            }
            let slope = outstanding.slope_per_s().expect("long enough");
            assert!((slope - 3.0).abs() < 1e-6, "{seconds} s: {slope}");
            assert!(outstanding.samples.len() <= SAMPLES_MAX);
            assert_eq!(outstanding.waiting(), 2 * (seconds - 1));
        }
    }

    #[test]
    fn a_stall_in_the_middle_is_no_slope_and_four_seconds_are_none() {
        let mut outstanding = Outstanding::default();
        for t in 0..4 {
            outstanding.second(t, 0);
        }
        assert_eq!(outstanding.slope_per_s(), None);
        let mut stalled = Outstanding::default();
        for t in 0..60 {
            stalled.second(
                if (20..25).contains(&t) {
                    100 * (t - 19)
                } else {
                    0
                },
                1,
            );
        }
        assert_eq!(stalled.slope_per_s(), Some(0.0));
    }
}
