//! Updates the first document that matches.

use bson::RawDocumentBuf;
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::arguments;
use super::bound::{Bound, Reply, decode, updated};
use super::options::with_options;
use super::parts::update_command;

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    update_command(plan, prepared, false)
}

/// The driver's call, which repeats a failed attempt where retryable writes are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let update = arguments::update(prepared)?;
    let mut update = bound
        .collection
        .update_one(decode(&prepared.filter)?, update);
    if bound.upserts {
        update = update.upsert(true);
    }
    if let Some(filters) = arguments::documents(prepared, "array_filters")? {
        update = update.array_filters(filters);
    }
    with_options!(update, bound; hint, collation, comment);
    Ok(updated(&update.await?))
}
