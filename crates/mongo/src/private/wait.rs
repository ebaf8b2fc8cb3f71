//! How long a server that starts, or a role, is waited for.

use std::time::{Duration, Instant};

use super::error::PrivateError;

/// How often it is asked whether waiting still has a sense.
const POLL: Duration = Duration::from_millis(20);

/// What is waited for, and how long.
pub(super) struct Wait<'a> {
    /// Not longer than this.
    pub(super) deadline: Instant,
    /// Fails if waiting has no sense any more. Asked many times a second, also while a member
    /// does not answer.
    pub(super) check: &'a (dyn Fn() -> Result<(), PrivateError> + Sync),
}

impl Wait<'_> {
    /// Returns when waiting has no sense any more, with the reason.
    pub(super) async fn is_in_vain(&self) -> PrivateError {
        loop {
            match (self.check)() {
                Ok(()) => tokio::time::sleep(POLL).await,
                Err(reason) => return reason,
            }
        }
    }
}
