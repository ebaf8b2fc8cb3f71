//! JSON files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::error::StoreError;

/// Writes a value as indented JSON: into a file beside it, to the disk, and then in place by
/// rename. On failure the file that was there before is still there.
pub(crate) fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), StoreError> {
    let mut json = serde_json::to_vec_pretty(value).expect("records are plain data");
    json.push(b'\n');
    let folder = path.parent().expect("a record stands in a folder");
    let name = path.file_name().expect("a record has a name");
    let beside = folder.join(format!(".{}.tmp", name.to_string_lossy()));
    let written = replace(&json, &beside, path, folder);
    if written.is_err() {
        // Makes room on a full disk. If this fails too, the first failure is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(|source| StoreError::write(path, source))
}

fn replace(json: &[u8], beside: &Path, path: &Path, folder: &Path) -> io::Result<()> {
    let mut file = File::create(beside)?;
    file.write_all(json)?;
    file.sync_all()?;
    fs::rename(beside, path)?;
    // The rename itself is on the disk only when the folder is.
    File::open(folder)?.sync_all()
}
