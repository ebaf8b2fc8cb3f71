//! Reads the first document that matches.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode};
use super::options::{self, with_options};
use super::parts::append_limits;

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let mut command = rawdoc! {
        "find": plan.collection.as_str(),
        "singleBatch": true,
        "limit": 1_i64,
    };
    if let OperationKind::FindOne { options, .. } = &plan.kind {
        append_limits(&mut command, options);
    }
    command.append(bson::cstr!("filter"), prepared.filter.clone());
    options::append(&mut command, &plan.options);
    command
}

/// The driver's call, which repeats a failed attempt where retryable reads are on.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let mut find = bound.collection.find_one(decode(&prepared.filter)?);
    if let Some(projection) = &bound.limits.projection {
        find = find.projection(projection.clone());
    }
    if let Some(sort) = &bound.limits.sort {
        find = find.sort(sort.clone());
    }
    with_options!(find, bound; hint, collation, max_time, comment);
    let found = find.await?;
    let bytes_in = found
        .as_ref()
        .map_or(0, |document| document.as_bytes().len() as u64);
    let hit = found.is_some();
    Ok(Reply {
        bytes_in,
        document: found.filter(|_| prepared.wants_document),
        ..Reply::of(hit, u64::from(hit))
    })
}
