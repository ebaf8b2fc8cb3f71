//! What the raw commands share.

use bson::{RawBson, RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_model::plan::Limits;
use docstone_workload::PreparedOperation;

use super::encoded::as_raw;
use super::{arguments, options};

/// Appends projection and sort order to a find command.
pub(super) fn append_limits(command: &mut RawDocumentBuf, limits: &Limits) {
    if let Some(projection) = limits.projection.as_ref().and_then(as_raw) {
        command.append(bson::cstr!("projection"), projection);
    }
    if let Some(sort) = limits.sort.as_ref().and_then(as_raw) {
        command.append(bson::cstr!("sort"), sort);
    }
}

/// The update: operators, a replacement, or stages.
pub(super) fn update(prepared: &PreparedOperation) -> RawBson {
    match arguments::list(prepared, "update") {
        Some(stages) => RawBson::Array(stages.to_owned()),
        None => RawBson::Document(prepared.payload.clone()),
    }
}

/// The update command for one statement; `multi` changes all that match.
pub(super) fn update_command(
    plan: &OperationPlan,
    prepared: &PreparedOperation,
    multi: bool,
) -> RawDocumentBuf {
    let upsert = plan.kind.upserts();
    let mut statement = rawdoc! { "q": prepared.filter.clone(), "u": update(prepared) };
    if upsert {
        statement.append(bson::cstr!("upsert"), true);
    }
    if let Some(filters) = arguments::list(prepared, "array_filters") {
        statement.append(bson::cstr!("arrayFilters"), filters.to_owned());
    }
    if multi {
        statement.append(bson::cstr!("multi"), true);
    }
    options::append_to_statement(&mut statement, &plan.options);
    let mut command =
        rawdoc! { "update": plan.collection.as_str(), "updates": [statement], "ordered": true };
    options::append_comment(&mut command, &plan.options);
    command
}

/// The delete command for one statement; `limit` 0 deletes all that match.
pub(super) fn delete_command(
    plan: &OperationPlan,
    prepared: &PreparedOperation,
    limit: i32,
) -> RawDocumentBuf {
    let mut delete = rawdoc! { "q": prepared.filter.clone(), "limit": limit };
    options::append_to_statement(&mut delete, &plan.options);
    let mut command =
        rawdoc! { "delete": plan.collection.as_str(), "deletes": [delete], "ordered": true };
    options::append_comment(&mut command, &plan.options);
    command
}
