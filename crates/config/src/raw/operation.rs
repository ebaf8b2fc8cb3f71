//! Operations, as typed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schemas;
use crate::units::DurationNs;

/// One named database call: exactly one of the kinds, and a timeout.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = one_kind()))]
pub(crate) struct Operation {
    /// Inserts one document.
    pub(crate) insert_one: Option<InsertOne>,
    /// Reads the first document that matches.
    pub(crate) find_one: Option<Find>,
    /// Reads all documents that match, to the end of the cursor.
    pub(crate) find_many: Option<FindMany>,
    /// Counts the documents that match, by the `count` command.
    pub(crate) count: Option<Count>,
    /// Updates the first document that matches.
    pub(crate) update_one: Option<Updates>,
    /// Updates all documents that match.
    pub(crate) update_many: Option<Updates>,
    /// Replaces the first document that matches.
    pub(crate) replace_one: Option<ReplaceOne>,
    /// Deletes the first document that matches.
    pub(crate) delete_one: Option<Delete>,
    /// Deletes all documents that match.
    pub(crate) delete_many: Option<Delete>,
    /// Limit of one operation; 30s where it is left out.
    pub(crate) timeout: Option<DurationNs>,
}

/// The kinds of operations, as they stand in files.
pub(crate) const KINDS: [&str; 9] = [
    "insert_one",
    "find_one",
    "find_many",
    "count",
    "update_one",
    "update_many",
    "replace_one",
    "delete_one",
    "delete_many",
];

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
    /// Arguments of `find_one`.
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
        /// At most so many documents; all where it is left out.
        #[schemars(range(min = 1))]
        limit: i64,
        /// Documents per reply; the server's default where it is left out.
        #[schemars(range(min = 1))]
        batch_size: u32,
    }
}

arguments! {
    /// Arguments of `count`.
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
        /// Update operators such as `$set`.
        #[schemars(required, schema_with = "schemas::update")]
        update: Value,
        /// Insert where none matches; false where it is left out.
        upsert: bool,
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
