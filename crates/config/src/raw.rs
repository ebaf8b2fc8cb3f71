//! What was typed in a workload file: the raw types, as they stand in the file.
//!
//! Every key is optional here, so that one mistake hides no other; what is missing is the
//! resolver's to say. The JSON Schema of the file comes from these types.

mod action;
mod collection;
mod load;
mod open;
pub(crate) mod operation;
mod ordered;
mod scenario;
mod schemas;
mod target;
mod think_time;

use docstone_model::ByteSize;
use docstone_model::template::Compressibility;
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) use action::{Action, At};
pub(crate) use collection::{
    BLOCK_COMPRESSORS, BUILDS, Capped, CollectionOptions, GRANULARITIES, Index, TimeSeries,
};
pub(crate) use load::{Closed, Group, RampMap, Step, WorkerStage};
pub(crate) use open::{ARRIVALS, Open, RateMap, Stage, TextOr, WHEN_FULL};
pub(crate) use operation::{KINDS, Operation};
pub(crate) use ordered::Ordered;
pub(crate) use scenario::{ON_ERROR, Scenario, StepMap, TypedStep};
pub(crate) use target::{Private, Target};
pub(crate) use think_time::ThinkTimeMap;

use crate::defaults::{MAX_CONCURRENCY, MAX_COUNT};

/// A workload: target, data, operations and load.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["load"]}, {"required": ["groups"]}]))]
pub(crate) struct Workload {
    /// Names the output folder and the report; the file's name where it is left out.
    pub(crate) name: Option<String>,
    /// The deployment under test: a connection string, `private`, or a map.
    #[serde(default)]
    #[schemars(schema_with = "target::schema")]
    pub(crate) target: Option<Target>,
    /// Collections that are set up before the load starts.
    pub(crate) data: Option<Ordered<Collection>>,
    /// The named database calls.
    #[schemars(required)]
    pub(crate) operations: Option<Ordered<Operation>>,
    /// Which operations run, in which shares; may be left out where there is one operation.
    pub(crate) scenario: Option<Scenario>,
    /// Load steps, one after the other.
    #[schemars(with = "Option<Vec<Step>>")]
    pub(crate) load: Option<Vec<Option<Step>>>,
    /// Several groups of workers at the same time, instead of `scenario` and `load`.
    pub(crate) groups: Option<Ordered<Group>>,
    /// Engine threads; one per core where it is left out.
    #[schemars(range(min = 1, max = 1024))]
    pub(crate) threads: Option<u32>,
    /// Seeds every draw; 1 where it is left out.
    pub(crate) seed: Option<u64>,
}

/// One collection.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Collection {
    /// Documents before the load starts; 0 where it is left out.
    pub(crate) count: Option<u64>,
    /// Indexes besides the one on `_id`.
    #[schemars(with = "Option<Vec<Index>>")]
    pub(crate) indexes: Option<Vec<Option<Index>>>,
    /// The form of its documents.
    pub(crate) document: Option<Document>,
    /// What kind of collection it is.
    pub(crate) options: Option<CollectionOptions>,
    /// The collection is there and is used as it is: nothing is loaded, dropped or indexed.
    pub(crate) existing: Option<bool>,
}

/// The form of a collection's documents.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// The exact size of each document, `_id` and all: its payloads take what the rest leaves.
    pub(crate) size: Option<ByteSize>,
    /// The zstd ratio of one operation's message as the workload sends it, or low, medium, high,
    /// random or repeated; medium where it is left out.
    pub(crate) compressibility: Option<Compressibility>,
    /// The fields: Extended JSON with generators in it. `_id` is an `ObjectId` where it is left
    /// out.
    #[schemars(required, schema_with = "schemas::template")]
    pub(crate) fields: Option<serde_json::Value>,
}

/// The range of a number, by its key, where it is narrower than that of its type: for messages, as
/// the resolver checks it.
pub(crate) fn range(key: &str) -> Option<(i128, i128)> {
    let (low, high) = match key {
        "count" => (0, MAX_COUNT),
        "operations" | "iterations" => (1, MAX_COUNT),
        "concurrency" | "max_in_flight" => (1, u64::from(MAX_CONCURRENCY)),
        "threads" => (1, 1_024),
        "members" => (1, 7),
        "pool" | "connections" => (1, u64::from(u32::MAX)),
        _ => return None,
    };
    Some((low.into(), high.into()))
}

/// What to do about a number out of its range, by its key.
pub(crate) fn cure(key: &str) -> Option<&'static str> {
    Some(match key {
        "operations" | "iterations" => {
            "write at least 1, or leave it out where the step has a `duration`"
        }
        "concurrency" => "write how many workers, such as `concurrency: 8`",
        "max_in_flight" => "leave it out to have it set from the round trip",
        _ => return None,
    })
}

/// How the value of a key is written, where a wrong kind of value leaves that open.
pub(crate) fn example(key: &str) -> Option<&'static str> {
    Some(match key {
        "load" => "[{closed: {concurrency: 8}, duration: 30s}]",
        "operations" => "{find: {find_one: {collection: orders, filter: {}}}}",
        "data" => "{orders: {count: 1000, document: {fields: {n: 1}}}}",
        "document" => "{fields: {n: 1}}",
        "indexes" => "[{keys: {n: 1}}]",
        "options" => "{block_compressor: zstd}",
        "capped" => "{size: 100MB}",
        "time_series" => "{time: at, meta: sensor}",
        "collation" => "{locale: en}",
        "scenario" => "{mix: {find: 50, insert: 50}}",
        "mix" => "{find: 50, insert: 50}",
        "closed" => "{concurrency: 8}",
        "open" => "{rate: 50/s}",
        _ => return None,
    })
}
