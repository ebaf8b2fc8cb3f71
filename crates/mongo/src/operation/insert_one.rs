//! Inserts one document.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply};
use super::options::{self, with_options};

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let mut command = rawdoc! {
        "insert": plan.collection.as_str(),
        "ordered": true,
        "documents": [prepared.payload.clone()],
    };
    options::append_comment(&mut command, &plan.options);
    command
}

/// The driver's call, which repeats a failed attempt where retryable writes are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let mut insert = bound.collection.insert_one(&prepared.payload);
    with_options!(insert, bound; comment);
    let _ = insert.await?;
    Ok(Reply::of(true, 1))
}
