//! The old tool's text on stdout: a block per second and mode, a block per step and mode, and the
//! log lines around them that scripts read.

use std::io::{self, Write};
use std::path::PathBuf;

use docstone_model::plan::{Plan, SetupMode};
use docstone_model::record::{Status, TrialRecord};
use docstone_model::{GroupLoad, Interval, IntervalRow, RunEvent, StepPlan};

use super::banner::{banner, log_time, short_time};
use super::modes::{self, ModeName, Modes, PerRun};
use super::snapshot::Snapshot;
use crate::Listener;

/// The longest step where `-d` is absent, in seconds; only printed.
const DEFAULT_DURATION_S: u64 = 3_600;

/// Prints the blocks and the log lines. Times are UTC, in a fixed form.
pub struct Timers {
    out: Box<dyn Write + Send>,
    csv_folder: PathBuf,
    modes: Modes,
    names: Vec<ModeName>,
    drops: Option<String>,
    reader_gone: bool,
}

impl Timers {
    /// Blocks on `out`; `csv_folder` is where [`super::StatsCsv`] writes, and is only named.
    pub fn new(out: Box<dyn Write + Send>, csv_folder: impl Into<PathBuf>) -> Self {
        Self {
            out,
            csv_folder: csv_folder.into(),
            modes: Modes::default(),
            names: Vec::new(),
            drops: None,
            reader_gone: false,
        }
    }

    /// Writes a text at once, so that other output does not stand inside it. Where the reader of
    /// a pipe has gone the rest is dropped: the run goes on.
    fn write(&mut self, text: &str) -> io::Result<()> {
        if self.reader_gone {
            return Ok(());
        }
        match self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush())
        {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader_gone = true;
                Ok(())
            }
            Err(error) => Err(io::Error::new(error.kind(), format!("stdout: {error}"))),
            Ok(()) => Ok(()),
        }
    }

    fn run_started(&mut self, plan: &Plan) {
        self.names = modes::names(plan);
        let drops = plan.setup == SetupMode::DropDatabase;
        self.drops = drops.then(|| plan.target.database.clone());
    }

    fn step_started(&mut self, step: &StepPlan, unix_s: f64) -> io::Result<()> {
        self.modes.begin(unix_s);
        let mut text = String::new();
        let mut line = |message: &str| text.push_str(&log_line(unix_s, message));
        if let Some(database) = self.drops.take() {
            line(&format!("OPERATION SETUP: database '{database}' dropped"));
        }
        line(&format!(
            "OPERATION SETUP: Total modes {}",
            self.names.len()
        ));
        for mode in &self.names {
            line(&format!("OPERATION SETUP: Adding run mode {}", mode.name));
        }
        for mode in &self.names {
            let Some(load) = load_of(step, mode) else {
                continue;
            };
            let concurrency = load.model.concurrency();
            let seconds = load
                .stop
                .duration_ns
                .map_or(DEFAULT_DURATION_S, |ns| ns / 1_000_000_000);
            line(&format!(
                ">>> OperationExecutor threadCount: {concurrency}, opsCount: {}, \
                 maxDurationInSeconds: {seconds}, operation: {}",
                load.stop.operations.unwrap_or(0),
                mode.name
            ));
        }
        line("OPERATION SETUP: All run modes are running, waiting for their end");
        self.write(&text)
    }

    fn interval(&mut self, interval: &Interval) -> io::Result<()> {
        if !self.modes.add(interval) {
            return Ok(());
        }
        let unix_s = self.modes.unix_s(interval.t_s);
        let blocks: String = self
            .modes
            .per_second(interval)
            .iter()
            .map(|(mode, snapshot)| block(unix_s, "stats-per-second", &mode.name, snapshot))
            .collect();
        self.write(&blocks)
    }

    fn step_ended(
        &mut self,
        step: &StepPlan,
        totals: &Interval,
        record: Option<&TrialRecord>,
    ) -> io::Result<()> {
        let unix_s = self.modes.unix_s(totals.t_s);
        let interrupted = record.is_some_and(|record| record.status == Status::Interrupted);
        let mut text = String::new();
        let mut line = |message: &str| text.push_str(&log_line(unix_s, message));
        let modes = self.modes.per_run(totals, record);
        for of_mode in &modes {
            let load = self
                .names
                .get(of_mode.mode.row)
                .and_then(|mode| load_of(step, mode));
            let done = if load.is_some_and(|load| reached(load, of_mode.row, totals)) {
                "in time"
            } else if interrupted {
                "interrupted"
            } else {
                "timed out"
            };
            let length_ms = (of_mode.elapsed_s * 1e3).round();
            line(&format!("Done ({done}) in {length_ms:.0} ms "));
            summary_lines(of_mode, &mut line);
        }
        for of_mode in &modes {
            text.push_str(&block(
                unix_s,
                "stats-per-run",
                &of_mode.mode.name,
                &of_mode.snapshot,
            ));
        }
        for of_mode in &modes {
            let name = &of_mode.mode.name;
            let csv =
                format!("statistics in stats-per-second-{name}.csv, stats-per-run-{name}.csv");
            text.push_str(&log_line(unix_s, &csv));
            let folder = format!("in the folder {}", self.csv_folder.display());
            text.push_str(&log_line(unix_s, &folder));
        }
        drop(modes);
        self.write(&text)
    }
}

/// What a mode does in a step.
fn load_of<'a>(step: &'a StepPlan, mode: &ModeName) -> Option<&'a GroupLoad> {
    step.loads.iter().find(|load| load.group == mode.group)
}

/// True if the group of a row has done the operations that it was told to do.
fn reached(load: &GroupLoad, row: &IntervalRow, totals: &Interval) -> bool {
    let of_group = totals.rows.iter().filter(|other| other.group == row.group);
    let started: u64 = of_group.map(|row| row.counters.started).sum();
    load.stop
        .operations
        .is_some_and(|operations| started >= operations)
}

/// A line of the old tool's log form.
fn log_line(unix_s: f64, message: &str) -> String {
    format!(
        "{} [main] INFO  docstone.idealo - {message}\n",
        log_time(unix_s)
    )
}

/// The block of one mode: two banners, its name, its numbers, two blank lines.
fn block(unix_s: f64, kind: &str, mode: &str, snapshot: &Snapshot) -> String {
    format!(
        "{}\n\n{}\n{kind}-{mode}\n{}\n\n",
        banner(&short_time(unix_s), '='),
        banner("-- Timers", '-'),
        snapshot.block()
    )
}

/// The summary of one mode, a line per number; latencies in milliseconds.
fn summary_lines(of_mode: &PerRun<'_>, line: &mut dyn FnMut(&str)) {
    let counters = &of_mode.row.counters;
    let documents = match counters.documents_unknown {
        0 => counters.documents.to_string(),
        _ => "unknown".to_owned(),
    };
    line(&format!("affected documents: {documents}"));
    line(&format!("count: {}", of_mode.snapshot.count));
    line(&format!("failed: {}", counters.errors));
    let [m1, m5, m15] = of_mode.snapshot.weighted_rates;
    let ms = &of_mode.snapshot.latency;
    let numbers = [
        ("FifteenMinuteRate", m15),
        ("FiveMinuteRate", m5),
        ("OneMinuteRate", m1),
        ("MeanRate", of_mode.snapshot.mean_rate),
        ("Snapshot 75thPercentile", ms.p75),
        ("Snapshot 95thPercentile", ms.p95),
        ("Snapshot 98thPercentile", ms.p98),
        ("Snapshot 99thPercentile", ms.p99),
        ("Snapshot 999thPercentile", ms.p99_9),
        ("Snapshot Min", ms.min),
        ("Snapshot Max", ms.max),
        ("Snapshot Mean", ms.mean),
        ("Snapshot Median", ms.p50),
        ("Snapshot StdDev", ms.stddev),
    ];
    for (label, value) in numbers {
        line(&format!("{label}: {value:?}"));
    }
    line(&format!("Snapshot Size: {}", ms.size));
}

impl Listener for Timers {
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        match event {
            RunEvent::RunStarted { plan, .. } => {
                self.run_started(plan);
                Ok(())
            }
            RunEvent::StepStarted { step, unix_s, .. } => self.step_started(step, *unix_s),
            RunEvent::Interval(interval) => self.interval(interval),
            RunEvent::StepEnded {
                step,
                record,
                totals,
                ..
            } => self.step_ended(step, totals, *record),
            RunEvent::Note { .. } | RunEvent::RunEnded { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
