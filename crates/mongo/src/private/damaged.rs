//! Servers that run though their folder does not say so: found by their processes.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::process::Process;
use super::state::ServerState;

/// A detached server whose state is lost while its mongods run.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// Its identifier: the name of its folder.
    pub id: String,
    /// Its folder.
    pub dir: PathBuf,
    /// What is wrong with its state.
    pub problem: String,
    /// The processes that work in the folder.
    pub processes: Vec<Process>,
    pub(super) kept: bool,
}

impl Damaged {
    /// The server in this folder, if mongods run there that its state does not name.
    pub(super) fn find(folder: &Path, kept: bool) -> Option<Self> {
        let problem = match ServerState::read(folder) {
            Ok(state) if state.is_running() => return None,
            Ok(_) => "state.json names no process that runs".to_owned(),
            Err(problem) => problem,
        };
        let processes = working_in(folder);
        (!processes.is_empty()).then(|| Self {
            id: folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            dir: folder.to_owned(),
            problem,
            processes,
            kept,
        })
    }
}

/// The processes with a data folder (`--dbpath`) below this folder: mongods, and the shells that
/// watch over them.
pub(super) fn working_in(folder: &Path) -> Vec<Process> {
    let Ok(folder) = fs::metadata(folder) else {
        return Vec::new();
    };
    let is_below = |path: &Path| {
        path.ancestors().any(|above| {
            fs::metadata(above)
                .is_ok_and(|above| (above.dev(), above.ino()) == (folder.dev(), folder.ino()))
        })
    };
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| data_folder(*pid).is_some_and(|path| is_below(&path)))
        .filter_map(Process::observe)
        .collect()
}

fn data_folder(pid: u32) -> Option<PathBuf> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let mut arguments = line.split(|byte| *byte == 0);
    let _ = arguments.find(|argument| *argument == b"--dbpath")?;
    Some(Path::new(OsStr::from_bytes(arguments.next()?)).to_owned())
}
