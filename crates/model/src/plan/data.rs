//! Collections that are set up before the load starts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::template::Template;

/// One collection: how many documents, of what form, with which indexes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectionPlan {
    /// The collection's name.
    pub name: String,
    /// Documents before the load starts; 0 makes an empty collection.
    pub count: u64,
    /// The documents' template, `_id` first; `None` only where `count` is 0.
    pub document: Option<Template>,
    /// Indexes besides the one on `_id`.
    pub indexes: Vec<IndexPlan>,
}

/// One index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexPlan {
    /// Fields in order with their direction (1 or -1) or kind (`text`, `hashed`, `2dsphere`).
    pub keys: Vec<(String, serde_json::Value)>,
    /// No two documents may have equal keys.
    pub unique: bool,
}

impl IndexPlan {
    /// The server's default name for this index, such as `customer_1_at_-1`.
    pub fn name(&self) -> String {
        let part = |(field, kind): &(String, serde_json::Value)| match kind {
            serde_json::Value::String(kind) => format!("{field}_{kind}"),
            kind => format!("{field}_{kind}"),
        };
        self.keys.iter().map(part).collect::<Vec<_>>().join("_")
    }
}

/// What is done with a collection that exists already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetupMode {
    /// Refuse it, unless docstone made it from the same data plan.
    #[default]
    Guarded,
    /// Drop it and load anew (`--drop`).
    Drop,
    /// Keep it if the type of `_id` and the count fit; load what is missing (`--reuse`).
    Reuse,
    /// Use what is there (old tools). Nothing is loaded, dropped or marked. Before a step, what is
    /// missing is created of two things only: collections that it inserts or upserts into, and
    /// indexes on the fields that `$field_range` draws from, with their collections.
    AsIs,
    /// Drop the whole database once, before the first step (idealo's `-dropdb`).
    DropDatabase,
}
