//! What can go wrong with the files of a run.

use std::io;
use std::path::{Path, PathBuf};

/// A file or folder of a run could not be written. Names it and the cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The output folder that was named exists.
    #[error("the output folder {} exists", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The output folder cannot be created.
    #[error("cannot create the output folder {}: {source}", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The output folder was created and takes no file of 256 KiB.
    #[error("the output folder {} has no room for records: {source}", path.display())]
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the run cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A record could be written only with the room that was kept for it. None is missing, and none
    /// of another trial could be written.
    #[error("no more can be written into the output folder {}: {source}", path.display())]
    LastRoom {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl StoreError {
    pub(crate) fn exists(path: &Path) -> Self {
        Self::Exists {
            path: path.to_owned(),
        }
    }

    pub(crate) fn create(path: &Path, source: io::Error) -> Self {
        Self::Create {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn no_room(path: &Path, source: io::Error) -> Self {
        Self::NoRoom {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write {
            path: path.to_owned(),
            source,
        }
    }

    /// What it means where the file was written after all, with the room kept for it in `root`.
    pub(crate) fn healed(self, root: &Path) -> Self {
        match self {
            Self::Write { source, .. } => Self::LastRoom {
                path: root.to_owned(),
                source,
            },
            other => other,
        }
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::Exists { path }
            | Self::Create { path, .. }
            | Self::NoRoom { path, .. }
            | Self::Write { path, .. }
            | Self::LastRoom { path, .. } => path,
        }
    }

    /// True if the folder was refused before anything started (exit 2); false if writing failed
    /// later (exit 1).
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Write { .. } | Self::LastRoom { .. })
    }

    /// What to do about it, where that can be said.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Exists { .. } => Some("name another folder with --out, or remove this one"),
            Self::Create { .. } => Some("name a folder that can be created with --out"),
            Self::NoRoom { .. } => {
                Some("make room for at least 256 KiB, or name a folder on another disk with --out")
            }
            Self::Write { source, .. } if is_full(source) => {
                Some("the disk is full; the files that were complete before can be read")
            }
            Self::LastRoom { source, .. } if is_full(source) => {
                Some("the disk is full; the files of all that was measured are complete")
            }
            Self::Write { .. } | Self::LastRoom { .. } => None,
        }
    }
}

fn is_full(source: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(source.kind(), StorageFull | QuotaExceeded)
}
