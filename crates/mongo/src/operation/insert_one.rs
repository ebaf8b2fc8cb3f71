//! Inserts one document.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply};

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    rawdoc! {
        "insert": plan.collection.as_str(),
        "ordered": true,
        "documents": [prepared.payload.clone()],
    }
}

/// The driver's call, which repeats a failed attempt where retryable writes are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let _ = bound.collection.insert_one(&prepared.payload).await?;
    Ok(Reply::of(true, 1))
}
