//! One named database call.

mod options;
mod parts;
mod pipeline;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use options::{CallOptions, READ_PREFERENCES};
pub use parts::{Parts, Payload};
pub use pipeline::{Touched, touched};

use super::target::WriteConcern;
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
    /// What is asked of the server beside what is called.
    #[serde(default, skip_serializing_if = "CallOptions::is_empty")]
    pub options: CallOptions,
}

impl OperationPlan {
    /// The calls that it consists of: itself, or the operations in it.
    pub fn calls(&self) -> Vec<&Self> {
        match self.kind.parts().calls {
            [] => vec![self],
            calls => calls.iter().flat_map(Self::calls).collect(),
        }
    }
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
    /// Inserts a batch of documents by one call.
    InsertMany {
        /// The form of each document; of the collection's own template where the file names none.
        document: Template,
        /// Documents of one batch, 1 to 100,000.
        count: u32,
        /// The server stops at the first document that it refuses.
        ordered: bool,
    },
    /// Sends a list of writes, as few commands as they need.
    BulkWrite {
        /// The writes, each to the collection of the operation.
        writes: Vec<OperationPlan>,
        /// How often the list is sent by one operation, at least 1.
        repeat: u32,
        /// They are done one after the other, up to the first that fails.
        ordered: bool,
    },
    /// Sends operations as one transaction.
    Transaction {
        /// The operations, one after the other.
        operations: Vec<OperationPlan>,
        /// Read concern of the transaction; `None` is the server's default.
        read_concern: Option<String>,
        /// Write concern of its commit; `None` is that of the target.
        write_concern: Option<WriteConcern>,
    },
    /// Opens a connection of its own, authenticates, sends a ping, and closes it.
    Connect {},
    /// Sends any command of a database.
    Command {
        /// The command; its first key is its name.
        command: Template,
        /// It goes to the database `admin`, not to that of the plan.
        admin: bool,
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
    /// Counts the documents that match, by an aggregation: what drivers call `count_documents`.
    CountDocuments {
        /// Which documents match.
        filter: Template,
    },
    /// Tells how many documents the collection has, by its own count.
    EstimatedCount {},
    /// Reads the different values of a field.
    Distinct {
        /// The field, its parts joined by dots.
        field: String,
        /// Which documents match.
        filter: Template,
    },
    /// Runs an aggregation and reads its cursor to the end.
    Aggregate {
        /// The stages: a list of documents.
        pipeline: Template,
        /// The server may use temporary files.
        allow_disk_use: bool,
        /// Documents per reply; `None` is the server's default.
        batch_size: Option<u32>,
    },
    /// Updates the first document that matches.
    UpdateOne {
        /// Which documents match.
        filter: Template,
        /// Update operators (`{$set: ...}`), or a list of stages.
        update: Template,
        /// Insert where none matches.
        upsert: bool,
        /// Which elements of arrays are meant: a list of filters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        array_filters: Option<Template>,
    },
    /// Updates all documents that match.
    UpdateMany {
        /// Which documents match.
        filter: Template,
        /// Update operators (`{$set: ...}`), or a list of stages.
        update: Template,
        /// Insert where none matches.
        upsert: bool,
        /// Which elements of arrays are meant: a list of filters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        array_filters: Option<Template>,
    },
    /// Updates the first document that matches and returns it.
    FindOneAndUpdate {
        /// Which documents match.
        filter: Template,
        /// Update operators (`{$set: ...}`), or a list of stages.
        update: Template,
        /// Insert where none matches.
        upsert: bool,
        /// Which elements of arrays are meant: a list of filters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        array_filters: Option<Template>,
        /// Projection, sort order.
        options: Limits,
        /// Which form of the document is returned.
        returned: Returned,
    },
    /// Replaces the first document that matches and returns it.
    FindOneAndReplace {
        /// Which documents match.
        filter: Template,
        /// The new document, without `_id`.
        document: Template,
        /// Insert where none matches.
        upsert: bool,
        /// Projection, sort order.
        options: Limits,
        /// Which form of the document is returned.
        returned: Returned,
    },
    /// Deletes the first document that matches and returns it.
    FindOneAndDelete {
        /// Which documents match.
        filter: Template,
        /// Projection, sort order.
        options: Limits,
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
    /// Documents that are passed over first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<u64>,
    /// At most so many documents; `None` is all.
    pub limit: Option<i64>,
    /// Documents per reply; `None` is the server's default.
    pub batch_size: Option<u32>,
}

/// Which form of a document an operation returns that changes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Returned {
    /// As it was.
    #[default]
    Before,
    /// As it is now.
    After,
}

impl OperationKind {
    /// The name of the operation in files, such as `find_one`.
    pub fn name(&self) -> &'static str {
        self.parts().name
    }

    /// True if the operation changes data.
    pub fn writes(&self) -> bool {
        let parts = self.parts();
        parts.inserts > 0
            || parts.updates
            || parts.removes
            || parts.writes_elsewhere
            || parts.calls.iter().any(|call| call.kind.writes())
    }

    /// True if the operation inserts where no document matches.
    pub fn upserts(&self) -> bool {
        self.parts().upserts
    }

    /// True if the operation removes documents.
    pub fn deletes(&self) -> bool {
        self.parts().removes
    }

    /// The filter, where there is one.
    pub fn filter(&self) -> Option<&Template> {
        self.parts().filter
    }

    /// The document that is inserted or put in place, or the update operators.
    pub fn payload(&self) -> Option<&Template> {
        self.parts().payload.template()
    }

    /// The new document that the operation inserts, with a number of its own; `None` for one that
    /// inserts at most by `upsert`.
    pub fn inserted(&self) -> Option<&Template> {
        match self.parts().payload {
            Payload::Insert(document) => Some(document),
            _ => None,
        }
    }

    /// The stages of an aggregation.
    pub fn pipeline(&self) -> Option<&Template> {
        match self {
            Self::Aggregate { pipeline, .. } => Some(pipeline),
            _ => None,
        }
    }

    /// The document of which values can be captured, of an operation that writes it and returns none.
    pub fn captured(&self) -> Option<&Template> {
        let returns = self.parts().limits.is_some();
        self.written().filter(|_| !returns)
    }

    /// The document that the operation writes as a whole: inserted or put in place.
    pub fn written(&self) -> Option<&Template> {
        match self.parts().payload {
            Payload::Insert(document) | Payload::Replacement(document) => Some(document),
            _ => None,
        }
    }

    /// All templates that are drawn for one operation.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let parts = self.parts();
        let arguments = parts.arguments.into_iter().map(|(_, template)| template);
        let payload = parts.payload.template();
        parts.filter.into_iter().chain(payload).chain(arguments)
    }
}
