//! The output folder of a run: where each file is, and how it gets there.
//!
//! Owns names and layout. JSON files appear whole, by rename; files that grow (latencies, series,
//! log) are written in whole lines, so that what a full disk or a kill leaves can be read.

mod error;
mod json_file;
mod latency_log;
mod line_file;
mod names;
mod reserve;
mod series;
mod trial_folder;
mod trial_log;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use docstone_model::plan::PlanFile;
use docstone_model::record::RunRecord;
use jiff::Timestamp;

pub use error::StoreError;
pub(crate) use trial_folder::TrialFolder;

use names::{CellNames, safe_name};
use reserve::Reserve;

/// Where a run is stored that names no folder, below the working folder.
const DEFAULT_ROOT: &str = "docstone-results";

/// The output folder of one run.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    cells: CellNames,
    /// Given up when a file cannot be written.
    reserve: Option<Reserve>,
}

impl Store {
    /// Tells whether [`Store::create`] would succeed, and leaves nothing behind: for a check before
    /// the target is touched.
    ///
    /// # Errors
    /// If `out` exists, or the folder cannot be created.
    pub fn check(out: Option<&Path>) -> Result<(), StoreError> {
        let out = match out {
            Some(out) if exists(out) => return Err(StoreError::exists(out)),
            Some(out) => out.to_owned(),
            None => Path::new(DEFAULT_ROOT).join("new"),
        };
        // The nearest folder that exists decides: all below it will be ours.
        let mut nearest = out.parent();
        while let Some(parent) =
            nearest.filter(|path| !path.as_os_str().is_empty() && !exists(path))
        {
            nearest = parent.parent();
        }
        let nearest = nearest
            .filter(|path| !path.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let probe = nearest.join(format!(".docstone-probe-{}", std::process::id()));
        match fs::create_dir(&probe).and_then(|()| fs::remove_dir(&probe)) {
            // Left by a process of the same number that was killed just here.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            probed => probed.map_err(|source| StoreError::create(&out, source)),
        }
    }

    /// Creates the output folder: `out`, or `docstone-results/<name>-<UTC time>` below the working
    /// folder, with `-2`, `-3`, ... where that is taken.
    ///
    /// # Errors
    /// If `out` exists, the folder cannot be created, or the disk has no room for records.
    pub fn create(out: Option<&Path>, name: &str) -> Result<Self, StoreError> {
        // Names the cause better than the attempt to create it would.
        Self::check(out)?;
        let root = match out {
            Some(out) => create_named(out)?,
            None => create_free(Path::new(DEFAULT_ROOT), name, Timestamp::now())?,
        };
        Ok(Self {
            reserve: Some(Reserve::take(&root)?),
            root,
            cells: CellNames::default(),
        })
    }

    /// Gives up the room that was kept for the last records: a file could not be written.
    pub(crate) fn give_room(&mut self) {
        self.reserve = None;
    }

    /// The output folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes `plan.json`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write_plan(&self, plan: &PlanFile) -> Result<(), StoreError> {
        json_file::write(&self.root.join("plan.json"), plan)
    }

    /// Writes the run's `record.json` anew.
    ///
    /// # Errors
    /// If it cannot be written; the one before stays.
    pub(crate) fn write_run(&self, record: &RunRecord) -> Result<(), StoreError> {
        json_file::write(&self.root.join("record.json"), record)
    }

    /// Creates the folder of the next trial of a cell, `trials/<cell>/<nn>`, and its files that
    /// grow from the first warm-up on.
    ///
    /// # Errors
    /// If a folder or file cannot be created.
    pub(crate) fn open_trial(&mut self, cell: &str) -> Result<TrialFolder, StoreError> {
        let (folder, n) = self.cells.next(cell);
        TrialFolder::create(&self.root, format!("trials/{folder}/{n:02}"), n)
    }
}

/// Also true for a link that leads nowhere.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn create_named(out: &Path) -> Result<PathBuf, StoreError> {
    if let Some(parent) = out.parent() {
        fs::create_dir_all(parent).map_err(|source| StoreError::create(out, source))?;
    }
    match fs::create_dir(out) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(StoreError::exists(out)),
        Err(error) => Err(StoreError::create(out, error)),
        Ok(()) => Ok(out.to_owned()),
    }
}

fn create_free(base: &Path, name: &str, now: Timestamp) -> Result<PathBuf, StoreError> {
    let first = format!("{}-{}", safe_name(name), now.strftime("%Y%m%dT%H%M%SZ"));
    fs::create_dir_all(base).map_err(|source| StoreError::create(base, source))?;
    for n in 1_u32.. {
        let root = match n {
            1 => base.join(&first),
            n => base.join(format!("{first}-{n}")),
        };
        match fs::create_dir(&root) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::create(&root, error)),
            Ok(()) => return Ok(root),
        }
    }
    unreachable!("a folder cannot hold 2^32 runs of one second");
}

#[cfg(test)]
mod tests;
