//! `log.txt`: what happened in a trial, in lines for people.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use docstone_engine::{IntervalData, SlotOf};
use docstone_model::{Interval, Plan};

use super::error::StoreError;
use super::line_file::LineFile;

/// The file of lines.
#[derive(Debug)]
pub(crate) struct TrialLog {
    file: LineFile,
    /// Group, operation and error class whose first message stands in the log already. Bounded by
    /// the number of error codes, not by the number of errors.
    told: BTreeSet<(usize, SlotOf, String)>,
}

impl TrialLog {
    /// Creates the empty file.
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            file: LineFile::create(path)?,
            told: BTreeSet::new(),
        })
    }

    /// Appends a line about the run, outside the time of a step.
    pub(crate) fn note(&mut self, text: &str) -> Result<(), StoreError> {
        self.file.append(format!("{}\n", one_line(text)).as_bytes())
    }

    /// Appends a line with its time in a step.
    pub(crate) fn event(&mut self, phase: &str, t_s: f64, text: &str) -> Result<(), StoreError> {
        self.note(&format!("[{phase} {t_s:.3} s] {text}"))
    }

    /// Appends the line of an interval, and the first message of each error that is new in it.
    pub(crate) fn interval(
        &mut self,
        plan: &Plan,
        data: &IntervalData,
        interval: &Interval,
    ) -> Result<(), StoreError> {
        let ended: u64 = interval.rows.iter().map(|row| row.counters.ended()).sum();
        let errors: u64 = interval.rows.iter().map(|row| row.counters.errors).sum();
        let in_flight: u64 = interval.rows.iter().map(|row| row.in_flight).sum();
        let mut text = format!("{ended} operations ended, {errors} errors, {in_flight} in flight");
        if let Some(outage) = interval.outage {
            let from_s = outage.from_ns as f64 / 1e9;
            let _ = write!(text, "; no success since {from_s:.3} s");
        }
        self.event(&interval.phase, interval.t_s, &text)?;
        for slot in &data.slots {
            for (class, message) in &slot.error_messages {
                let key = (slot.key.group, slot.key.of, class.clone());
                if self.told.insert(key) {
                    let group = &plan.groups[slot.key.group].name;
                    let operation = slot.key.name(plan);
                    let text = format!("first error {class} of {group}.{operation}: {message}");
                    self.event(&interval.phase, interval.t_s, &text)?;
                }
            }
        }
        Ok(())
    }

    /// Forgets which errors were told, for a new step.
    pub(crate) fn begin_step(&mut self) {
        self.told.clear();
    }

    /// Brings the file to the disk.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.file.sync()
    }
}

/// Messages of servers may have several lines; a log entry has one.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
