//! Open load, as typed.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::units::{ArrivalRate, DurationNs, DurationOrNever};

/// The names of how arrivals are spread.
pub(crate) const ARRIVALS: [&str; 3] = ["poisson", "uniform", "jittered"];

/// What may happen to an arrival that finds too many in flight.
pub(crate) const WHEN_FULL: [&str; 2] = ["queue", "drop"];

/// A value with a short form: text, or a map where there is more to say.
#[derive(Debug, Deserialize)]
pub(crate) enum TextOr<T, M> {
    Text(T),
    Map(M),
}

/// Open load.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["rate"]}, {"required": ["stages"]}, {"required": ["trace"]},
]))]
pub(crate) struct Open {
    /// How many operations a second are due: constant, a ramp, or drawn at random.
    #[serde(default)]
    #[schemars(schema_with = "rate_schema")]
    pub(crate) rate: Option<TextOr<ArrivalRate, RateMap>>,
    /// Parts with a rate each, one after the other; their durations add up.
    #[schemars(with = "Option<Vec<Stage>>", length(min = 1))]
    pub(crate) stages: Option<Vec<Option<Stage>>>,
    /// A file of recorded times, or of rates over time.
    #[serde(default)]
    #[schemars(schema_with = "trace_schema")]
    pub(crate) trace: Option<TextOr<String, TraceMap>>,
    /// How arrivals are spread under the rate; poisson where it is left out.
    #[serde(default)]
    #[schemars(schema_with = "arrivals_schema")]
    pub(crate) arrivals: Option<TextOr<String, ArrivalsMap>>,
    /// Operations in flight at once; set from the round trip where it is left out.
    #[schemars(with = "Option<u32>", range(min = 1, max = 100_000))]
    pub(crate) max_in_flight: Option<u32>,
    /// What becomes of an arrival that finds as many in flight; queue where it is left out.
    #[serde(default)]
    #[schemars(schema_with = "when_full_schema")]
    pub(crate) when_full: Option<TextOr<String, WhenFullMap>>,
    /// The age of the oldest waiting arrival from which on, if it still grows, the step is given
    /// up; 30s where it is left out.
    pub(crate) give_up_after: Option<DurationOrNever>,
}

/// A part of a schedule.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stage {
    /// How long it takes.
    #[schemars(required, with = "DurationNs")]
    pub(crate) duration: Option<DurationNs>,
    /// The rate during it; 0/s is a pause.
    #[serde(default)]
    #[schemars(required, schema_with = "rate_schema")]
    pub(crate) rate: Option<TextOr<ArrivalRate, RateMap>>,
}

/// A rate that is not constant: a ramp, or drawn at random.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{"required": ["from", "to"]}, {"required": ["min", "max"]}],
    "dependentRequired" = {"from": ["to"], "to": ["from"], "every": ["min"]},
))]
pub(crate) struct RateMap {
    /// Of a ramp, the rate at the start.
    pub(crate) from: Option<ArrivalRate>,
    /// Of a ramp, the rate at the end.
    pub(crate) to: Option<ArrivalRate>,
    /// Of a random rate, the least.
    pub(crate) min: Option<ArrivalRate>,
    /// Of a random rate, the highest.
    pub(crate) max: Option<ArrivalRate>,
    /// How often a random rate is drawn; 1s where it is left out.
    pub(crate) every: Option<DurationNs>,
}

/// A trace that holds rates.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceMap {
    /// A file with lines `seconds,rate_per_s`; each rate holds until the next line's time.
    #[schemars(required, with = "String")]
    pub(crate) rates: Option<String>,
}

/// Arrivals with options.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrivalsMap {
    /// The exact number in each interval, at random times within it.
    #[schemars(required, with = "Jittered")]
    pub(crate) jittered: Option<Jittered>,
}

/// Options of jittered arrivals.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Jittered {
    /// The length of an interval; 1s where it is left out.
    pub(crate) interval: Option<DurationNs>,
}

/// What happens when too many are in flight, with options.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhenFullMap {
    /// The arrival is dropped and counted.
    #[schemars(required, with = "DropAfter")]
    pub(crate) drop: Option<DropAfter>,
}

/// Options of dropping.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DropAfter {
    /// How long an arrival waits before it is dropped; not at all where it is left out.
    pub(crate) after: Option<DurationNs>,
}

fn rate_schema(generator: &mut SchemaGenerator) -> Schema {
    let text = generator.subschema_for::<ArrivalRate>();
    let map = generator.subschema_for::<RateMap>();
    json_schema!({
        "description": "A constant rate such as `50/s`, a ramp `{from: 0/s, to: 100/s}`, or \
                        `{min: 10/s, max: 30/s, every: 1s}`, drawn anew each interval.",
        "anyOf": [text, map],
    })
}

fn trace_schema(generator: &mut SchemaGenerator) -> Schema {
    let map = generator.subschema_for::<TraceMap>();
    json_schema!({
        "description": "A file with one time in seconds per line, beside the workload file; or \
                        `{rates: FILE}` with lines `seconds,rate_per_s`.",
        "anyOf": [{"type": "string"}, map],
    })
}

fn arrivals_schema(generator: &mut SchemaGenerator) -> Schema {
    let map = generator.subschema_for::<ArrivalsMap>();
    json_schema!({
        "description": "poisson: at random, each independent of the others. uniform: at even \
                        distances. jittered: the exact number in each interval, at random times.",
        "anyOf": [{"enum": ARRIVALS}, map],
    })
}

fn when_full_schema(generator: &mut SchemaGenerator) -> Schema {
    let map = generator.subschema_for::<WhenFullMap>();
    json_schema!({
        "description": "queue: it waits, and its response time counts from when it was due. \
                        drop: it is dropped and counted.",
        "anyOf": [{"enum": WHEN_FULL}, map],
    })
}
