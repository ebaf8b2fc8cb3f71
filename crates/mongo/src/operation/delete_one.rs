//! Deletes the first document that matches.

use bson::RawDocumentBuf;
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode};
use super::options::with_options;
use super::parts::delete_command;

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    delete_command(plan, prepared, 1)
}

/// The driver's call, which repeats a failed attempt where retryable writes are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let mut delete = bound.collection.delete_one(decode(&prepared.filter)?);
    with_options!(delete, bound; hint, collation, comment);
    let result = delete.await?;
    Ok(Reply::of(result.deleted_count > 0, result.deleted_count))
}
