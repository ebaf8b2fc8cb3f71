//! Why a private server could not be found, started or stopped.

use std::path::{Path, PathBuf};

use crate::open_files;

/// Open files of a mongod beside its connections, with much room to spare: one that has too few ends
/// in the middle of a run. 6.0 does so with 128.
const OPEN_FILES: u64 = 512;

/// A private server could not be found, started or stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrivateError {
    /// There is no mongod in any of the three places.
    #[error(
        "no mongod found: DOCSTONE_MONGOD is not set, there is no `mongod` on the PATH, and no \
         file {cache}; run `cargo xtask mongod`, or set DOCSTONE_MONGOD to a mongod"
    )]
    MongodNotFound {
        /// Where docstone's cache would have it.
        cache: String,
    },
    /// `DOCSTONE_MONGOD` is set to something else than a program.
    #[error(
        "DOCSTONE_MONGOD is `{}`, which is no executable file; set it to a mongod, or unset it \
         to use the PATH or the one that `cargo xtask mongod` fetches", .0.display()
    )]
    NotExecutable(PathBuf),
    /// Neither `XDG_CACHE_HOME` nor `HOME` names an absolute folder.
    #[error(
        "no folder for private servers: HOME and XDG_CACHE_HOME are not set; set \
         DOCSTONE_SERVERS_DIR to a folder"
    )]
    NoCacheFolder,
    /// Options out of range or in contradiction; all of them.
    #[error("{}", .0.join("; "))]
    Options(Vec<String>),
    /// This process and the mongod that it starts may not open enough files.
    #[error(
        "a private mongod and docstone need {needed} open files each, and {allowed} are \
         allowed\nhelp: {cure}"
    )]
    OpenFiles {
        /// Files needed.
        needed: u64,
        /// Files allowed.
        allowed: u64,
        /// What to do about it.
        cure: String,
    },
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried, such as `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The shell that watches over a mongod could not be run.
    #[error("cannot run /bin/sh, which watches over mongod: {0}")]
    Watchdog(std::io::Error),
    /// No thread of the driver could be set up.
    #[error("cannot set up the driver's runtime: {0}")]
    Runtime(std::io::Error),
    /// A mongod ended, or was not ready in time.
    #[error("mongod (member {member}, port {port}) {problem}; its log ends with:\n{log}")]
    Mongod {
        /// Index of the member.
        member: usize,
        /// Its port.
        port: u16,
        /// What was wrong.
        problem: &'static str,
        /// The last lines of its log.
        log: String,
    },
    /// It was not waited for any longer.
    #[error("interrupted while a private server started")]
    Interrupted,
    /// No free port was found.
    #[error("no free port on 127.0.0.1 between {0} and {1}; stop some servers")]
    NoPort(u16, u16),
    /// A command that sets the server up failed.
    #[error("cannot {action} on 127.0.0.1:{port}: {message}")]
    SetUp {
        /// What was tried, such as `initiate the replica set`.
        action: &'static str,
        /// The port of the member.
        port: u16,
        /// The server's or the driver's answer.
        message: String,
    },
    /// Certificates could not be made.
    #[error("cannot make certificates: {0}")]
    Certificates(#[from] rcgen::Error),
    /// There is no such member.
    #[error("there is no member {member}: this server has {members}, numbered from 0")]
    NoMember {
        /// What was asked for.
        member: usize,
        /// How many there are.
        members: usize,
    },
    /// There is no such running server.
    #[error("no private server `{id}` is running; running: {running}")]
    Unknown {
        /// What was asked for.
        id: String,
        /// The identifiers of those that run, or `none`.
        running: String,
    },
    /// A mongod did not end.
    #[error("mongod with process id {pid} did not end within {seconds} s, not even by SIGKILL")]
    StillRunning {
        /// Its process id.
        pid: u32,
        /// How long it was waited for.
        seconds: u64,
    },
}

impl PrivateError {
    /// True if the caller's options are at fault (exit 2).
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Options(_) | Self::Unknown { .. } | Self::OpenFiles { .. }
        )
    }
}

/// A failed access to a file, for `map_err`.
pub(super) fn file_error(
    action: &'static str,
    path: &Path,
) -> impl FnOnce(std::io::Error) -> PrivateError {
    let path = path.to_path_buf();
    move |source| PrivateError::File {
        action,
        path,
        source,
    }
}

/// Refuses a limit of open files that is too low for the work on private servers: with fewer a
/// mongod ends while it starts, and servers that run are not found.
pub(super) fn check_open_files() -> Result<(), PrivateError> {
    let allowed = open_files::allow(OPEN_FILES);
    allowed
        .map(drop)
        .map_err(|too_few| PrivateError::OpenFiles {
            needed: too_few.needed,
            allowed: too_few.allowed,
            cure: too_few.cure(),
        })
}
