//! One trial's folder: `trials/<cell>/<nn>`.
//!
//! Owns which files stand in it and when each begins: series and log with the first warm-up step
//! before the trial, the latencies with the measured load, the record with the trial's end.

use std::fs;
use std::path::{Path, PathBuf};

use docstone_engine::IntervalData;
use docstone_model::record::TrialRecord;
use docstone_model::{Interval, Plan};
use jiff::Timestamp;

use super::error::StoreError;
use super::json_file;
use super::latency_log::LatencyLog;
use super::series::Series;
use super::trial_log::TrialLog;

/// The open files of one trial.
pub(crate) struct TrialFolder {
    path: PathBuf,
    relative: String,
    n: u32,
    series: Series,
    log: TrialLog,
    /// There from the start of the measured load on.
    latencies: Option<LatencyLog>,
}

impl TrialFolder {
    pub(super) fn create(root: &Path, relative: String, n: u32) -> Result<Self, StoreError> {
        let path = root.join(&relative);
        fs::create_dir_all(&path).map_err(|source| StoreError::write(&path, source))?;
        Ok(Self {
            series: Series::create(&path.join("series.csv"))?,
            log: TrialLog::create(&path.join("log.txt"))?,
            latencies: None,
            path,
            relative,
            n,
        })
    }

    /// The folder relative to the run's.
    pub(crate) fn relative(&self) -> &str {
        &self.relative
    }

    /// Which trial of its cell it is, from 1.
    pub(crate) fn n(&self) -> u32 {
        self.n
    }

    /// Begins a step, warm-up or measured: its load starts at `start`.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn begin_step(
        &mut self,
        name: &str,
        measured: bool,
        start: Timestamp,
    ) -> Result<(), StoreError> {
        self.log.begin_step();
        let kind = if measured { "load" } else { "warm-up" };
        self.log
            .note(&format!("[{name}] {kind} starts at {start}"))?;
        if measured {
            let path = self.path.join("latency.hlog");
            self.latencies = Some(LatencyLog::create(&path, start)?);
        }
        Ok(())
    }

    /// Appends one interval to series, log and, once the measured load has begun, latencies.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn append(
        &mut self,
        plan: &Plan,
        data: &IntervalData,
        interval: &Interval,
    ) -> Result<(), StoreError> {
        self.series.append(interval)?;
        if let Some(latencies) = &mut self.latencies {
            latencies.append(plan, data)?;
        }
        self.log.interval(plan, data, interval)
    }

    /// Appends a line to the log.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn note(&mut self, text: &str) -> Result<(), StoreError> {
        self.log.note(text)
    }

    /// Appends a line to the log, with its time in a step in seconds.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn event(&mut self, phase: &str, t_s: f64, text: &str) -> Result<(), StoreError> {
        self.log.event(phase, t_s, text)
    }

    /// Brings all files to the disk and then writes the record, which says that they are complete.
    ///
    /// # Errors
    /// If a file cannot be written; the record is tried even if another file failed, and the first
    /// failure is told.
    pub(crate) fn finish(&mut self, record: &TrialRecord) -> Result<(), StoreError> {
        let synced = self.sync();
        let recorded = json_file::write(&self.path.join("record.json"), record);
        synced.and(recorded)
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        self.series.sync()?;
        self.log.sync()?;
        self.latencies.as_mut().map_or(Ok(()), LatencyLog::sync)
    }
}
