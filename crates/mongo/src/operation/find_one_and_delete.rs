//! Deletes the first document that matches and returns it.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode};
use super::find_and_modify::{self, reply};
use super::options::with_options;

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    find_and_modify::command(plan, prepared, &rawdoc! { "remove": true })
}

/// The driver's call, which repeats a failed attempt where retryable writes are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let filter = decode(&prepared.filter)?;
    let mut call = bound.collection.find_one_and_delete(filter);
    if let Some(projection) = &bound.limits.projection {
        call = call.projection(projection.clone());
    }
    if let Some(sort) = &bound.limits.sort {
        call = call.sort(sort.clone());
    }
    with_options!(call, bound; hint, collation, max_time, comment);
    Ok(reply(bound, prepared, call.await?))
}
