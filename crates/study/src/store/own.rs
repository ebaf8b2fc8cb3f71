//! What a run must put in order at its end, shared with the one who may have to do it in a hurry.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use docstone_model::record::{RunRecord, Status};
use jiff::Timestamp;

use super::error::StoreError;
use super::folder::OutFolder;
use super::json_file;
use super::reserve::Reserve;

/// The reserve, the folder while it is empty, and the run's record as it was written last.
#[derive(Debug)]
pub(super) struct Own {
    root: PathBuf,
    /// Given up when a file cannot be written.
    reserve: Option<Reserve>,
    record: Option<RunRecord>,
    folder: Option<OutFolder>,
    abandoned: bool,
}

impl Own {
    pub(super) fn new(root: PathBuf, reserve: Reserve, folder: OutFolder) -> Self {
        Self {
            root,
            reserve: Some(reserve),
            record: None,
            folder: Some(folder),
            abandoned: false,
        }
    }

    pub(super) fn give_room(&mut self) {
        self.reserve = None;
    }

    /// Writes the run's record anew; no more once the run was abandoned.
    pub(super) fn write_run(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        if self.abandoned {
            return Ok(());
        }
        json_file::write(&self.root.join("record.json"), record)?;
        self.record = Some(record.clone());
        Ok(())
    }

    /// Gives up the reserve, and the folder if it is empty.
    pub(super) fn close(&mut self) {
        self.reserve = None;
        self.folder = None;
    }

    fn abandon(&mut self) {
        self.reserve = None;
        if let Some(mut record) = self.record.take()
            && record.status == Status::Running
        {
            record.status = Status::Interrupted;
            record.ended_at = Some(Timestamp::now().to_string());
            record.warnings.push(
                "ended at once by a second signal: a trial that ran has no record".to_owned(),
            );
            // On a disk that is full the one before stays; there is nobody left to tell.
            let _ = self.write_run(&record);
        }
        self.abandoned = true;
        self.close();
    }
}

pub(super) fn lock(own: &Mutex<Own>) -> MutexGuard<'_, Own> {
    // A panic leaves what is to be put in order.
    own.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts the output folder in order where the process must end before its run has: the record says
/// `interrupted`, the reserve is gone, and a folder without a record too.
#[derive(Clone, Debug)]
pub struct Abandon(Arc<Mutex<Own>>);

impl Abandon {
    pub(super) fn new(own: &Arc<Mutex<Own>>) -> Self {
        Self(Arc::clone(own))
    }

    /// Does so, from any thread. The run's record is not written again after it. Does nothing to
    /// a run that has ended.
    pub fn abandon(&self) {
        lock(&self.0).abandon();
    }
}
