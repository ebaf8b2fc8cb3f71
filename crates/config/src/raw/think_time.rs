//! Think times, as typed: of workers of closed load, and after steps of a scenario.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::units::DurationNs;

/// A think time that is drawn.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{"required": ["exponential"]}, {"required": ["min", "max"]}],
    "dependentRequired" = {"min": ["max"], "max": ["min"]},
))]
pub(crate) struct ThinkTimeMap {
    /// Exponentially distributed with this mean.
    pub(crate) exponential: Option<DurationNs>,
    /// Of an evenly distributed one, the shortest.
    pub(crate) min: Option<DurationNs>,
    /// Of an evenly distributed one, the longest.
    pub(crate) max: Option<DurationNs>,
}

pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
    let text = generator.subschema_for::<DurationNs>();
    let map = generator.subschema_for::<ThinkTimeMap>();
    json_schema!({
        "description": "Pause of a worker between two operations, or after a step: constant, such as `10ms`; \
                        `{exponential: 10ms}`, exponentially distributed with this mean; or \
                        `{min: 5ms, max: 15ms}`, evenly distributed.",
        "anyOf": [text, map],
    })
}
