//! The output folder itself: made with its parents, and taken away again while it is empty.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::error::StoreError;
use super::names::safe_name;

/// The folders that this run made, the outermost first. Dropped, those go that are empty.
#[derive(Debug, Default)]
pub(super) struct OutFolder(Vec<PathBuf>);

impl OutFolder {
    /// Makes a folder of this name with its parents.
    pub(super) fn make_named(&mut self, out: &Path) -> Result<PathBuf, StoreError> {
        if exists(out) {
            return Err(StoreError::exists(out));
        }
        if let Some(parent) = out.parent() {
            self.make_missing(parent)
                .map_err(|source| StoreError::create(out, source))?;
        }
        match fs::create_dir(out) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(StoreError::exists(out))
            }
            Err(error) => Err(StoreError::create(out, error)),
            Ok(()) => {
                self.0.push(out.to_owned());
                Ok(out.to_owned())
            }
        }
    }

    /// Makes a folder whose name is made of the plan's name and the time, and is not taken.
    pub(super) fn make_free(
        &mut self,
        base: &Path,
        name: &str,
        now: Timestamp,
    ) -> Result<PathBuf, StoreError> {
        let first = format!("{}-{}", safe_name(name), now.strftime("%Y%m%dT%H%M%SZ"));
        self.make_missing(base)
            .map_err(|source| StoreError::create(base, source))?;
        for n in 1_u32.. {
            let root = match n {
                1 => base.join(&first),
                n => base.join(format!("{first}-{n}")),
            };
            match fs::create_dir(&root) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StoreError::create(&root, error)),
                Ok(()) => {
                    self.0.push(root.clone());
                    return Ok(root);
                }
            }
        }
        unreachable!("a folder cannot hold 2^32 runs of one second");
    }

    /// Makes a folder and its parents where they are missing.
    fn make_missing(&mut self, path: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = path
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && !exists(path))
            .collect();
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                // Another process was faster, or it is `..` of one that was made just now.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => {
                    made?;
                    self.0.push(folder.to_owned());
                }
            }
        }
        Ok(())
    }
}

impl Drop for OutFolder {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // Refused by the system if there is something in it, as there is after a run.
            if fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }
}

/// Also true for a link that leads nowhere.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
