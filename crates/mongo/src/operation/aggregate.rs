//! Runs an aggregation and reads its cursor to the end.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::arguments;
use super::bound::{Bound, Reply};
use super::options::{self, with_options};
use crate::events;

/// The first command; further batches are fetched by `getMore`.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let stages = arguments::list(prepared, "pipeline").map(ToOwned::to_owned);
    let mut command = rawdoc! { "aggregate": plan.collection.as_str() };
    command.append(bson::cstr!("pipeline"), stages.unwrap_or_default());
    let mut cursor = RawDocumentBuf::new();
    if let (Some(batch_size), false) = (batch_size(&plan.kind), plan.kind.writes()) {
        let batch_size = i32::try_from(batch_size).unwrap_or(i32::MAX);
        cursor.append(bson::cstr!("batchSize"), batch_size);
    }
    command.append(bson::cstr!("cursor"), cursor);
    if may_use_disk(&plan.kind) {
        command.append(bson::cstr!("allowDiskUse"), true);
    }
    options::append(&mut command, &plan.options);
    command
}

fn batch_size(kind: &OperationKind) -> Option<u32> {
    match kind {
        OperationKind::Aggregate { batch_size, .. } => *batch_size,
        _ => None,
    }
}

fn may_use_disk(kind: &OperationKind) -> bool {
    matches!(kind, OperationKind::Aggregate { allow_disk_use, .. } if *allow_disk_use)
}

/// The driver's calls. The first is repeated where retryable reads are on and nothing is written,
/// `getMore` never is. One that writes (`$out`, `$merge`) returns nothing and is a hit.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let kind = &bound.plan.kind;
    let stages = arguments::documents(prepared, "pipeline")?.unwrap_or_default();
    let mut aggregate = bound.collection.aggregate(stages);
    if let Some(batch_size) = batch_size(kind) {
        aggregate = aggregate.batch_size(batch_size);
    }
    if may_use_disk(kind) {
        aggregate = aggregate.allow_disk_use(true);
    }
    with_options!(aggregate, bound; hint, collation, max_time, comment);
    let mut cursor = aggregate.await?;
    events::first_reply();
    let mut documents = 0;
    let mut bytes_in = 0;
    while cursor.advance().await? {
        documents += 1;
        bytes_in += cursor.current().as_bytes().len() as u64;
    }
    Ok(Reply {
        bytes_in,
        ..Reply::of(documents > 0 || kind.writes(), documents)
    })
}
