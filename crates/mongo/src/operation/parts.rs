//! What the raw commands share.

use bson::{RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_model::plan::Limits;
use docstone_workload::PreparedOperation;

/// Appends projection and sort order to a find command.
pub(super) fn append_limits(command: &mut RawDocumentBuf, limits: &Limits) {
    let as_raw = |value: &serde_json::Value| {
        let value = bson::Bson::try_from(value.clone()).ok()?;
        RawDocumentBuf::try_from(value.as_document()?).ok()
    };
    if let Some(projection) = limits.projection.as_ref().and_then(as_raw) {
        command.append(bson::cstr!("projection"), projection);
    }
    if let Some(sort) = limits.sort.as_ref().and_then(as_raw) {
        command.append(bson::cstr!("sort"), sort);
    }
}

/// The update command for one statement; `multi` changes all that match.
pub(super) fn update_command(
    plan: &OperationPlan,
    prepared: &PreparedOperation,
    multi: bool,
) -> RawDocumentBuf {
    let upsert = plan.kind.upserts();
    let mut update = rawdoc! { "q": prepared.filter.clone(), "u": prepared.payload.clone() };
    if upsert {
        update.append(bson::cstr!("upsert"), true);
    }
    if multi {
        update.append(bson::cstr!("multi"), true);
    }
    rawdoc! { "update": plan.collection.as_str(), "updates": [update], "ordered": true }
}

/// The delete command for one statement; `limit` 0 deletes all that match.
pub(super) fn delete_command(
    plan: &OperationPlan,
    prepared: &PreparedOperation,
    limit: i32,
) -> RawDocumentBuf {
    let delete = rawdoc! { "q": prepared.filter.clone(), "limit": limit };
    rawdoc! { "delete": plan.collection.as_str(), "deletes": [delete], "ordered": true }
}
