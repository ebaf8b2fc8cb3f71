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
    /// How many may be in flight at once, over all threads; `None` where it is set from the round
    /// trip of the warm-up pings.
    pub max_in_flight: Option<u32>,
    /// What becomes of an arrival that finds as many in flight.
    pub when_full: WhenFull,
    /// The age of the oldest waiting arrival from which on, if it still grows, the trial is given
    /// up, in nanoseconds; `None` never gives up.
    pub give_up_after_ns: Option<u64>,
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
}
