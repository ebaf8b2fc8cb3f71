//! Steps that are told to listeners by hand, for the tests of this module.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use docstone_model::record::TrialRecord;
use docstone_model::{Interval, Plan, RunEvent, StepPlan, Stop};

use crate::Listener;
use crate::fixture::{START_UNIX_S, interval, latencies, row, step};

/// A writer whose text can be read.
#[derive(Clone, Default)]
pub(super) struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    /// What was written so far.
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("UTF-8")
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The intervals of a step in which each mode has so many successes per second; the last may be
/// shorter than a second.
pub(super) fn intervals(modes: &[&str], seconds: &[(f64, u64)]) -> Vec<Interval> {
    let mut t_s = 0.0;
    let mut all = Vec::new();
    for (length_s, ok) in seconds {
        t_s += length_s;
        let rows = modes
            .iter()
            .map(|mode| row(mode, &mode.to_lowercase(), *ok, 8_520_000));
        let mut one = interval(t_s, rows.collect());
        one.length_s = *length_s;
        all.push(one);
    }
    all
}

/// Whole-step rows of these intervals.
pub(super) fn totals(intervals: &[Interval]) -> Interval {
    let mut totals = intervals.last().expect("an interval").clone();
    for (index, row) in totals.rows.iter_mut().enumerate() {
        row.counters = docstone_model::Counters::default();
        for one in intervals {
            row.counters.add(&one.rows[index].counters);
        }
        row.service = latencies(row.counters.ok, 8_520_000);
        row.in_flight = 0;
    }
    totals
}

pub(super) struct Played<'a> {
    pub(super) plan: &'a Plan,
    pub(super) start_unix_s: f64,
    pub(super) record: Option<&'a TrialRecord>,
}

impl Played<'_> {
    /// Tells `listener` one step of the plan.
    pub(super) fn step(
        &self,
        listener: &mut dyn Listener,
        index: usize,
        intervals: &[Interval],
    ) -> io::Result<()> {
        let step = &self.plan.steps[index];
        let unix_s = self.start_unix_s;
        listener.event(&RunEvent::StepStarted {
            index,
            step,
            unix_s,
        })?;
        for interval in intervals {
            listener.event(&RunEvent::Interval(interval))?;
        }
        let (totals, record) = (totals(intervals), self.record);
        listener.event(&RunEvent::StepEnded {
            index,
            step,
            record,
            totals: &totals,
        })
    }
}

pub(super) fn play(plan: &Plan, listener: &mut dyn Listener, intervals: &[Interval]) {
    let (out, notes) = (Path::new("out"), []);
    listener
        .event(&RunEvent::RunStarted {
            plan,
            out,
            notes: &notes,
        })
        .expect("started");
    let played = Played {
        plan,
        start_unix_s: START_UNIX_S,
        record: None,
    };
    played.step(listener, 0, intervals).expect("a step");
}

pub(super) fn steps(modes: usize, stops: &[Stop]) -> Vec<StepPlan> {
    let number =
        |(index, stop): (usize, &Stop)| step(&format!("step-{}", index + 1), modes, 10, *stop);
    stops.iter().enumerate().map(number).collect()
}
