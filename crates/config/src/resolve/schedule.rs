//! The schedule of open load: when operations are due, and for how long.

use std::path::{Path, PathBuf};

use docstone_model::plan::{Arrivals, Rate, RateStage, SchedulePlan};

use super::open_rate;
use super::stages;
use super::trace::{self, RateFrom, TraceFault};
use crate::defaults::{MAX_COUNT, SHORTEST_STEP_NS};
use crate::nearest::nearest;
use crate::node::Place;
use crate::raw::{Open, Stage, TextOr};
use crate::spot::Spot;
use crate::units::DurationNs;

/// A trace that says no duration ends with the second in which its last arrival is due.
const SECOND_NS: u64 = 1_000_000_000;

/// The ways to say when operations are due.
const SCHEDULES: [&str; 3] = ["rate", "stages", "trace"];

/// Reads the schedule of one step.
pub(super) struct Reader<'a> {
    pub(super) duration: Option<DurationNs>,
    pub(super) step: &'a Spot<'a>,
    /// The spot of `open`.
    pub(super) at: &'a Spot<'a>,
    /// Where the workload file is.
    pub(super) folder: &'a Path,
}

impl Reader<'_> {
    /// Rates over time, or recorded times; `None` if something is wrong.
    pub(super) fn schedule(&self, open: &Open, arrivals: Option<Arrivals>) -> Option<SchedulePlan> {
        let keys = self.at.keys();
        let given: Vec<&str> = SCHEDULES
            .into_iter()
            .filter(|key| keys.contains(key))
            .collect();
        let stages = match given.as_slice() {
            [] => {
                let meant = |key: &&str| nearest(key, &SCHEDULES).is_some();
                if !keys.iter().any(meant) {
                    let help = "add `rate: 50/s`, `stages: [...]`, or `trace: FILE`";
                    let message = "nothing says when operations are due";
                    self.at.key_fault(message, Some(help.to_owned()));
                }
                return None;
            }
            ["rate"] => self.rate(open),
            ["stages"] => self.stages(open),
            [_] => match &open.trace {
                Some(TextOr::Text(file)) => return self.times(file),
                Some(TextOr::Map(map)) => self.traced_rates(map.rates.as_deref()),
                None => {
                    self.at.missing("trace", "write `trace: FILE`");
                    None
                }
            },
            [first, second, ..] => {
                self.at.at(second).contradicts(
                    &self.at.at(first),
                    format!("`{first}` and `{second}` exclude each other"),
                    "give one of them; a rate can be a stage of its own",
                );
                return None;
            }
        };
        Some(SchedulePlan::Rates {
            stages: stages?,
            arrivals: arrivals?,
        })
    }

    fn rate(&self, open: &Open) -> Option<Vec<RateStage>> {
        let rate = open_rate::rate(open.rate.as_ref(), self.at);
        if self.duration.is_none() {
            self.step
                .missing("duration", "open load needs its time: add `duration: 30s`");
        }
        Some(vec![RateStage {
            duration_ns: self.duration?.0,
            rate: rate?,
        }])
    }

    fn stages(&self, open: &Open) -> Option<Vec<RateStage>> {
        let at = self.at.at("stages");
        stages::refuse_duration(self.step, &at);
        let Some(raw) = &open.stages else {
            let help = "write stages: `stages: [{duration: 10s, rate: 50/s}]`";
            self.at.missing("stages", help);
            return None;
        };
        let example = "{duration: 10s, rate: 50/s}";
        let help = "write `stages: [{duration: 10s, rate: 50/s}]`";
        let stages = stages::list(raw, &at, (help, example), stage)?;
        let durations = stages.iter().map(|stage| stage.duration_ns);
        stages::long_enough(durations, &at).then_some(stages)
    }

    /// The file's path: from the folder of the workload file, or the current one for `--set`.
    fn path(&self, file: &str, at: &Spot<'_>) -> PathBuf {
        match at.place() {
            Place::Set(_) => PathBuf::from(file),
            _ => self.folder.join(file),
        }
    }

    fn times(&self, file: &str) -> Option<SchedulePlan> {
        let at = self.at.at("trace");
        if self.at.at("arrivals").exists() {
            self.at.at("arrivals").contradicts(
                &at,
                "`arrivals` and a `trace` of times exclude each other".to_owned(),
                "remove `arrivals`: the trace holds the times themselves",
            );
        }
        let times_ns = recorded(trace::times(&self.path(file, &at)), &at)?;
        let last_ns = times_ns.last().copied().unwrap_or(0);
        // What is due when the step ends is not in it.
        let needed_ns = last_ns + 1;
        Some(SchedulePlan::Times {
            duration_ns: self.until(
                needed_ns,
                "the last arrival of the trace is due at",
                last_ns,
            )?,
            times_ns,
        })
    }

    fn traced_rates(&self, file: Option<&str>) -> Option<Vec<RateStage>> {
        let at = self.at.at("trace");
        let Some(file) = file else {
            at.missing("rates", "write `trace: {rates: FILE}`");
            return None;
        };
        let at = &at.at("rates");
        let rates = recorded(trace::rates(&self.path(file, at)), at)?;
        let last = *rates.last()?;
        if self.duration.is_none() && last.per_s > 0.0 && !self.step.at("duration").exists() {
            at.fault(
                format!(
                    "nothing says how long the last rate of the trace, {}/s, holds",
                    last.per_s
                ),
                Some("add `duration`, or a last line with the rate 0".to_owned()),
            );
            return None;
        }
        let end_ns = match self.duration {
            None if last.per_s <= 0.0 => last.at_ns,
            _ => self.until(
                last.at_ns,
                "the last rate of the trace begins at",
                last.at_ns,
            )?,
        };
        let mut stages = Vec::with_capacity(rates.len() + 1);
        let mut now = RateFrom {
            at_ns: 0,
            per_s: 0.0,
        };
        let end = RateFrom {
            at_ns: end_ns,
            per_s: 0.0,
        };
        for next in rates.into_iter().chain([end]) {
            if next.at_ns > now.at_ns {
                stages.push(RateStage {
                    duration_ns: next.at_ns - now.at_ns,
                    rate: open_rate::constant(now.per_s),
                });
            }
            now = next;
        }
        Some(stages)
    }

    /// The end of a trace: `duration`, which must be at least `needed_ns`; else the end of the
    /// second in which the last line is due.
    fn until(&self, needed_ns: u64, what: &str, last_ns: u64) -> Option<u64> {
        let at = self.step.at("duration");
        match self.duration {
            None if at.has_value() => None,
            None => Some((last_ns / SECOND_NS + 1) * SECOND_NS),
            Some(DurationNs(ns)) if ns < needed_ns => {
                let seconds = last_ns as f64 / 1e9;
                at.fault(
                    format!("`duration` must be longer: {what} {seconds}s"),
                    Some("make it longer, or leave it out".to_owned()),
                );
                None
            }
            Some(DurationNs(ns)) => Some(ns),
        }
    }

    /// Records schedules of which nothing, or more than can be counted, arrives.
    pub(super) fn check_count(&self, schedule: &SchedulePlan) {
        if self
            .duration
            .is_some_and(|duration| duration.0 < SHORTEST_STEP_NS)
        {
            return; // That is recorded already.
        }
        let expected = schedule.expected_arrivals();
        let keys = self.at.keys();
        let key = SCHEDULES.into_iter().find(|key| keys.contains(key));
        let at = self.at.at(key.unwrap_or("rate"));
        if is_empty(schedule) {
            let message = if expected > 0.0 {
                // Cut, not rounded: 0.999 is no arrival.
                let shown = (expected * 100.0).floor() / 100.0;
                format!("the step is too short for its rate: only {shown} arrivals")
            } else {
                "nothing ever arrives: the rate is 0 throughout".to_owned()
            };
            at.fault(
                message,
                Some("make the rate higher, or the step longer".to_owned()),
            );
        } else if expected > MAX_COUNT as f64 {
            at.fault(
                format!("more than {MAX_COUNT} operations would arrive"),
                Some("make the rate lower, or the step shorter".to_owned()),
            );
        }
    }
}

/// True if nothing arrives. Where chance decides, true if that is more likely than not.
fn is_empty(schedule: &SchedulePlan) -> bool {
    let expected = schedule.expected_arrivals();
    let SchedulePlan::Rates { stages, arrivals } = schedule else {
        return expected <= 0.0;
    };
    let is_drawn = |stage: &RateStage| matches!(stage.rate, Rate::Random { .. });
    match arrivals {
        // Only whole arrivals are made, up to a rounding error: as the schedule counts them.
        Arrivals::Jittered { .. } if !stages.iter().any(is_drawn) => expected + 1e-6 < 1.0,
        // The first is due when half of it has come together.
        Arrivals::Uniform if !stages.iter().any(is_drawn) => expected <= 0.5,
        _ => expected < 0.5,
    }
}

fn stage(raw: &Stage, at: &Spot<'_>) -> Option<RateStage> {
    let rate = open_rate::rate(raw.rate.as_ref(), at);
    let duration_ns = stages::duration_ns(raw.duration, at);
    Some(RateStage {
        duration_ns: duration_ns?,
        rate: rate?,
    })
}

/// What was read of a trace; a mistake in it is recorded where the file is named.
fn recorded<T>(read: Result<T, TraceFault>, at: &Spot<'_>) -> Option<T> {
    read.map_err(|fault| at.fault(fault.message, Some(fault.help)))
        .ok()
}
