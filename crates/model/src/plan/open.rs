//! Open load: when operations are due, whatever the server does, and what happens when too many
//! are in flight.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Load whose operations are due at times of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenLoad {
    /// When operations are due.
    pub schedule: SchedulePlan,
    /// How many may be in flight at once, over all threads; `None` where it is set from the time of
    /// an iteration, by the median round trip of pings when the target is reached, and from the
    /// connections that there are.
    pub max_in_flight: Option<u32>,
    /// The number that was set so, once the target was reached; no part of the plan's hash.
    #[serde(default)]
    pub settled_in_flight: Option<u32>,
    /// What becomes of an arrival that finds as many in flight.
    pub when_full: WhenFull,
    /// The age of the oldest waiting arrival from which on, if it still grows, the trial is given
    /// up, in nanoseconds; `None` never gives up.
    pub give_up_after_ns: Option<u64>,
}

/// The most operations in flight where the plan sets no number.
pub const MAX_IN_FLIGHT: u32 = 1_000;

/// The same for the least.
pub const MIN_IN_FLIGHT: u32 = 64;

impl OpenLoad {
    /// How many operations may be in flight at once: as planned, or the number from which on a
    /// backlog is not for want of it.
    pub fn in_flight_limit(&self) -> u32 {
        let planned = self.max_in_flight.or(self.settled_in_flight);
        planned.unwrap_or(MIN_IN_FLIGHT)
    }

    /// What the highest rate keeps in flight, in the mean, where an iteration takes so long (Little's
    /// law).
    pub fn busy(&self, iteration_ns: u64) -> f64 {
        self.schedule.max_rate_per_s() * iteration_ns as f64 / 1e9
    }

    /// Sets the number of operations that may be in flight, where the plan leaves it open, from
    /// the time that an iteration takes by the median round trip of a ping: four times what the
    /// highest rate keeps in flight, within [`MIN_IN_FLIGHT`] and [`MAX_IN_FLIGHT`].
    pub fn settle(&mut self, iteration_ns: u64) {
        if self.max_in_flight.is_none() {
            let busy = 4.0 * self.busy(iteration_ns);
            let limits = f64::from(MIN_IN_FLIGHT)..=f64::from(MAX_IN_FLIGHT);
            let limit = busy.ceil().clamp(*limits.start(), *limits.end());
            // Within the limits the conversion is exact.
            self.settled_in_flight =
                (MIN_IN_FLIGHT..=MAX_IN_FLIGHT).find(|n| f64::from(*n) >= limit);
        }
    }

    /// Lowers that number where the plan leaves it open and it is higher. At least 1.
    pub fn lower(&mut self, most: u32) {
        if self.max_in_flight.is_none() {
            self.settled_in_flight = Some(self.in_flight_limit().min(most).max(1));
        }
    }
}

/// When operations are due, from the start of the step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SchedulePlan {
    /// Rates over time, and how arrivals are spread under them.
    Rates {
        /// One after the other; at least one.
        stages: Vec<RateStage>,
        /// How arrivals are spread.
        arrivals: Arrivals,
    },
    /// The recorded times themselves.
    Times {
        /// Nanoseconds since the start of the step, none before the one ahead of it.
        times_ns: Vec<u64>,
        /// How long the step takes, in nanoseconds; not before the last time.
        duration_ns: u64,
    },
}

impl SchedulePlan {
    /// The length of the schedule in nanoseconds.
    pub fn duration_ns(&self) -> u64 {
        match self {
            Self::Rates { stages, .. } => stages
                .iter()
                .fold(0, |sum: u64, stage| sum.saturating_add(stage.duration_ns)),
            Self::Times { duration_ns, .. } => *duration_ns,
        }
    }

    /// The highest rate, in arrivals per second; of recorded times, that of their busiest second.
    pub fn max_rate_per_s(&self) -> f64 {
        match self {
            Self::Rates { stages, .. } => stages
                .iter()
                .map(|stage| match stage.rate {
                    Rate::Linear {
                        from_per_s,
                        to_per_s,
                    } => from_per_s.max(to_per_s),
                    Rate::Random { max_per_s, .. } => max_per_s,
                })
                .fold(0.0, f64::max),
            Self::Times { times_ns, .. } => {
                let in_second = times_ns.chunk_by(|a, b| a / 1_000_000_000 == b / 1_000_000_000);
                in_second.map(<[u64]>::len).max().unwrap_or(0) as f64
            }
        }
    }

    /// The rate of Poisson arrivals that is the same all the time, in arrivals per second; only then
    /// the gaps between them are exponential.
    pub fn poisson_rate_per_s(&self) -> Option<f64> {
        let Self::Rates {
            stages,
            arrivals: Arrivals::Poisson,
        } = self
        else {
            return None;
        };
        match stages.as_slice() {
            [
                RateStage {
                    rate:
                        Rate::Linear {
                            from_per_s,
                            to_per_s,
                        },
                    ..
                },
            ] if from_per_s.total_cmp(to_per_s).is_eq() => Some(*from_per_s),
            _ => None,
        }
    }

    /// Arrivals that are to be expected: the area under the rates, or the number of times.
    pub fn expected_arrivals(&self) -> f64 {
        match self {
            Self::Rates { stages, .. } => stages
                .iter()
                .map(|stage| stage.rate.mean_per_s() * stage.duration_ns as f64 / 1e9)
                .sum(),
            Self::Times { times_ns, .. } => times_ns.len() as f64,
        }
    }
}

/// A part of a schedule with one law for its rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateStage {
    /// How long, in nanoseconds, above 0.
    pub duration_ns: u64,
    /// The rate during it.
    pub rate: Rate,
}

/// A rate over the time of a stage. All are finite and not negative; 0 throughout is a pause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rate {
    /// From one rate to the other in a straight line; constant where they are the same.
    Linear {
        /// At the start, in arrivals per second.
        from_per_s: f64,
        /// At the end, in arrivals per second.
        to_per_s: f64,
    },
    /// Drawn anew for each interval, evenly between two bounds.
    Random {
        /// The least rate, in arrivals per second.
        min_per_s: f64,
        /// The bound above, in arrivals per second.
        max_per_s: f64,
        /// The length of an interval in nanoseconds, above 0.
        every_ns: u64,
    },
}

impl Rate {
    /// The mean over its stage, in arrivals per second.
    pub fn mean_per_s(self) -> f64 {
        match self {
            Self::Linear {
                from_per_s: a,
                to_per_s: b,
            }
            | Self::Random {
                min_per_s: a,
                max_per_s: b,
                ..
            } => f64::midpoint(a, b),
        }
    }
}

/// How arrivals are spread under a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Arrivals {
    /// At even distances.
    Uniform,
    /// At random, each independent of the others: exponential distances.
    Poisson,
    /// The exact number in each interval, at random times within it.
    Jittered {
        /// The length of an interval in nanoseconds, above 0.
        interval_ns: u64,
    },
}

/// What becomes of an arrival when as many operations are in flight as may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WhenFull {
    /// It waits; its response time counts from its intended start.
    Queue,
    /// It is dropped and counted, at once or after a wait.
    Drop {
        /// How long it waits before, in nanoseconds.
        after_ns: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_lasts_as_long_as_its_stages_together() {
        let stage = |duration_ns| RateStage {
            duration_ns,
            rate: Rate::Linear {
                from_per_s: 1.0,
                to_per_s: 2.0,
            },
        };
        let plan = SchedulePlan::Rates {
            stages: vec![stage(5), stage(7)],
            arrivals: Arrivals::Poisson,
        };
        assert_eq!(plan.duration_ns(), 12);
    }

    fn open(rate_per_s: f64) -> OpenLoad {
        OpenLoad {
            schedule: SchedulePlan::Rates {
                stages: vec![RateStage {
                    duration_ns: 2_000_000_000,
                    rate: Rate::Linear {
                        from_per_s: 0.0,
                        to_per_s: rate_per_s,
                    },
                }],
                arrivals: Arrivals::Uniform,
            },
            max_in_flight: None,
            settled_in_flight: None,
            when_full: WhenFull::Queue,
            give_up_after_ns: None,
        }
    }

    #[test]
    fn in_flight_is_four_times_rate_and_round_trip_within_64_and_1000() {
        let settled = |rate_per_s, rtt_ns| {
            let mut open = open(rate_per_s);
            open.settle(rtt_ns);
            open.in_flight_limit()
        };
        assert_eq!(settled(50.0, 1_000_000), 64);
        assert_eq!(settled(5_000.0, 10_000_000), 200);
        assert_eq!(settled(1e9, 1_000_000_000), 1_000);
    }

    #[test]
    fn a_number_that_the_plan_sets_stays() {
        let mut open = open(5_000.0);
        open.max_in_flight = Some(3);
        open.settle(1_000_000_000);
        open.lower(2);
        assert_eq!(open.in_flight_limit(), 3);
    }

    #[test]
    fn a_number_that_was_settled_is_lowered_and_never_raised() {
        let mut open = open(5_000.0);
        open.settle(10_000_000);
        open.lower(500);
        assert_eq!(open.in_flight_limit(), 200);
        open.lower(20);
        assert_eq!(open.in_flight_limit(), 20);
        open.lower(0);
        assert_eq!(open.in_flight_limit(), 1);
    }

    #[test]
    fn what_was_settled_is_no_part_of_the_plans_hash_and_what_was_planned_is() {
        let plan = |open: OpenLoad| {
            let load = crate::GroupLoad {
                group: 0,
                model: crate::LoadModel::Open(open),
                stop: crate::Stop {
                    duration_ns: Some(2_000_000_000),
                    operations: None,
                },
            };
            let step = crate::StepPlan {
                name: "s".to_owned(),
                warmup: false,
                loads: vec![load],
                drain_ns: 0,
                actions: Vec::new(),
            };
            let uri = crate::MongoUri::new("mongodb://127.0.0.1");
            crate::Plan {
                steps: vec![step],
                ..crate::Plan::new("p", crate::plan::TargetPlan::new(uri, "d"))
            }
        };
        let left_open = plan(open(100.0));
        let mut settled = left_open.clone();
        settled
            .open_loads_mut()
            .for_each(|open| open.settle(1_000_000));
        assert_ne!(settled, left_open);
        assert_eq!(settled.hash(), left_open.hash());
        let mut planned = open(100.0);
        planned.max_in_flight = Some(64);
        assert_ne!(plan(planned).hash(), left_open.hash());
    }

    #[test]
    fn expected_arrivals_are_the_area_under_the_rates() {
        assert!((open(100.0).schedule.expected_arrivals() - 100.0).abs() < 1e-9);
    }
}
