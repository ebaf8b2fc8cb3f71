//! Reads all documents that match, to the end of the cursor.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode};
use super::options::{self, with_options};
use super::parts::append_limits;
use crate::events;

/// The first command; further batches are fetched by `getMore`.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let mut command = rawdoc! { "find": plan.collection.as_str() };
    if let OperationKind::FindMany { options, .. } = &plan.kind {
        if let Some(skip) = options.skip {
            let skip = i64::try_from(skip).unwrap_or(i64::MAX);
            command.append(bson::cstr!("skip"), skip);
        }
        if let Some(limit) = options.limit {
            command.append(bson::cstr!("limit"), limit);
        }
        if let Some(batch_size) = options.batch_size {
            let batch_size = i32::try_from(batch_size).unwrap_or(i32::MAX);
            command.append(bson::cstr!("batchSize"), batch_size);
        }
        append_limits(&mut command, options);
    }
    command.append(bson::cstr!("filter"), prepared.filter.clone());
    options::append(&mut command, &plan.options);
    command
}

/// The driver's calls. The first is repeated where retryable reads are on, `getMore` never is.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let mut find = bound.collection.find(decode(&prepared.filter)?);
    if let Some(projection) = &bound.limits.projection {
        find = find.projection(projection.clone());
    }
    if let Some(sort) = &bound.limits.sort {
        find = find.sort(sort.clone());
    }
    if let Some(skip) = bound.limits.skip {
        find = find.skip(skip);
    }
    if let Some(limit) = bound.limits.limit {
        find = find.limit(limit);
    }
    if let Some(batch_size) = bound.limits.batch_size {
        find = find.batch_size(batch_size);
    }
    with_options!(find, bound; hint, collation, max_time, comment);
    let mut cursor = find.await?;
    events::first_reply();
    let mut documents = 0;
    let mut bytes_in = 0;
    let mut first = None;
    while cursor.advance().await? {
        documents += 1;
        bytes_in += cursor.current().as_bytes().len() as u64;
        if prepared.wants_document && first.is_none() {
            first = Some(cursor.current().to_owned());
        }
    }
    Ok(Reply {
        bytes_in,
        document: first,
        ..Reply::of(documents > 0, documents)
    })
}
