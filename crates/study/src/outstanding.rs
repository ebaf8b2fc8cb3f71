//! How many operations were due and had not ended, second by second: by its slope a backlog that
//! grows is told from one that comes and goes.

/// The most samples that are kept: memory must not grow with the length of a run.
const SAMPLES_MAX: usize = 2048;

/// One value for each second, or for each 2, 4, 8, ... once a run is long.
#[derive(Clone, Debug)]
pub(crate) struct Outstanding {
    samples: Vec<f64>,
    every: usize,
    seen: usize,
    /// Arrivals that waited at the end of the last second.
    waiting: u64,
}

impl Default for Outstanding {
    fn default() -> Self {
        Self {
            samples: Vec::new(),
            every: 1,
            seen: 0,
            waiting: 0,
        }
    }
}

impl Outstanding {
    /// A second of the window has passed.
    pub(crate) fn second(&mut self, waiting: u64, in_flight: u64) {
        self.waiting = waiting;
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

    /// How fast the number grew, per second; `None` for a window of less than five seconds.
    pub(crate) fn slope_per_s(&self) -> Option<f64> {
        let slope = docstone_stats::theil_sen_slope(&self.samples).filter(|_| self.seen >= 5)?;
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
