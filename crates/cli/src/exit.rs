//! Exit codes: a contract that scripts rely on.

use docstone_engine::{TargetError, TargetErrorKind};
use docstone_mongo::private::PrivateError;
use rustix::io::Errno;

/// How docstone ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Internal error, or one of the machine (a disk that is full).
    Internal,
    /// Usage or plan error.
    Usage,
    /// The target cannot be reached, authenticated to, or is not allowed.
    Unreachable,
    /// No valid result: every operation failed, or there were no samples.
    NoResult,
    /// Interrupted; partial results are kept and marked.
    Interrupted,
}

impl Exit {
    /// The process's exit status.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Internal => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::NoResult => 11,
            Self::Interrupted => 130,
        }
    }
}

/// An error that ends docstone with a certain exit status.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// What went wrong, without secrets; printed as it is.
    pub(crate) message: String,
}

impl Failure {
    /// A usage or plan error.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// An internal error.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Internal,
            message: message.into(),
        }
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        let exit = match error.kind {
            TargetErrorKind::Unreachable => Exit::Unreachable,
            TargetErrorKind::Plan => Exit::Usage,
            TargetErrorKind::Setup => Exit::Internal,
        };
        let help = error
            .help
            .map(|help| format!("\nhelp: {help}"))
            .unwrap_or_default();
        Self {
            exit,
            message: format!("error: {}{help}", error.message),
        }
    }
}

impl From<PrivateError> for Failure {
    fn from(error: PrivateError) -> Self {
        let exit = if error.is_usage() {
            Exit::Usage
        } else {
            Exit::Internal
        };
        Self {
            exit,
            message: format!("error: {error}"),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if Errno::from_io_error(&error) == Some(Errno::MFILE) {
            return Self::usage(format!(
                "error: {error}\nhelp: raise the limit: `ulimit -n 1024`"
            ));
        }
        Self::internal(format!("error: {error}"))
    }
}
