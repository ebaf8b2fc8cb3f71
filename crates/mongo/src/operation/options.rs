//! The options of an operation: in raw commands, and in the driver's terms.

use std::time::Duration;

use bson::{Bson, RawDocumentBuf};
use docstone_engine::target::TargetError;
use docstone_model::plan::CallOptions;
use docstone_model::{OperationKind, OperationPlan};
use mongodb::options::{
    Acknowledgment, Collation, CollectionOptions, Hint, ReadConcern, ReadPreference,
    SelectionCriteria,
};
use serde_json::Value;

use super::encoded::as_raw;
use crate::error::plan_error;
use crate::options::{Settings, write_concern};

/// Options in the driver's terms.
#[derive(Debug, Default)]
pub(super) struct DriverOptions {
    pub(super) hint: Option<Hint>,
    pub(super) collation: Option<Collation>,
    pub(super) max_time: Option<Duration>,
    pub(super) comment: Option<Bson>,
}

/// Hands those of the options to a call of the driver that are set.
macro_rules! with_options {
    ($call:ident, $bound:expr; $($option:ident),*) => {
        $(if let Some(value) = &$bound.options.$option {
            $call = $call.$option(value.clone());
        })*
    };
}
pub(super) use with_options;

impl DriverOptions {
    pub(super) fn new(plan: &OperationPlan) -> Result<Self, TargetError> {
        let CallOptions {
            hint,
            collation,
            max_time_ns,
            comment,
            ..
        } = &plan.options;
        let wrong = |what: &str| {
            let name = &plan.name;
            plan_error(
                format!("operation `{name}`: {what} is not understood"),
                None,
            )
        };
        Ok(Self {
            hint: match hint {
                None => None,
                Some(hint) => Some(driver_hint(hint).ok_or_else(|| wrong("hint"))?),
            },
            collation: match collation {
                None => None,
                Some(collation) => {
                    let collation = serde_json::from_value(collation.clone());
                    Some(collation.map_err(|_| wrong("collation"))?)
                }
            },
            max_time: max_time_ns.map(Duration::from_nanos),
            comment: comment.clone().map(Bson::String),
        })
    }
}

fn driver_hint(hint: &Value) -> Option<Hint> {
    match Bson::try_from(hint.clone()).ok()? {
        Bson::String(name) => Some(Hint::Name(name)),
        Bson::Document(keys) => Some(Hint::Keys(keys)),
        _ => None,
    }
}

/// Appends what stands in a statement of an update or a delete: hint and collation.
pub(super) fn append_to_statement(statement: &mut RawDocumentBuf, options: &CallOptions) {
    match options.hint.as_ref().and_then(driver_hint) {
        Some(Hint::Name(name)) => statement.append(bson::cstr!("hint"), name),
        Some(Hint::Keys(keys)) => {
            if let Ok(keys) = RawDocumentBuf::try_from(&keys) {
                statement.append(bson::cstr!("hint"), keys);
            }
        }
        _ => {}
    }
    if let Some(collation) = options.collation.as_ref().and_then(as_raw) {
        statement.append(bson::cstr!("collation"), collation);
    }
}

/// Appends the comment.
pub(super) fn append_comment(command: &mut RawDocumentBuf, options: &CallOptions) {
    if let Some(comment) = &options.comment {
        command.append(bson::cstr!("comment"), comment.as_str());
    }
}

/// Appends all that stands at the top of a command that has no statements.
pub(super) fn append(command: &mut RawDocumentBuf, options: &CallOptions) {
    append_to_statement(command, options);
    if let Some(ns) = options.max_time_ns {
        let milliseconds = i32::try_from(ns / 1_000_000).unwrap_or(i32::MAX);
        command.append(bson::cstr!("maxTimeMS"), milliseconds);
    }
    append_comment(command, options);
}

/// Where an operation goes.
pub(crate) fn selection(plan: &OperationPlan, settings: &Settings) -> SelectionCriteria {
    let preference = match plan.options.read_preference.as_deref() {
        None if !matches!(plan.kind, OperationKind::Command { .. }) => return settings.selection(),
        Some("primaryPreferred") => ReadPreference::PrimaryPreferred { options: None },
        Some("secondary") => ReadPreference::Secondary { options: None },
        Some("secondaryPreferred") => ReadPreference::SecondaryPreferred { options: None },
        Some("nearest") => ReadPreference::Nearest { options: None },
        // A command may write.
        Some(_) | None => ReadPreference::Primary,
    };
    preference.into()
}

/// The concerns and the preference of an operation; where it says nothing, those of the client.
pub(super) fn of_collection(plan: &OperationPlan) -> CollectionOptions {
    let mut options = CollectionOptions::default();
    options.read_concern = plan
        .options
        .read_concern
        .as_deref()
        .map(ReadConcern::custom);
    options.write_concern = plan.options.write_concern.map(write_concern);
    options
}

/// True if an operation does not ask the server to acknowledge its writes.
pub(super) fn is_unacknowledged(plan: &OperationPlan, settings: &Settings) -> bool {
    match plan.options.write_concern.map(write_concern) {
        Some(concern) => concern.w == Some(Acknowledgment::Nodes(0)),
        None => settings.unacknowledged,
    }
}
