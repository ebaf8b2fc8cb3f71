//! What kind of collection is made, and its indexes, as typed.

use docstone_model::ByteSize;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::ordered::Ordered;
use super::schemas;
use crate::units::DurationNs;

/// The block compressors, as they stand in files.
pub(crate) const BLOCK_COMPRESSORS: [&str; 4] = ["none", "snappy", "zstd", "zlib"];

/// The granularities of a time series.
pub(crate) const GRANULARITIES: [&str; 3] = ["seconds", "minutes", "hours"];

/// When an index may be built.
pub(crate) const BUILDS: [&str; 2] = ["after_load", "before_load"];

/// One index.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Index {
    /// Fields in order with their direction (1 or -1) or kind (`text`, `hashed`, `2dsphere`).
    #[schemars(required, with = "Ordered<Value>")]
    pub(crate) keys: Option<Ordered<Value>>,
    /// No two documents may have equal keys.
    pub(crate) unique: Option<bool>,
    /// Documents without the fields are left out.
    pub(crate) sparse: Option<bool>,
    /// Documents are removed so long after the date in the index's field (TTL), to the second.
    pub(crate) expire_after: Option<DurationNs>,
    /// Only documents that match this are in the index.
    #[schemars(schema_with = "schemas::filter")]
    #[serde(default)]
    pub(crate) partial: Option<Value>,
    /// How strings compare, such as `{locale: en, strength: 2}`.
    pub(crate) collation: Option<Value>,
    /// `after_load`, or `before_load` to have it grow with the data; `after_load` where it is left
    /// out.
    #[schemars(extend("enum" = BUILDS))]
    pub(crate) build: Option<String>,
}

/// What a collection is made with.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectionOptions {
    /// How blocks are compressed on disk: none, snappy, zstd or zlib; the server's default where it
    /// is left out.
    #[schemars(extend("enum" = BLOCK_COMPRESSORS))]
    pub(crate) block_compressor: Option<String>,
    /// New documents push the oldest out.
    pub(crate) capped: Option<Capped>,
    /// Documents are stored in the order of their `_id`; from MongoDB 5.3 on.
    pub(crate) clustered: Option<bool>,
    /// Documents are measurements, stored in buckets of time.
    pub(crate) time_series: Option<TimeSeries>,
    /// What documents must match: query operators, or `$jsonSchema`.
    #[schemars(schema_with = "schemas::filter")]
    #[serde(default)]
    pub(crate) validator: Option<Value>,
}

/// The size of a capped collection.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Capped {
    /// BSON at most, such as `100MB`.
    #[schemars(required)]
    pub(crate) size: Option<ByteSize>,
    /// Documents at most.
    #[schemars(range(min = 1))]
    pub(crate) documents: Option<u64>,
}

/// Of what a measurement consists.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimeSeries {
    /// The field with its time, a date.
    #[schemars(required)]
    pub(crate) time: Option<String>,
    /// The field that says where it comes from.
    pub(crate) meta: Option<String>,
    /// How far two measurements of one origin lie apart: seconds, minutes or hours.
    #[schemars(extend("enum" = GRANULARITIES))]
    pub(crate) granularity: Option<String>,
}
