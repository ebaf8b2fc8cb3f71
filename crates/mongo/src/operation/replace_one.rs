//! Replaces the first document that matches.

use bson::RawDocumentBuf;
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode, updated};
use super::options::with_options;
use super::parts::update_command;

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    update_command(plan, prepared, false)
}

/// The driver's call, which repeats a failed attempt where retryable writes are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let filter = decode(&prepared.filter)?;
    let mut replace = bound.collection.replace_one(filter, &prepared.payload);
    if bound.upserts {
        replace = replace.upsert(true);
    }
    with_options!(replace, bound; hint, collation, comment);
    Ok(updated(&replace.await?))
}
