//! Opens a connection of its own, authenticates, sends a ping, and closes it: what a program does that
//! starts, asks one thing and ends.
//!
//! It is a client of its own, so the driver also opens what it watches the servers by.

use bson::{RawDocumentBuf, doc, rawdoc};
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::Client;
use mongodb::error::{Error, Result};

use super::bound::{Bound, Reply};

/// The command that is sent last; before it stands the handshake.
pub fn command(_: &OperationPlan, _: &PreparedOperation) -> RawDocumentBuf {
    rawdoc! { "ping": 1_i32 }
}

/// The driver's calls.
pub(super) async fn call(bound: &Bound, _: &PreparedOperation) -> Result<Reply> {
    Box::pin(run(bound)).await
}

async fn run(bound: &Bound) -> Result<Reply> {
    let options = bound.own_client.as_deref().cloned();
    let options = options.ok_or_else(|| Error::custom("no options to connect by".to_owned()))?;
    let client = Client::with_options(options)?;
    let admin = client.database("admin");
    let ping = admin.run_command(doc! { "ping": 1_i32 });
    let reply = ping.selection_criteria(bound.selection.clone()).await;
    // It is closed after a failure, too.
    client.shutdown().await;
    reply.map(|_| Reply::of(true, 0))
}
