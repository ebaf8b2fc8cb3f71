//! Updates all documents that match.

use bson::RawDocumentBuf;
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode, updated};
use super::parts::update_command;

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    update_command(plan, prepared, true)
}

/// The driver's call. Writes to many documents are never repeated.
pub(super) async fn call(
    bound: &Bound,
    prepared: &PreparedOperation,
    upsert: bool,
) -> Result<Reply> {
    let update = decode(&prepared.payload)?;
    let mut update = bound
        .collection
        .update_many(decode(&prepared.filter)?, update);
    if upsert {
        update = update.upsert(true);
    }
    Ok(updated(&update.await?))
}
