//! The error of a system that has no room left for what an engine thread needs.

use crate::target::{TargetError, TargetErrorKind};

/// The system has no room for another thread or event queue.
pub(crate) fn no_room(error: &std::io::Error) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Setup,
        message: format!("an engine thread cannot be started: {error}"),
        help: Some("use fewer threads, or raise the limits of processes and files".to_owned()),
    }
}
