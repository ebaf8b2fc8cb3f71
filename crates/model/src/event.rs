//! What a run tells its listeners while it goes on.
//!
//! The facade emits these; the terminal and the old tools' outputs listen. Listeners never reach
//! back into the run. Records are no listeners: the facade writes them itself.

use crate::counters::Counters;
use crate::latency::LatencySummary;
use crate::outage::Outage;
use crate::plan::{Plan, StepPlan};
use crate::record::{RunRecord, TrialRecord};

/// One event of a run, in order.
#[derive(Debug)]
pub enum RunEvent<'a> {
    /// The target answered and the output folder exists.
    RunStarted {
        /// What will run.
        plan: &'a Plan,
        /// The output folder.
        out: &'a std::path::Path,
        /// Facts worth a line before the load: write concern in force, warnings.
        notes: &'a [String],
    },
    /// A load step begins now.
    StepStarted {
        /// Its position in the plan.
        index: usize,
        /// The step.
        step: &'a StepPlan,
        /// Seconds since the Unix epoch.
        unix_s: f64,
    },
    /// One second (or the last part of one) has passed.
    Interval(&'a Interval),
    /// Something happened that the reader of the numbers must know.
    Note {
        /// One line.
        text: &'a str,
    },
    /// A load step has ended.
    StepEnded {
        /// Its position in the plan.
        index: usize,
        /// The step.
        step: &'a StepPlan,
        /// Its record; `None` for a warm-up.
        record: Option<&'a TrialRecord>,
        /// Whole-step rows, one per group and operation, latencies included.
        totals: &'a Interval,
    },
    /// All steps have ended, or the run was interrupted.
    RunEnded {
        /// The record of the run.
        record: &'a RunRecord,
    },
}

/// What happened in one interval of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// The end of the interval in seconds since the step began; a whole number but for the last.
    pub t_s: f64,
    /// Its length in seconds; 1 but for the last.
    pub length_s: f64,
    /// The name of the step; `drain` after the end of the window of a measured one.
    pub phase: String,
    /// True after the end of the window.
    pub drain: bool,
    /// The planned length of the step in seconds, where it has one.
    pub planned_s: Option<f64>,
    /// The planned number of operations of all groups, where each has one.
    pub planned_operations: Option<u64>,
    /// One row per group and operation, in plan order, also where nothing happened.
    pub rows: Vec<IntervalRow>,
    /// One row per group whose scenario has steps: its iterations.
    pub iterations: Vec<IntervalRow>,
    /// An outage that is going on at the end of the interval.
    pub outage: Option<Outage>,
}

impl Interval {
    /// The rows whose arrivals a load model makes: iterations where there are steps, operations
    /// elsewhere.
    pub fn arriving(&self) -> impl Iterator<Item = &IntervalRow> {
        let has_steps = |group: &str| self.iterations.iter().any(|row| row.group == group);
        let of_mixes = self.rows.iter().filter(move |row| !has_steps(&row.group));
        of_mixes.chain(&self.iterations)
    }

    /// What a load model's numbers count and has ended: iterations of groups that have steps,
    /// operations of the others.
    pub fn arrivals_ended(&self) -> u64 {
        self.arriving().map(|row| row.counters.ended()).sum()
    }
}

/// One group and operation in one interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalRow {
    /// The group's name.
    pub group: String,
    /// The operation's name.
    pub operation: String,
    /// What was counted in the interval, by completion.
    pub counters: Counters,
    /// Operations in flight at its end.
    pub in_flight: u64,
    /// Arrivals waiting at its end; always 0 in closed load.
    pub backlog: u64,
    /// Service times of operations that succeeded.
    pub service: LatencySummary,
    /// Response times; `None` in closed load.
    pub response: Option<LatencySummary>,
    /// 99th percentile of the generator's own lateness; `None` in closed load.
    pub schedule_lag_p99_ns: Option<u64>,
}
