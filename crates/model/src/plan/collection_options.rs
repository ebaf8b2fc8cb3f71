//! What kind of collection is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a collection is made with, besides its documents and indexes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CollectionOptions {
    /// How blocks are compressed on disk; `None` is the server's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_compressor: Option<BlockCompressor>,
    /// New documents push the oldest out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capped: Option<Capped>,
    /// Documents are stored in the order of their `_id`, without an index of its own on it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clustered: bool,
    /// Documents are measurements, stored in buckets of time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_series: Option<TimeSeries>,
    /// What documents must match: query operators, or `$jsonSchema`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validator: Option<serde_json::Value>,
}

/// How `WiredTiger` compresses a collection's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockCompressor {
    /// Not at all.
    None,
    /// The server's default.
    Snappy,
    /// Smaller than snappy, for more CPU time.
    Zstd,
    /// As small as zstd, for more CPU time again.
    Zlib,
}

/// The size of a capped collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capped {
    /// Bytes of BSON at most.
    pub size_bytes: u64,
    /// Documents at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
}

/// Of what a measurement consists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeSeries {
    /// The field with its time, a date.
    pub time: String,
    /// The field that says where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<String>,
    /// How far two measurements of one origin lie apart; `None` is seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Granularity>,
}

/// How far two measurements of one origin lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    /// Seconds.
    Seconds,
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
}

impl BlockCompressor {
    /// Its name, as the server has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Snappy => "snappy",
            Self::Zstd => "zstd",
            Self::Zlib => "zlib",
        }
    }
}

impl Granularity {
    /// Its name, as the server has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Minutes => "minutes",
            Self::Hours => "hours",
        }
    }
}

impl CollectionOptions {
    /// True if nothing is asked for.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
