//! Scenarios, as typed: a mix of operations, or steps.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::{Ordered, TextOr, ThinkTimeMap, think_time};
use crate::units::DurationNs;

/// What may become of an iteration whose step fails.
pub(crate) const ON_ERROR: [&str; 2] = ["stop", "continue"];

/// Which operations run: a mix, or steps.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["mix"]}, {"required": ["steps"]}]))]
pub(crate) struct Scenario {
    /// Operations with their weights, above 0: each iteration is one of them.
    pub(crate) mix: Option<Ordered<f64>>,
    /// Each iteration runs all of these, one after the other.
    #[serde(default)]
    #[schemars(schema_with = "steps_schema")]
    pub(crate) steps: Option<Vec<Option<TypedStep>>>,
}

/// A step: the name of an operation, or a map where there is more to say.
pub(crate) type TypedStep = TextOr<String, StepMap>;

/// A step of an iteration.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["run"]}, {"required": ["parallel"]}, {"required": ["sequence"]},
]))]
pub(crate) struct StepMap {
    /// The operation.
    pub(crate) run: Option<String>,
    /// Steps that run at the same time; the next begins when the last of them has ended.
    #[serde(default)]
    #[schemars(schema_with = "steps_schema")]
    pub(crate) parallel: Option<Vec<Option<TypedStep>>>,
    /// Steps one after the other, as one of those in `parallel`.
    #[serde(default)]
    #[schemars(schema_with = "steps_schema")]
    pub(crate) sequence: Option<Vec<Option<TypedStep>>>,
    /// The name under which it is counted; the operation's where it is left out.
    pub(crate) name: Option<String>,
    /// Values for later steps: their names, and the fields that hold them.
    pub(crate) capture: Option<Ordered<String>>,
    /// What a failure means for the iteration: stop ends it, continue goes on; stop where it is
    /// left out.
    #[schemars(extend("enum" = ON_ERROR))]
    pub(crate) on_error: Option<String>,
    /// In which part of the iterations the step takes place, above 0 and at most 1; all of them
    /// where it is left out.
    pub(crate) probability: Option<f64>,
    /// How often the step runs, one run after the other, 1 to 1,000; once where it is left out.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) repeat: Option<u64>,
    /// Pause after the step; none where it is left out.
    #[serde(default)]
    #[schemars(schema_with = "think_time::schema")]
    pub(crate) think_time: Option<TextOr<DurationNs, ThinkTimeMap>>,
}

fn steps_schema(generator: &mut SchemaGenerator) -> Schema {
    let map = generator.subschema_for::<StepMap>();
    json_schema!({
        "description": "Steps: each the name of an operation, or a map.",
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": [{"type": "string"}, map]},
    })
}
