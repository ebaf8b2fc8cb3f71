//! Updates the first document that matches.

use bson::RawDocumentBuf;
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode, updated};
use super::parts::update_command;

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    update_command(plan, prepared, false)
}

/// The driver's call, which repeats a failed attempt where retryable writes are on.
pub(super) async fn call(
    bound: &Bound,
    prepared: &PreparedOperation,
    upsert: bool,
) -> Result<Reply> {
    let update = decode(&prepared.payload)?;
    let mut update = bound
        .collection
        .update_one(decode(&prepared.filter)?, update);
    if upsert {
        update = update.upsert(true);
    }
    Ok(updated(&update.await?))
}
