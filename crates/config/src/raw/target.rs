//! The deployment under test, as typed.

use docstone_model::Compressor;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::units::{RatePerS, WriteConcern};

/// The deployment under test and how operations reach it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Target {
    /// The connection string.
    pub(crate) uri: Option<String>,
    /// A mongod that docstone starts for this run, instead of `uri`: `true` or its options.
    #[serde(default)]
    #[schemars(schema_with = "private_schema")]
    pub(crate) private: Option<Private>,
    /// The database that holds the collections.
    pub(crate) database: Option<String>,
    /// `none`, `snappy`, `zstd[:LEVEL]` or `zlib[:LEVEL]`.
    pub(crate) compressor: Option<Compressor>,
    /// `auto` or `driver`.
    pub(crate) transport: Option<String>,
    /// Connections of each group; its concurrency where it is left out.
    #[schemars(range(min = 1))]
    pub(crate) pool: Option<u32>,
    /// A number of members (0 is unacknowledged), `majority` or `journaled`.
    pub(crate) write_concern: Option<WriteConcern>,
    /// New connections, such as `15/s`; as fast as possible where it is left out.
    pub(crate) connect_rate: Option<RatePerS>,
    /// Accept TLS certificates that cannot be verified.
    pub(crate) tls_insecure: Option<bool>,
}

/// A private mongod.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Private {
    /// Members of the replica set.
    #[schemars(range(min = 1, max = 7))]
    pub(crate) members: Option<u32>,
    /// A standalone server instead of a replica set.
    pub(crate) standalone: Option<bool>,
    /// Keep the server and its data after the run.
    pub(crate) keep: Option<bool>,
}

/// `target` has a short form.
pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
    let map = generator.subschema_for::<Target>();
    json_schema!({
        "description": "The deployment under test: a connection string, `private`, or a map.",
        "anyOf": [{"type": "string"}, map],
    })
}

fn private_schema(generator: &mut SchemaGenerator) -> Schema {
    let map = generator.subschema_for::<Private>();
    json_schema!({
        "description": "A mongod that docstone starts for this run: `true` or its options.",
        "anyOf": [{"type": "boolean"}, map],
    })
}
