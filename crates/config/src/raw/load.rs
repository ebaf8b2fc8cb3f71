//! Groups, scenarios and load steps, as typed.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::action::Action;
use super::open::{Open, TextOr};
use super::scenario::Scenario;
use super::think_time::{self, ThinkTimeMap};
use crate::defaults::MAX_CONCURRENCY;
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
    /// Connections; where it is left out `target.pool`, else as many as there can be operations in
    /// flight.
    #[schemars(range(min = 1))]
    pub(crate) connections: Option<u32>,
}

/// One load step.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {
        "required": ["closed"],
        "not": {
            "required": ["duration"],
            "properties": {"closed": {"required": ["stages"]}},
        },
    },
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
    /// Each worker starts its next operation, or iteration of steps, when the one before has ended.
    pub(crate) closed: Option<Closed>,
    /// Operations are due at times of their own, whatever the server does.
    pub(crate) open: Option<Open>,
    /// Ends after this time, at least 100ms. Never beside `stages`, whose durations add up.
    pub(crate) duration: Option<DurationNs>,
    /// Ends after exactly so many operations of the group.
    #[schemars(range(min = 1))]
    pub(crate) operations: Option<u64>,
    /// Ends after exactly so many iterations of the group; of a mix, an iteration is one
    /// operation.
    #[schemars(range(min = 1))]
    pub(crate) iterations: Option<u64>,
    /// After the end, how long operations in flight may take; 10s where it is left out.
    pub(crate) drain: Option<DurationNs>,
    /// What is done to the deployment while the load goes on.
    #[schemars(with = "Option<Vec<Action>>")]
    pub(crate) actions: Option<Vec<Option<Action>>>,
}

/// Closed load.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["concurrency"]}, {"required": ["stages"]}]))]
pub(crate) struct Closed {
    /// Workers: the same throughout, or a ramp.
    #[serde(default)]
    #[schemars(schema_with = "concurrency_schema")]
    pub(crate) concurrency: Option<TextOr<u32, RampMap>>,
    /// Parts with a number of workers each, one after the other; their durations add up.
    #[schemars(with = "Option<Vec<WorkerStage>>", length(min = 1))]
    pub(crate) stages: Option<Vec<Option<WorkerStage>>>,
    /// Pause of a worker between two operations, or iterations of steps; none where it is left out.
    #[serde(default)]
    #[schemars(schema_with = "think_time::schema")]
    pub(crate) think_time: Option<TextOr<DurationNs, ThinkTimeMap>>,
}

/// A part of closed load.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkerStage {
    /// How long it takes.
    #[schemars(required, with = "DurationNs")]
    pub(crate) duration: Option<DurationNs>,
    /// Workers during it: the same throughout, or a ramp; 0 is a pause.
    #[serde(default)]
    #[schemars(required, schema_with = "stage_concurrency_schema")]
    pub(crate) concurrency: Option<TextOr<u32, RampMap>>,
}

/// A number of workers that changes in a straight line.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RampMap {
    /// Workers at the start.
    #[schemars(required, with = "u32", range(min = 0, max = 100_000))]
    pub(crate) from: Option<u32>,
    /// Workers at the end.
    #[schemars(required, with = "u32", range(min = 0, max = 100_000))]
    pub(crate) to: Option<u32>,
}

fn concurrency_schema(generator: &mut SchemaGenerator) -> Schema {
    workers_schema(generator, 1)
}

fn stage_concurrency_schema(generator: &mut SchemaGenerator) -> Schema {
    workers_schema(generator, 0)
}

fn workers_schema(generator: &mut SchemaGenerator, least: u32) -> Schema {
    let map = generator.subschema_for::<RampMap>();
    json_schema!({
        "description": "A number of workers, or a ramp such as `{from: 0, to: 64}`.",
        "anyOf": [{"type": "integer", "minimum": least, "maximum": MAX_CONCURRENCY}, map],
    })
}
