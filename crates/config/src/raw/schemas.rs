//! How the schema describes templates. What a value in them may be is `Value` in the schema.

use schemars::{Schema, SchemaGenerator, json_schema};

/// A document to store.
pub(super) fn template(_: &mut SchemaGenerator) -> Schema {
    described("A document: Extended JSON with generators such as `{$sequence: {}}` in it.")
}

/// A filter.
pub(super) fn filter(_: &mut SchemaGenerator) -> Schema {
    described("A filter: query operators, Extended JSON and generators such as `{$key: {}}`.")
}

/// Update operators.
pub(super) fn update(_: &mut SchemaGenerator) -> Schema {
    described("Update operators such as `$set`, with Extended JSON and generators below them.")
}

fn described(description: &str) -> Schema {
    json_schema!({
        "description": description,
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/Value"},
    })
}
