//! What the calls share that change one document and return it.

use bson::{RawBson, RawDocument, RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_model::plan::{OperationKind, Returned};
use docstone_workload::PreparedOperation;

use super::arguments;
use super::bound::{Bound, Reply};
use super::encoded::as_raw;
use super::options;

/// The command, of which `change` says what is done.
pub(super) fn command(
    plan: &OperationPlan,
    prepared: &PreparedOperation,
    change: &RawDocument,
) -> RawDocumentBuf {
    let mut command = rawdoc! {
        "findAndModify": plan.collection.as_str(),
        "query": prepared.filter.clone(),
    };
    for (key, value) in change.iter().flatten() {
        command.append(key, RawBson::from(value));
    }
    let parts = plan.kind.parts();
    if let Some(limits) = parts.limits {
        if let Some(sort) = limits.sort.as_ref().and_then(as_raw) {
            command.append(bson::cstr!("sort"), sort);
        }
        if let Some(projection) = limits.projection.as_ref().and_then(as_raw) {
            command.append(bson::cstr!("fields"), projection);
        }
    }
    if returns_new(&plan.kind) {
        command.append(bson::cstr!("new"), true);
    }
    if parts.upserts {
        command.append(bson::cstr!("upsert"), true);
    }
    if let Some(filters) = arguments::list(prepared, "array_filters") {
        command.append(bson::cstr!("arrayFilters"), filters.to_owned());
    }
    options::append(&mut command, &plan.options);
    command
}

/// True if the document is returned as it is after the change.
pub(super) fn returns_new(kind: &OperationKind) -> bool {
    matches!(
        kind,
        OperationKind::FindOneAndUpdate {
            returned: Returned::After,
            ..
        } | OperationKind::FindOneAndReplace {
            returned: Returned::After,
            ..
        }
    )
}

/// What the driver's call did. Where nothing was returned, nothing matched, unless it was inserted:
/// of that, nothing is returned as it was before.
pub(super) fn reply(
    bound: &Bound,
    prepared: &PreparedOperation,
    found: Option<RawDocumentBuf>,
) -> Reply {
    let hit = found.is_some() || bound.upserts;
    Reply {
        bytes_in: found
            .as_ref()
            .map_or(0, |document| document.as_bytes().len() as u64),
        document: found.filter(|_| prepared.wants_document),
        ..Reply::of(hit, u64::from(hit))
    }
}
