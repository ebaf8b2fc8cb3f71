//! Ends the wait for an acknowledgement that may never come: where the user may not read the
//! write concern in force, no limit of the server can be set without changing it.

use std::time::Duration;

use docstone_engine::target::{TargetError, TargetErrorKind};
use mongodb::Database;
use mongodb::error::Error;

use crate::error::{WRITE_CONCERN_HELP, setup_error};

/// For one small write.
const LIMIT: Duration = Duration::from_mins(1);

/// For a batch of documents, which may be long on its way to the server.
const BATCH_LIMIT: Duration = Duration::from_mins(10);

/// True if the server ends the wait.
fn server_ends(database: &Database) -> bool {
    let concern = database.write_concern();
    concern.is_some_and(|concern| concern.w_timeout.is_some_and(|limit| !limit.is_zero()))
}

/// Waits for one write, but not for ever.
pub(super) async fn write<T>(
    database: &Database,
    what: &str,
    write: impl IntoFuture<Output = Result<T, Error>>,
) -> Result<T, TargetError> {
    let limit = (!server_ends(database)).then_some(LIMIT);
    within(limit, what, write).await
}

async fn within<T>(
    limit: Option<Duration>,
    what: &str,
    write: impl IntoFuture<Output = Result<T, Error>>,
) -> Result<T, TargetError> {
    let written = match limit {
        None => write.into_future().await,
        Some(limit) => match tokio::time::timeout(limit, write.into_future()).await {
            Ok(written) => written,
            Err(_) => return Err(missing(what, limit)),
        },
    };
    written.map_err(|problem| setup_error(what, &problem))
}

/// The error for batches of which none was acknowledged for so long.
pub(super) fn overdue(database: &Database, what: &str, waited: Duration) -> Option<TargetError> {
    let overdue = waited >= BATCH_LIMIT && !server_ends(database);
    overdue.then(|| missing(what, BATCH_LIMIT))
}

fn missing(what: &str, limit: Duration) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Unreachable,
        message: format!(
            "{what}: not acknowledged for {} s; the write concern in force is not known, since \
             the server does not tell its default (getDefaultRWConcern): it may ask for members \
             that are down",
            limit.as_secs()
        ),
        help: Some(WRITE_CONCERN_HELP.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_write_that_is_never_acknowledged_ends_and_the_unknown_write_concern_is_named() {
        let never = std::future::pending::<Result<(), Error>>();
        let error = within(Some(LIMIT), "write shop.docstone_meta", never).await;
        let error = error.expect_err("given up");
        assert_eq!(error.kind, TargetErrorKind::Unreachable);
        for part in ["shop.docstone_meta", "60 s", "getDefaultRWConcern"] {
            assert!(error.message.contains(part), "{error}");
        }
        assert!(error.help.expect("a cure").contains("`write_concern`"));
    }

    #[tokio::test(start_paused = true)]
    async fn where_the_server_ends_the_wait_nothing_else_does() {
        let slow = async {
            tokio::time::sleep(LIMIT * 5).await;
            Ok(7)
        };
        assert_eq!(within(None, "write", slow).await.expect("written"), 7);
    }
}
