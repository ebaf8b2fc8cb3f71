//! The old tool's text on stdout: a block per second and mode, a block per step and mode, and the
//! log lines around them that scripts read.

use std::io::{self, Write};
use std::path::PathBuf;

use docstone_model::plan::{Plan, SetupMode};
use docstone_model::record::Status;
use docstone_model::{Interval, LoadModel, RunEvent, StepPlan};

use super::banner::{banner, log_time, short_time};
use super::modes::{self, Mode, Modes};
use super::snapshot::Snapshot;
use crate::Listener;

/// The longest step where `-d` is absent, in seconds; only printed.
const DEFAULT_DURATION_S: u64 = 3_600;

/// Prints the blocks and the log lines. Times are UTC, in a fixed form.
pub struct Timers {
    out: Box<dyn Write + Send>,
    csv_folder: PathBuf,
    modes: Modes,
    names: Vec<String>,
    drops: Option<String>,
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
        }
    }

    /// Writes a text at once, so that other output does not stand inside it.
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
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
            step.loads.len()
        ));
        for load in &step.loads {
            let name = self.names.get(load.group).map_or("", String::as_str);
            line(&format!("OPERATION SETUP: Adding run mode {name}"));
        }
        for load in &step.loads {
            let LoadModel::Closed { concurrency, .. } = load.model;
            let name = self.names.get(load.group).map_or("", String::as_str);
            let seconds = load
                .stop
                .duration_ns
                .map_or(DEFAULT_DURATION_S, |ns| ns / 1_000_000_000);
            line(&format!(
                ">>> OperationExecutor threadCount: {concurrency}, opsCount: {}, \
                 maxDurationInSeconds: {seconds}, operation: {name}",
                load.stop.operations.unwrap_or(0)
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
            .map(|(mode, snapshot)| block(unix_s, "stats-per-second", mode, snapshot))
            .collect();
        self.write(&blocks)
    }

    fn step_ended(
        &mut self,
        step: &StepPlan,
        totals: &Interval,
        interrupted: bool,
    ) -> io::Result<()> {
        let unix_s = self.modes.unix_s(totals.t_s);
        let mut text = String::new();
        for (mode, snapshot) in self.modes.per_run(totals) {
            let row = &totals.rows[mode.row()];
            let done = if interrupted {
                "interrupted"
            } else if reached(step, mode.row(), row.counters.started) {
                "in time"
            } else {
                "timed out"
            };
            let length_ms = (mode.active_s() * 1e3).round();
            text.push_str(&log_line(
                unix_s,
                &format!("Done ({done}) in {length_ms:.0} ms "),
            ));
            let documents = match row.counters.documents_unknown {
                0 => row.counters.documents.to_string(),
                _ => "unknown".to_owned(),
            };
            text.push_str(&summary_lines(unix_s, &documents, &snapshot));
            text.push_str(&block(unix_s, "stats-per-run", mode, &snapshot));
            let csv = format!("stats-per-second-{0}.csv, stats-per-run-{0}.csv", mode.name);
            text.push_str(&log_line(unix_s, &format!("statistics in {csv}")));
            let folder = format!("in the folder {}", self.csv_folder.display());
            text.push_str(&log_line(unix_s, &folder));
        }
        self.write(&text)
    }
}

/// True if a mode has done the operations that it was told to do.
fn reached(step: &StepPlan, mode: usize, started: u64) -> bool {
    let limit = step.loads.get(mode).and_then(|load| load.stop.operations);
    limit.is_some_and(|operations| started >= operations)
}

/// A line of the old tool's log form.
fn log_line(unix_s: f64, message: &str) -> String {
    format!(
        "{} [main] INFO  docstone.idealo - {message}\n",
        log_time(unix_s)
    )
}

/// The block of one mode: two banners, its name, its numbers, two blank lines.
fn block(unix_s: f64, kind: &str, mode: &Mode, snapshot: &Snapshot) -> String {
    format!(
        "{}\n\n{}\n{kind}-{}\n{}\n\n",
        banner(&short_time(unix_s), '='),
        banner("-- Timers", '-'),
        mode.name,
        snapshot.block()
    )
}

/// The summary of one mode, a line per number; latencies in milliseconds.
fn summary_lines(unix_s: f64, documents: &str, snapshot: &Snapshot) -> String {
    let [m1, m5, m15] = snapshot.weighted_rates;
    let ms = &snapshot.latency;
    let mut text = log_line(unix_s, &format!("affected documents: {documents}"));
    text.push_str(&log_line(unix_s, &format!("count: {}", snapshot.count)));
    let numbers = [
        ("FifteenMinuteRate", m15),
        ("FiveMinuteRate", m5),
        ("OneMinuteRate", m1),
        ("MeanRate", snapshot.mean_rate),
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
        text.push_str(&log_line(unix_s, &format!("{label}: {value:?}")));
    }
    text.push_str(&log_line(unix_s, &format!("Snapshot Size: {}", ms.size)));
    text
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
            } => {
                let status = record.map(|record| record.status);
                self.step_ended(step, totals, status == Some(Status::Interrupted))
            }
            RunEvent::Note { .. } | RunEvent::RunEnded { .. } => Ok(()),
        }
    }
}
