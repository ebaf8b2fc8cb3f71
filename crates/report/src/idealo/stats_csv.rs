//! The old tool's CSV files: a row per second and mode, and a row per step and mode.
//!
//! Files are only appended to. A row is written in one piece or not at all: where a write fails,
//! what it left behind is cut off again.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use docstone_model::plan::Plan;
use docstone_model::record::TrialRecord;
use docstone_model::{Interval, RunEvent};

use super::banner::epoch_s;
use super::modes::{self, Modes};
use crate::Listener;

/// The header of both kinds of files.
const HEADER: &str = "t,count,max,mean,min,stddev,p50,p75,p95,p98,p99,p999,\
                      mean_rate,m1_rate,m5_rate,m15_rate,rate_unit,duration_unit";

/// Columns of every row.
const COLUMNS: usize = 18;

/// Longest last row that is looked at, in bytes.
const TAIL: u64 = 4_096;

/// Writes `stats-per-second-MODE.csv` and `stats-per-run-MODE.csv`.
#[derive(Debug)]
pub struct StatsCsv {
    folder: PathBuf,
    names: Vec<String>,
    per_second: Vec<StatsFile>,
    per_run: Vec<StatsFile>,
    modes: Modes,
    last_t: i64,
    /// The present step has a row already.
    has_row: bool,
}

impl StatsCsv {
    /// Files in `folder`, for the modes of `plan`. The folder and what stands in it are checked
    /// here, before the load; files are made or opened when the first step starts.
    ///
    /// # Errors
    ///
    /// The folder cannot be written, or a file that exists is not one of these statistics; the
    /// message names it.
    pub fn new(folder: &Path, plan: &Plan) -> io::Result<Self> {
        let names: Vec<String> = modes::names(plan)
            .into_iter()
            .map(|mode| mode.name)
            .collect();
        check(folder, &names)?;
        Ok(Self {
            folder: folder.to_owned(),
            names,
            per_second: Vec::new(),
            per_run: Vec::new(),
            modes: Modes::default(),
            last_t: i64::MIN,
            has_row: false,
        })
    }

    fn step_started(&mut self, unix_s: f64) -> io::Result<()> {
        self.modes.begin(unix_s);
        self.has_row = false;
        if self.per_second.is_empty() {
            let open = |kind: &str| {
                self.names
                    .iter()
                    .map(|name| StatsFile::open(self.folder.join(file_name(kind, name))))
                    .collect::<io::Result<Vec<_>>>()
            };
            (self.per_second, self.per_run) = (open("second")?, open("run")?);
        }
        Ok(())
    }

    fn interval(&mut self, interval: &Interval) -> io::Result<()> {
        if !self.modes.add(interval) {
            return Ok(());
        }
        // Two rows of a step never share their time: what ends within a second that has its row
        // already, as the last part of a step and its drain do, has the time of the next.
        let next_t = self.last_t.saturating_add(i64::from(self.has_row));
        self.last_t = next_t.max(epoch_s(self.modes.unix_s(interval.t_s)));
        self.has_row = true;
        for (mode, snapshot) in self.modes.per_second(interval) {
            if let Some(file) = self.per_second.get_mut(mode.row) {
                file.append(&snapshot.csv_row(self.last_t))?;
            }
        }
        Ok(())
    }

    fn step_ended(&mut self, totals: &Interval, record: Option<&TrialRecord>) -> io::Result<()> {
        let t = epoch_s(self.modes.unix_s(totals.t_s));
        for of_mode in self.modes.per_run(totals, record) {
            if let Some(file) = self.per_run.get_mut(of_mode.mode.row) {
                file.append(&of_mode.snapshot.csv_row(t))?;
            }
        }
        Ok(())
    }
}

impl Listener for StatsCsv {
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        match event {
            RunEvent::StepStarted { unix_s, .. } => self.step_started(*unix_s),
            RunEvent::Interval(interval) => self.interval(interval),
            RunEvent::StepEnded { totals, record, .. } => self.step_ended(totals, *record),
            _ => Ok(()),
        }
    }
}

/// Checks that the folder can be written and that files in it may be appended to. Leaves nothing
/// behind.
fn check(folder: &Path, names: &[String]) -> io::Result<()> {
    let probe = folder.join(format!(".docstone-{}", std::process::id()));
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&probe)
        .map(drop)
    {
        Ok(()) => std::fs::remove_file(&probe),
        // Left behind by a process that was killed at this very place.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
    .map_err(|error| {
        named(
            folder,
            &error,
            "statistics cannot be written to this folder",
        )
    })?;
    for name in names {
        for kind in ["second", "run"] {
            let path = folder.join(file_name(kind, name));
            if path.exists() {
                StatsFile::check(&path)?;
            }
        }
    }
    Ok(())
}

/// `stats-per-second-INSERT.csv`.
fn file_name(kind: &str, mode: &str) -> String {
    format!("stats-per-{kind}-{mode}.csv")
}

/// An error of the system with the path that it is about.
fn named(path: &Path, error: &io::Error, what: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {what}: {error}", path.display()))
}

/// One file that is appended to.
#[derive(Debug)]
struct StatsFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl StatsFile {
    /// Opens or makes the file, and writes the header if it is empty.
    fn open(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path);
        let file = file.map_err(|error| named(&path, &error, "cannot be opened"))?;
        let (length, head) = inspect(&file, &path)?;
        let mut this = Self { path, file, length };
        if let Some(text) = head {
            this.append(&text)?;
        }
        Ok(this)
    }

    /// Checks that a file that exists may be appended to, and changes nothing.
    fn check(path: &Path) -> io::Result<()> {
        let file = OpenOptions::new().read(true).append(true).open(path);
        let file = file.map_err(|error| named(path, &error, "cannot be written"))?;
        inspect(&file, path).map(|_| ())
    }

    /// Appends a text in one piece, or nothing.
    fn append(&mut self, text: &str) -> io::Result<()> {
        match self.file.write_all(text.as_bytes()) {
            Ok(()) => {
                self.length += text.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Best effort: the write's own error is what the caller must see.
                let _ = self.file.set_len(self.length);
                Err(named(&self.path, &error, "a row could not be written"))
            }
        }
    }
}

/// Length of a statistics file, and what must be written before the next row: the header of an
/// empty file, or a missing last line end.
fn inspect(mut file: &File, path: &Path) -> io::Result<(u64, Option<String>)> {
    let failed = |error: io::Error| named(path, &error, "cannot be read");
    let length = file.metadata().map_err(failed)?.len();
    if length == 0 {
        return Ok((0, Some(format!("{HEADER}\n"))));
    }
    let refuse = |what: &str| {
        let text = format!(
            "{}: {what}; move it away, or run in another folder",
            path.display()
        );
        Err(io::Error::new(io::ErrorKind::InvalidData, text))
    };
    let mut head = vec![0; HEADER.len() + 2];
    let read = file.read(&mut head).map_err(failed)?;
    head.truncate(read);
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.strip_suffix(b"\r").unwrap_or(first) != HEADER.as_bytes() {
        return refuse("exists, with another header than these statistics have");
    }
    let tail_at = length.saturating_sub(TAIL);
    let _ = file.seek(SeekFrom::Start(tail_at)).map_err(failed)?;
    let mut tail = Vec::new();
    let _ = file.read_to_end(&mut tail).map_err(failed)?;
    if tail.last() == Some(&b'\n') {
        return Ok((length, None));
    }
    let last = tail
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    if last.split(|byte| *byte == b',').count() != COLUMNS || !last.ends_with(b"s") {
        return refuse("ends in half a row");
    }
    Ok((length, Some("\n".to_owned())))
}

#[cfg(test)]
mod tests;
