//! Sends any command of a database.
//!
//! The driver's own call for it repeats nothing after an error.

use bson::{RawBsonRef, RawDocumentBuf};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply};
use super::reply::written;

/// The command, as it stands in the plan with its values drawn.
pub fn command(_: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    match prepared.arguments.get("command") {
        Ok(Some(RawBsonRef::Document(command))) => command.to_owned(),
        _ => RawDocumentBuf::new(),
    }
}

/// The driver's call. Every command that the server says `ok` to is a hit; of one that answers as a
/// write does, refused writes are errors and the rest is counted.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let admin = matches!(bound.plan.kind, OperationKind::Command { admin: true, .. });
    let database = if admin {
        bound.database.client().database("admin")
    } else {
        bound.database.clone()
    };
    let command = database
        .run_raw_command(command(&bound.plan, prepared))
        .selection_criteria(bound.selection.clone());
    let written = written(&command.await?)?;
    match written.error {
        Some(error) => Err(error),
        None => Ok(Reply::of(true, written.documents)),
    }
}
