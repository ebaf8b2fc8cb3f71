//! What the documents of a collection were made like.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::template::Compressibility;

/// The documents of one collection with payloads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataRecord {
    /// The exact size of each document, in bytes; null where the file gives none.
    pub document_bytes: Option<u64>,
    /// How well the messages with them compress.
    pub compressibility: CompressibilityRecord,
}

/// How many times smaller compressors make messages: their size by that with the compressor.
/// Measured on 1 MiB of messages made for it, before the load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompressibilityRecord {
    /// The zstd ratio that was asked for, `random` or `repeated`; null for documents without payloads.
    pub target: Option<Compressibility>,
    /// What was measured, such as ``a request of `insert` ``.
    pub unit: String,
    /// The size of one such message, in bytes.
    pub unit_bytes: u64,
    /// With zstd at level 3.
    pub zstd: f64,
    /// With Snappy.
    pub snappy: f64,
    /// With zlib at level 6.
    pub zlib: f64,
}
