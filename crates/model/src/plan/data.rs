//! Collections that are set up before the load starts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collection_options::CollectionOptions;
use super::index::IndexPlan;
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
    /// What kind of collection it is.
    #[serde(default, skip_serializing_if = "CollectionOptions::is_default")]
    pub options: CollectionOptions,
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
