//! Files and folders that only this user can read.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::error::{PrivateError, file_error};

/// Makes a folder and its parents, for this user only. A folder that is there is left as it is.
pub(super) fn make_folder(path: &Path) -> Result<(), PrivateError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(file_error("create", path))
}

/// Writes a file, for this user only.
pub(super) fn write_private(path: &Path, content: &str) -> Result<(), PrivateError> {
    let mut file = open_private(path)?;
    file.set_len(0)
        .and_then(|()| file.write_all(content.as_bytes()))
        .map_err(file_error("write", path))
}

/// Opens a file for writing and makes it, for this user only, if it is not there.
pub(super) fn open_private(path: &Path) -> Result<File, PrivateError> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(file_error("create", path))
}
