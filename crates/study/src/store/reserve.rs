//! Room on the disk that is kept free for the last records.
//!
//! A disk that fills during a run would otherwise leave no room for the record that says so.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::StoreError;

/// More than the records of a trial and its run need.
const RESERVE_BYTES: usize = 256 * 1024;

/// A file that takes up room until it is dropped.
#[derive(Debug)]
pub(super) struct Reserve(PathBuf);

impl Reserve {
    /// Takes the room; a disk without it is too full to begin on.
    pub(super) fn take(folder: &Path) -> Result<Self, StoreError> {
        let reserve = Self(folder.join(".reserve"));
        fs::write(&reserve.0, vec![0; RESERVE_BYTES])
            .map_err(|source| StoreError::no_room(folder, source))?;
        Ok(reserve)
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        // A file that cannot be removed harms no record.
        let _ = fs::remove_file(&self.0);
    }
}
