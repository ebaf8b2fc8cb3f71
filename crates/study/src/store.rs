//! The output folder of a run: where each file is, and how it gets there.
//!
//! Owns names and layout. JSON files appear whole, by rename; files that grow (latencies, series,
//! log) are written in whole lines, so that what a full disk or a kill leaves can be read.

mod error;
mod folder;
mod json_file;
mod latency_log;
mod line_file;
mod names;
mod own;
mod reserve;
mod series;
mod trial_folder;
mod trial_log;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use docstone_model::plan::PlanFile;
use docstone_model::record::RunRecord;
use jiff::Timestamp;

pub use error::StoreError;
pub use own::Abandon;
pub(crate) use trial_folder::TrialFolder;

use folder::OutFolder;
use names::CellNames;
use own::{Own, lock};
use reserve::Reserve;

/// Where a run is stored that names no folder, below the working folder.
const DEFAULT_ROOT: &str = "docstone-results";

/// The output folder of one run. Dropped, it gives up its reserve, and the folder goes if nothing
/// was written into it.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    cells: CellNames,
    own: Arc<Mutex<Own>>,
}

impl Store {
    /// Creates the output folder: `out`, or `docstone-results/<name>-<UTC time>` below the working
    /// folder, with `-2`, `-3`, ... where that is taken.
    ///
    /// # Errors
    /// If `out` exists, the folder cannot be created, or the disk has no room for records. What
    /// was made until then is removed.
    pub fn create(out: Option<&Path>, name: &str) -> Result<Self, StoreError> {
        let mut folder = OutFolder::default();
        let root = match out {
            Some(out) => folder.make_named(out)?,
            None => folder.make_free(Path::new(DEFAULT_ROOT), name, Timestamp::now())?,
        };
        let reserve = Reserve::take(&root)?;
        Ok(Self {
            own: Arc::new(Mutex::new(Own::new(root.clone(), reserve, folder))),
            root,
            cells: CellNames::default(),
        })
    }

    /// For the one who must end this process before the run has ended.
    pub fn abandon(&self) -> Abandon {
        Abandon::new(&self.own)
    }

    /// Gives up the room that was kept for the last records: a file could not be written.
    pub(crate) fn give_room(&mut self) {
        lock(&self.own).give_room();
    }

    /// Writes records; where that fails, once more with the room kept for them.
    ///
    /// # Errors
    /// If it fails again, with that failure: it names what is missing. Else with the first one, as
    /// the end of the room.
    pub(crate) fn write_in_room(
        &mut self,
        mut write: impl FnMut(&Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let Err(first) = write(self) else {
            return Ok(());
        };
        self.give_room();
        write(self)?;
        Err(first.healed(&self.root))
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
        lock(&self.own).write_run(record)
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

impl Drop for Store {
    fn drop(&mut self) {
        lock(&self.own).close();
    }
}

#[cfg(test)]
mod tests;
