//! One named database call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::template::Template;

/// One named database call against one collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationPlan {
    /// The name under which it is counted; unique in the plan.
    pub name: String,
    /// The collection.
    pub collection: String,
    /// What is called, and with what.
    pub kind: OperationKind,
    /// Limit of one operation, in nanoseconds, kept by docstone itself.
    pub timeout_ns: u64,
}

/// What is called. Filters, documents and updates are templates that are drawn anew for each
/// operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OperationKind {
    /// Inserts one document.
    InsertOne {
        /// The document; of the collection's own template where the file names none.
        document: Template,
    },
    /// Reads the first document that matches.
    FindOne {
        /// Which documents match.
        filter: Template,
        /// Projection, sort order.
        options: Limits,
    },
    /// Reads all documents that match, to the end of the cursor.
    FindMany {
        /// Which documents match.
        filter: Template,
        /// Projection, sort order, limit and batch size.
        options: Limits,
    },
    /// Counts the documents that match, by the `count` command.
    Count {
        /// Which documents match.
        filter: Template,
    },
    /// Updates the first document that matches.
    UpdateOne {
        /// Which documents match.
        filter: Template,
        /// Update operators (`{$set: ...}`).
        update: Template,
        /// Insert where none matches.
        upsert: bool,
    },
    /// Updates all documents that match.
    UpdateMany {
        /// Which documents match.
        filter: Template,
        /// Update operators (`{$set: ...}`).
        update: Template,
        /// Insert where none matches.
        upsert: bool,
    },
    /// Replaces the first document that matches.
    ReplaceOne {
        /// Which documents match.
        filter: Template,
        /// The new document, without `_id`.
        document: Template,
        /// Insert where none matches.
        upsert: bool,
    },
    /// Deletes the first document that matches.
    DeleteOne {
        /// Which documents match.
        filter: Template,
    },
    /// Deletes all documents that match.
    DeleteMany {
        /// Which documents match.
        filter: Template,
    },
}

/// What a find returns of the documents that match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Fields to return, as in the shell.
    pub projection: Option<serde_json::Value>,
    /// Sort order, as in the shell.
    pub sort: Option<serde_json::Value>,
    /// At most so many documents; `None` is all.
    pub limit: Option<i64>,
    /// Documents per reply; `None` is the server's default.
    pub batch_size: Option<u32>,
}

impl OperationKind {
    /// The name of the operation in files, such as `find_one`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::InsertOne { .. } => "insert_one",
            Self::FindOne { .. } => "find_one",
            Self::FindMany { .. } => "find_many",
            Self::Count { .. } => "count",
            Self::UpdateOne { .. } => "update_one",
            Self::UpdateMany { .. } => "update_many",
            Self::ReplaceOne { .. } => "replace_one",
            Self::DeleteOne { .. } => "delete_one",
            Self::DeleteMany { .. } => "delete_many",
        }
    }

    /// True if the operation changes data.
    pub fn writes(&self) -> bool {
        !matches!(
            self,
            Self::FindOne { .. } | Self::FindMany { .. } | Self::Count { .. }
        )
    }

    /// True if the operation inserts where no document matches.
    pub fn upserts(&self) -> bool {
        matches!(
            self,
            Self::UpdateOne { upsert: true, .. }
                | Self::UpdateMany { upsert: true, .. }
                | Self::ReplaceOne { upsert: true, .. }
        )
    }

    /// The filter, where there is one.
    pub fn filter(&self) -> Option<&Template> {
        match self {
            Self::InsertOne { .. } => None,
            Self::FindOne { filter, .. }
            | Self::FindMany { filter, .. }
            | Self::Count { filter }
            | Self::UpdateOne { filter, .. }
            | Self::UpdateMany { filter, .. }
            | Self::ReplaceOne { filter, .. }
            | Self::DeleteOne { filter }
            | Self::DeleteMany { filter } => Some(filter),
        }
    }

    /// The document that is inserted or put in place, or the update operators.
    pub fn payload(&self) -> Option<&Template> {
        match self {
            Self::InsertOne { document } | Self::ReplaceOne { document, .. } => Some(document),
            Self::UpdateOne { update, .. } | Self::UpdateMany { update, .. } => Some(update),
            _ => None,
        }
    }

    /// All templates that are drawn for one operation.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        self.filter().into_iter().chain(self.payload())
    }

    /// True if the operation removes documents.
    pub fn deletes(&self) -> bool {
        matches!(self, Self::DeleteOne { .. } | Self::DeleteMany { .. })
    }
}
