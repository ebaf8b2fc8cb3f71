//! Groups, scenarios and load steps, as typed.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::Ordered;
use super::open::{Open, TextOr};
use crate::units::DurationNs;

/// One group of workers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    /// Which operations run, in which shares; may be left out where there is one operation.
    pub(crate) scenario: Option<Scenario>,
    /// Load steps; as many in every group.
    #[schemars(required, with = "Vec<Step>")]
    pub(crate) load: Option<Vec<Option<Step>>>,
    /// Connections; the concurrency where it is left out.
    #[schemars(range(min = 1))]
    pub(crate) connections: Option<u32>,
}

/// Which operations run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// Operations with their weights, above 0.
    #[schemars(required, with = "Ordered<f64>")]
    pub(crate) mix: Option<Ordered<f64>>,
}

/// One load step.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["closed"]},
    {
        "required": ["open"],
        "not": {
            "required": ["duration"],
            "properties": {"open": {"required": ["stages"]}},
        },
    },
]))]
pub(crate) struct Step {
    /// Its name, also that of its folder: letters, digits, `.`, `_` and `-`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-][A-Za-z0-9._-]*$"), length(max = 80))]
    pub(crate) name: Option<String>,
    /// Runs like the others, but is not measured; false where it is left out.
    pub(crate) warmup: Option<bool>,
    /// Each worker starts its next operation when the one before has ended.
    pub(crate) closed: Option<Closed>,
    /// Operations are due at times of their own, whatever the server does.
    pub(crate) open: Option<Open>,
    /// Ends after this time, at least 100ms. Open load has it beside `rate`, never beside
    /// `stages`.
    pub(crate) duration: Option<DurationNs>,
    /// Ends after exactly so many operations of the group.
    #[schemars(range(min = 1))]
    pub(crate) operations: Option<u64>,
    /// After the end, how long operations in flight may take; 10s where it is left out.
    pub(crate) drain: Option<DurationNs>,
}

/// Closed load.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Closed {
    /// Workers.
    #[schemars(required, range(min = 1, max = 100_000))]
    pub(crate) concurrency: Option<u32>,
    /// Pause of a worker between two operations; none where it is left out.
    #[serde(default)]
    #[schemars(schema_with = "think_time_schema")]
    pub(crate) think_time: Option<TextOr<DurationNs, ThinkTimeMap>>,
}

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

fn think_time_schema(generator: &mut SchemaGenerator) -> Schema {
    let text = generator.subschema_for::<DurationNs>();
    let map = generator.subschema_for::<ThinkTimeMap>();
    json_schema!({
        "description": "Pause of a worker between two operations: constant, such as `10ms`; \
                        `{exponential: 10ms}`, exponentially distributed with this mean; or \
                        `{min: 5ms, max: 15ms}`, evenly distributed.",
        "anyOf": [text, map],
    })
}
