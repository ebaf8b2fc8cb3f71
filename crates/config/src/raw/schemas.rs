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

/// Update operators, or stages.
pub(super) fn update(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "Update operators such as `$set`, with Extended JSON and generators below \
                        them, or a list of stages.",
        "type": ["object", "array"],
        "additionalProperties": {"$ref": "#/$defs/Value"},
        "items": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Value"}},
    })
}

/// A command.
pub(super) fn command(_: &mut SchemaGenerator) -> Schema {
    described("A command such as `{ping: 1}`, with Extended JSON and generators in it.")
}

/// The stages of an aggregation.
pub(super) fn stages(_: &mut SchemaGenerator) -> Schema {
    listed("Stages such as `{$match: {...}}`, with Extended JSON and generators in them.")
}

/// Filters of the elements of arrays.
pub(super) fn filters(_: &mut SchemaGenerator) -> Schema {
    listed("Filters such as `{item.n: {$gt: 5}}`, one for each name that the update uses.")
}

fn listed(description: &str) -> Schema {
    json_schema!({
        "description": description,
        "type": "array",
        "items": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Value"}},
    })
}

fn described(description: &str) -> Schema {
    json_schema!({
        "description": description,
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/Value"},
    })
}
