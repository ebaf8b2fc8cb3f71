//! The modes of a step and what each has done so far.
//!
//! A mode is one row of an interval: a group with its one operation. Owns when a row deserves a
//! block or a line of CSV.

use docstone_model::plan::Plan;
use docstone_model::record::TrialRecord;
use docstone_model::{Interval, IntervalRow};
use docstone_stats::RateMeter;

use super::snapshot::Snapshot;

/// Intervals shorter than this, in seconds, are the last part of a second.
const FULL_S: f64 = 0.95;

/// A mode of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModeName {
    /// In upper case, fit for a file name.
    pub(super) name: String,
    /// Index of its group in the plan.
    pub(super) group: usize,
}

/// One mode in the step that goes on.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    /// Its name, as in [`ModeName`].
    pub(super) name: String,
    /// Position of its row in an interval, and of its name among the names of the plan.
    pub(super) row: usize,
    meter: RateMeter,
    count: u64,
    /// Seconds from the begin of the step to the end of the last interval in which it had
    /// operations.
    active_s: f64,
}

/// What a mode did in a whole step.
#[derive(Clone, Debug)]
pub(super) struct PerRun<'a> {
    pub(super) mode: &'a Mode,
    pub(super) row: &'a IntervalRow,
    pub(super) snapshot: Snapshot,
    /// Seconds from the begin of the step to the end of the mode.
    pub(super) elapsed_s: f64,
}

/// The modes of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Modes {
    /// Start of the step in seconds since the Unix epoch.
    unix_s: f64,
    list: Vec<Mode>,
    reported: bool,
}

/// The names of the modes of a plan, in row order.
pub(super) fn names(plan: &Plan) -> Vec<ModeName> {
    let mut names = Vec::new();
    for (index, group) in plan.groups.iter().enumerate() {
        let slots = plan.group_slots(index);
        for slot in &slots {
            let name = mode_name(&group.name, slot.name, slots.len() == 1);
            names.push(ModeName { name, group: index });
        }
    }
    names
}

fn mode_name(group: &str, operation: &str, alone: bool) -> String {
    let name = if alone {
        group.to_owned()
    } else {
        format!("{group}-{operation}")
    };
    let fit = |c: char| {
        if c.is_alphanumeric() || c == '_' || c == '-' {
            c
        } else {
            '_'
        }
    };
    name.to_uppercase().chars().map(fit).collect()
}

impl Modes {
    /// A step begins.
    pub(super) fn begin(&mut self, unix_s: f64) {
        *self = Self {
            unix_s,
            ..Self::default()
        };
    }

    /// Takes in an interval. True if it is to be reported: full seconds always, the last part of
    /// a second if something succeeded in it or nothing was reported yet.
    pub(super) fn add(&mut self, interval: &Interval) -> bool {
        if self.list.len() != interval.rows.len() {
            self.list = (0..interval.rows.len())
                .map(|row| Mode::new(&interval.rows, row))
                .collect();
        }
        let mut any = false;
        for (mode, row) in self.list.iter_mut().zip(&interval.rows) {
            any |= mode.add(row, interval.t_s);
        }
        let report = any || interval.length_s >= FULL_S || !self.reported;
        self.reported |= report;
        report
    }

    /// Every mode with what it did in the interval that was taken in last. As in the whole step, its
    /// mean rate is over its own time, here to the end of the second in which it ended.
    pub(super) fn per_second(&self, interval: &Interval) -> Vec<(&Mode, Snapshot)> {
        let snapshot = |mode: &Mode| Snapshot {
            count: mode.count,
            mean_rate: mode.meter.mean_ops_per_s(mode.active_s),
            weighted_rates: mode.weighted_rates(),
            latency: (&interval.rows[mode.row].service).into(),
        };
        self.list
            .iter()
            .map(|mode| (mode, snapshot(mode)))
            .collect()
    }

    /// Every mode with what it did in the whole step. Its mean rate is over its own window, so
    /// that waiting for other modes does not dilute it.
    pub(super) fn per_run<'a>(
        &'a mut self,
        totals: &'a Interval,
        record: Option<&TrialRecord>,
    ) -> Vec<PerRun<'a>> {
        if self.list.is_empty() {
            let _ = self.add(totals);
        }
        let of_mode = |(mode, row): (&'a Mode, &'a IntervalRow)| {
            let count = crate::line::successes(row);
            let window = record.and_then(|record| window_of(record, row));
            let (elapsed_s, mean_rate) = window.unwrap_or_else(|| {
                let rate = mode.meter.mean_ops_per_s(mode.active_s);
                (mode.active_s, rate)
            });
            let snapshot = Snapshot {
                count,
                mean_rate,
                weighted_rates: mode.weighted_rates(),
                latency: (&row.service).into(),
            };
            PerRun {
                mode,
                row,
                snapshot,
                elapsed_s,
            }
        };
        self.list.iter().zip(&totals.rows).map(of_mode).collect()
    }

    /// A moment of the step in seconds since the Unix epoch.
    pub(super) fn unix_s(&self, t_s: f64) -> f64 {
        self.unix_s + t_s
    }
}

/// Length in seconds of the window of a row's group, and the rate of its operation in it; `None`
/// where nothing succeeded in it.
fn window_of(record: &TrialRecord, row: &IntervalRow) -> Option<(f64, f64)> {
    let operation = record
        .groups
        .get(&row.group)?
        .operations
        .get(&row.operation)?;
    let rate = operation
        .throughput_ops_per_s
        .filter(|rate| *rate > 0.0 && rate.is_finite())?;
    Some((operation.completed_in_window as f64 / rate, rate))
}

impl Mode {
    fn new(rows: &[IntervalRow], row: usize) -> Self {
        let IntervalRow {
            group, operation, ..
        } = &rows[row];
        let alone = rows.iter().filter(|other| other.group == *group).count() == 1;
        Self {
            name: mode_name(group, operation, alone),
            row,
            meter: RateMeter::new(),
            count: 0,
            active_s: 0.0,
        }
    }

    /// Takes in its row of an interval that ended at `t_s`. True if something succeeded in it.
    fn add(&mut self, row: &IntervalRow, t_s: f64) -> bool {
        let successes = crate::line::successes(row);
        self.count += successes;
        self.meter.mark(successes);
        self.meter.advance(t_s);
        if row.counters.ended() > 0 || row.in_flight > 0 {
            self.active_s = t_s;
        }
        successes > 0
    }

    fn weighted_rates(&self) -> [f64; 3] {
        [
            self.meter.m1_ops_per_s(),
            self.meter.m5_ops_per_s(),
            self.meter.m15_ops_per_s(),
        ]
    }
}
