//! Files that grow by whole lines.
//!
//! Owns what happens when a write fails half-way: the file is cut back to its last whole line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::StoreError;

/// What lines are written to; a file, or something smaller in tests.
pub(crate) trait Sink: Write {
    /// Cuts what was written to its first `bytes` bytes.
    fn truncate(&mut self, bytes: u64) -> io::Result<()>;

    /// Brings all that was written to the disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl Sink for File {
    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A file of lines. Nothing is held back in memory: what was appended has left this process.
#[derive(Debug)]
pub(crate) struct LineFile<S = File> {
    path: PathBuf,
    sink: S,
    /// Bytes of whole lines.
    whole_bytes: u64,
    /// Part of a line could not be cut off, so that nothing may follow it.
    torn: bool,
}

impl LineFile {
    /// Creates an empty file.
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|source| StoreError::write(path, source))?;
        Ok(Self::over(path, file))
    }
}

impl<S: Sink> LineFile<S> {
    fn over(path: &Path, sink: S) -> Self {
        Self {
            path: path.to_owned(),
            sink,
            whole_bytes: 0,
            torn: false,
        }
    }

    /// Appends whole lines, each with its line end, all or none.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), StoreError> {
        debug_assert!(
            lines.is_empty() || lines.ends_with(b"\n"),
            "whole lines only"
        );
        if self.torn {
            let source = io::Error::other("an earlier write failed in the middle of a line");
            return Err(StoreError::write(&self.path, source));
        }
        match self.sink.write_all(lines) {
            Ok(()) => {
                self.whole_bytes += lines.len() as u64;
                Ok(())
            }
            Err(source) => {
                self.torn = self.sink.truncate(self.whole_bytes).is_err();
                Err(StoreError::write(&self.path, source))
            }
        }
    }

    /// Brings the file to the disk.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.sink
            .sync()
            .map_err(|source| StoreError::write(&self.path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that takes `room` bytes, and then part of a write.
    struct SmallDisk {
        bytes: Vec<u8>,
        room: usize,
        can_truncate: bool,
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let free = self.room - self.bytes.len();
            if free == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let taken = bytes.len().min(free);
            self.bytes.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for SmallDisk {
        fn truncate(&mut self, bytes: u64) -> io::Result<()> {
            if !self.can_truncate {
                return Err(io::ErrorKind::Unsupported.into());
            }
            self.bytes.truncate(usize::try_from(bytes).unwrap());
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn file(room: usize, can_truncate: bool) -> LineFile<SmallDisk> {
        let disk = SmallDisk {
            bytes: Vec::new(),
            room,
            can_truncate,
        };
        LineFile::over(Path::new("series.csv"), disk)
    }

    #[test]
    fn a_full_disk_is_named_and_leaves_whole_lines() {
        let mut file = file(20, true);
        file.append(b"first line\n").expect("fits");
        let error = file.append(b"second line\n").expect_err("does not fit");
        assert_eq!(error.path(), Path::new("series.csv"));
        assert!(error.help().expect("a cure").contains("disk is full"));
        assert_eq!(file.sink.bytes, b"first line\n");
    }

    #[test]
    fn lines_go_on_when_there_is_room_again() {
        let mut file = file(20, true);
        file.append(b"first line\n").expect("fits");
        file.append(b"second line\n").expect_err("does not fit");
        file.append(b"third\n").expect("fits");
        assert_eq!(file.sink.bytes, b"first line\nthird\n");
    }

    #[test]
    fn nothing_follows_a_torn_line_that_cannot_be_cut_off() {
        let mut file = file(14, false);
        file.append(b"first line\n").expect("fits");
        file.append(b"second line\n").expect_err("does not fit");
        file.sink.room = 1000;
        file.append(b"third\n")
            .expect_err("would make one line of two");
        assert_eq!(file.sink.bytes, b"first line\nsec");
    }
}
