//! Counts the documents that match, by an aggregation, as drivers do it since `count` cannot run in a
//! transaction and may count double on a sharded cluster.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode};
use super::options::{self, with_options};

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let mut command = rawdoc! {
        "aggregate": plan.collection.as_str(),
        "pipeline": [
            { "$match": prepared.filter.clone() },
            { "$group": { "_id": 1_i32, "n": { "$sum": 1_i32 } } },
        ],
        "cursor": {},
    };
    options::append(&mut command, &plan.options);
    command
}

/// The driver's call, which repeats a failed attempt where retryable reads are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let filter = decode(&prepared.filter)?;
    let mut count = bound.collection.count_documents(filter);
    with_options!(count, bound; hint, collation, max_time, comment);
    let counted = count.await?;
    Ok(Reply::of(counted > 0, counted))
}
