//! Updates the first document that matches and returns it.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;
use mongodb::options::ReturnDocument;

use super::bound::{Bound, Reply, decode};
use super::find_and_modify::{self, reply, returns_new};
use super::options::with_options;
use super::{arguments, parts};

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let update = rawdoc! { "update": parts::update(prepared) };
    find_and_modify::command(plan, prepared, &update)
}

/// The driver's call, which repeats a failed attempt where retryable writes are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let (filter, update) = (decode(&prepared.filter)?, arguments::update(prepared)?);
    let mut call = bound.collection.find_one_and_update(filter, update);
    if let Some(projection) = &bound.limits.projection {
        call = call.projection(projection.clone());
    }
    if let Some(sort) = &bound.limits.sort {
        call = call.sort(sort.clone());
    }
    if bound.upserts {
        call = call.upsert(true);
    }
    if returns_new(&bound.plan.kind) {
        call = call.return_document(ReturnDocument::After);
    }
    if let Some(filters) = arguments::documents(prepared, "array_filters")? {
        call = call.array_filters(filters);
    }
    with_options!(call, bound; hint, collation, max_time, comment);
    Ok(reply(bound, prepared, call.await?))
}
