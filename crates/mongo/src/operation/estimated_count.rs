//! Tells how many documents a collection has, by the count that the server keeps: exact unless it was
//! shut down unclean, and without a look at the documents.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply};
use super::options::{self, with_options};

/// The command: a count without a filter.
pub fn command(plan: &OperationPlan, _: &PreparedOperation) -> RawDocumentBuf {
    let mut command = rawdoc! { "count": plan.collection.as_str() };
    options::append(&mut command, &plan.options);
    command
}

/// The driver's call, which repeats a failed attempt where retryable reads are on. It tells a number
/// and touches no document.
pub(super) async fn call(bound: &Bound, _: &PreparedOperation) -> Result<Reply> {
    let mut count = bound.collection.estimated_document_count();
    with_options!(count, bound; max_time, comment);
    let counted = count.await?;
    Ok(Reply::of(counted > 0, counted))
}
