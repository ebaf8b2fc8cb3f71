//! Operations, as typed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schemas;
use crate::units::{DurationNs, WriteConcern};

/// Declares an operation: its kinds, each with its arguments, and what stands beside the kind.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $arguments:ty,)*) => {
        /// One named database call: exactly one of the kinds, and a timeout.
        #[derive(Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(extend("oneOf" = one_kind()))]
        pub(crate) struct Operation {
            $($(#[$doc])* pub(crate) $kind: Option<$arguments>,)*
            /// Limit of one operation; 30s where it is left out.
            pub(crate) timeout: Option<DurationNs>,
            /// The index to use: its name, or its keys.
            pub(crate) hint: Option<Value>,
            /// How text is compared, as in the shell: `{locale: de, strength: 2}`.
            pub(crate) collation: Option<Value>,
            /// The server's own limit of one operation (maxTimeMS), in whole milliseconds.
            pub(crate) max_time: Option<DurationNs>,
            /// A text for the server's log and profiler.
            pub(crate) comment: Option<String>,
            /// Read concern; that of the connection string or server where it is left out.
            #[schemars(extend("enum" = READ_LEVELS))]
            pub(crate) read_concern: Option<String>,
            /// Write concern; that of the target where it is left out.
            pub(crate) write_concern: Option<WriteConcern>,
            /// Read preference; that of the connection string where it is left out.
            #[schemars(extend("enum" = docstone_model::plan::READ_PREFERENCES))]
            pub(crate) read_preference: Option<String>,
        }

        /// The kinds of operations, as they stand in files.
        pub(crate) const KINDS: &[&str] = &[$(stringify!($kind)),*];
    };
}

kinds! {
    /// Inserts one document.
    insert_one: InsertOne,
    /// Inserts a batch of documents by one call.
    insert_many: InsertMany,
    /// Sends a list of writes, as few commands as they need.
    bulk_write: BulkWrite,
    /// Sends operations as one transaction.
    transaction: Transaction,
    /// Opens a connection of its own, authenticates, sends a ping, and closes it.
    connect: Connect,
    /// Sends any command of a database.
    command: Command,
    /// Reads the first document that matches.
    find_one: Find,
    /// Reads all documents that match, to the end of the cursor.
    find_many: FindMany,
    /// Counts the documents that match, by the `count` command.
    count: Count,
    /// Counts the documents that match, by an aggregation.
    count_documents: Count,
    /// Tells how many documents the collection has, by its own count.
    estimated_count: EstimatedCount,
    /// Reads the different values of a field.
    distinct: Distinct,
    /// Runs an aggregation and reads its cursor to the end.
    aggregate: Aggregate,
    /// Updates the first document that matches.
    update_one: Updates,
    /// Updates all documents that match.
    update_many: Updates,
    /// Replaces the first document that matches.
    replace_one: ReplaceOne,
    /// Deletes the first document that matches.
    delete_one: Delete,
    /// Deletes all documents that match.
    delete_many: Delete,
    /// Updates the first document that matches and returns it.
    find_one_and_update: FindOneAndUpdate,
    /// Replaces the first document that matches and returns it.
    find_one_and_replace: FindOneAndReplace,
    /// Deletes the first document that matches and returns it.
    find_one_and_delete: Find,
}

/// The keys of an operation beside its kind.
pub(crate) const BESIDE: [&str; 8] = [
    "timeout",
    "hint",
    "collation",
    "max_time",
    "comment",
    "read_concern",
    "write_concern",
    "read_preference",
];

/// The read concerns of single operations.
pub(crate) const READ_LEVELS: [&str; 5] =
    ["local", "available", "majority", "linearizable", "snapshot"];

/// The read concerns of transactions.
pub(crate) const READ_CONCERNS: [&str; 3] = ["local", "majority", "snapshot"];

/// Which form of a document is returned.
pub(crate) const RETURNED: [&str; 2] = ["before", "after"];

/// For the schema: one of the kinds stands in an operation.
fn one_kind() -> Value {
    KINDS
        .iter()
        .map(|kind| json!({"required": [kind]}))
        .collect()
}

/// Declares the arguments of a kind: each optional in the raw form, some required by the schema.
macro_rules! arguments {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// The collection, one of `data`.
            #[schemars(required)]
            pub(crate) collection: Option<String>,
            $($(#[$field_doc])* pub(crate) $field: Option<$type>,)*
        }
    };
}

arguments! {
    /// Arguments of `insert_one`.
    InsertOne {
        /// The document; of the collection's own form where it is left out.
        #[serde(default)]
        #[schemars(schema_with = "schemas::template")]
        document: Value,
    }
}

arguments! {
    /// Arguments of `insert_many`.
    InsertMany {
        /// Documents of one batch.
        #[schemars(required, range(min = 1, max = 100_000))]
        count: u32,
        /// The form of each document; the collection's own where it is left out.
        #[serde(default)]
        #[schemars(schema_with = "schemas::template")]
        document: Value,
        /// The server stops at the first document that it refuses; true where it is left out.
        ordered: bool,
    }
}

arguments! {
    /// Arguments of `find_one` and `find_one_and_delete`.
    Find {
        /// Which documents match.
        #[schemars(required, schema_with = "schemas::filter")]
        filter: Value,
        /// Fields to return, as in the shell.
        projection: Value,
        /// Sort order, as in the shell.
        sort: Value,
    }
}

arguments! {
    /// Arguments of `find_many`.
    FindMany {
        /// Which documents match; all where it is left out.
        #[serde(default)]
        #[schemars(schema_with = "schemas::filter")]
        filter: Value,
        /// Fields to return, as in the shell.
        projection: Value,
        /// Sort order, as in the shell.
        sort: Value,
        /// Documents that are passed over first; none where it is left out.
        skip: u64,
        /// At most so many documents; all where it is left out.
        #[schemars(range(min = 1))]
        limit: i64,
        /// Documents per reply; the server's default where it is left out.
        #[schemars(range(min = 1))]
        batch_size: u32,
    }
}

/// Arguments of `bulk_write`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkWrite {
    /// The writes, all to one collection.
    #[schemars(with = "Vec<Operation>", required, length(min = 1))]
    pub(crate) writes: Option<Vec<Option<Operation>>>,
    /// How often the list is sent by one operation; once where it is left out.
    #[schemars(range(min = 1, max = 100_000))]
    pub(crate) repeat: Option<u32>,
    /// They are done one after the other, up to the first that fails; true where it is left out.
    pub(crate) ordered: Option<bool>,
}

/// Arguments of `connect`: none, so `connect: {}`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Connect {}

/// Arguments of `command`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Command {
    /// The command, a map whose first key is its name.
    #[serde(default)]
    #[schemars(required, schema_with = "schemas::command")]
    pub(crate) send: Option<Value>,
    /// Send it to the database `admin`; to that of the plan where it is left out.
    pub(crate) admin: Option<bool>,
    /// Say that it is meant, of a command that stops or changes the server or drops data.
    pub(crate) disruptive: Option<bool>,
}

/// Arguments of `transaction`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transaction {
    /// The operations, one after the other.
    #[schemars(with = "Vec<Operation>", required, length(min = 1))]
    pub(crate) operations: Option<Vec<Option<Operation>>>,
    /// Read concern; the server's default where it is left out.
    #[schemars(extend("enum" = READ_CONCERNS))]
    pub(crate) read_concern: Option<String>,
    /// Write concern of the commit; that of the target where it is left out.
    pub(crate) write_concern: Option<WriteConcern>,
}

arguments! {
    /// Arguments of `estimated_count`.
    EstimatedCount {}
}

arguments! {
    /// Arguments of `distinct`.
    Distinct {
        /// The field, its parts joined by dots.
        #[schemars(required)]
        field: String,
        /// Which documents match; all where it is left out.
        #[serde(default)]
        #[schemars(schema_with = "schemas::filter")]
        filter: Value,
    }
}

arguments! {
    /// Arguments of `aggregate`.
    Aggregate {
        /// The stages.
        #[schemars(required, schema_with = "schemas::stages")]
        pipeline: Value,
        /// The server may use temporary files; false where it is left out.
        allow_disk_use: bool,
        /// Documents per reply; the server's default where it is left out.
        #[schemars(range(min = 1))]
        batch_size: u32,
    }
}

arguments! {
    /// Arguments of `count` and `count_documents`.
    Count {
        /// Which documents match; all where it is left out.
        #[serde(default)]
        #[schemars(schema_with = "schemas::filter")]
        filter: Value,
    }
}

arguments! {
    /// Arguments of `update_one` and `update_many`.
    Updates {
        /// Which documents match.
        #[schemars(required, schema_with = "schemas::filter")]
        filter: Value,
        /// Update operators such as `$set`, or a list of stages.
        #[schemars(required, schema_with = "schemas::update")]
        update: Value,
        /// Insert where none matches; false where it is left out.
        upsert: bool,
        /// Which elements of arrays are meant: a list of filters.
        #[serde(default)]
        #[schemars(schema_with = "schemas::filters")]
        array_filters: Value,
    }
}

arguments! {
    /// Arguments of `find_one_and_update`.
    FindOneAndUpdate {
        /// Which documents match.
        #[schemars(required, schema_with = "schemas::filter")]
        filter: Value,
        /// Update operators such as `$set`, or a list of stages.
        #[schemars(required, schema_with = "schemas::update")]
        update: Value,
        /// Insert where none matches; false where it is left out.
        upsert: bool,
        /// Which elements of arrays are meant: a list of filters.
        #[serde(default)]
        #[schemars(schema_with = "schemas::filters")]
        array_filters: Value,
        /// Fields to return, as in the shell.
        projection: Value,
        /// Sort order, as in the shell.
        sort: Value,
        /// The document as it was before or is after; before where it is left out.
        #[schemars(extend("enum" = RETURNED))]
        returned: String,
    }
}

arguments! {
    /// Arguments of `find_one_and_replace`.
    FindOneAndReplace {
        /// Which documents match.
        #[schemars(required, schema_with = "schemas::filter")]
        filter: Value,
        /// The new document; of the collection's own form, without `_id`, where it is left out.
        #[serde(default)]
        #[schemars(schema_with = "schemas::template")]
        document: Value,
        /// Insert where none matches; false where it is left out.
        upsert: bool,
        /// Fields to return, as in the shell.
        projection: Value,
        /// Sort order, as in the shell.
        sort: Value,
        /// The document as it was before or is after; before where it is left out.
        #[schemars(extend("enum" = RETURNED))]
        returned: String,
    }
}

arguments! {
    /// Arguments of `replace_one`.
    ReplaceOne {
        /// Which documents match.
        #[schemars(required, schema_with = "schemas::filter")]
        filter: Value,
        /// The new document; of the collection's own form, without `_id`, where it is left out.
        #[serde(default)]
        #[schemars(schema_with = "schemas::template")]
        document: Value,
        /// Insert where none matches; false where it is left out.
        upsert: bool,
    }
}

arguments! {
    /// Arguments of `delete_one` and `delete_many`.
    Delete {
        /// Which documents match.
        #[schemars(required, schema_with = "schemas::filter")]
        filter: Value,
    }
}
