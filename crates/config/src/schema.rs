//! The JSON Schema of the workload file.

use docstone_model::template::GENERATORS;
use serde_json::{Map, Value, json};

/// A generator, what it draws, and its arguments with their JSON types, `|` between two.
type Described = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const ARGUMENTS: [Described; 23] = [
    (
        "$sequence",
        "start + n * step, n being the document's number.",
        &[("start", "integer"), ("step", "integer")],
    ),
    (
        "$int",
        "An integer from min to max.",
        &[
            ("min", "integer"),
            ("max", "integer"),
            ("distribution", "string|object"),
            ("type", "string"),
        ],
    ),
    (
        "$string",
        "Characters from 0-9, A-Z, a-z.",
        &[("length", "integer")],
    ),
    ("$uuid", "A random UUID, version 4.", &[]),
    (
        "$object_id",
        "An ObjectId that rises with the document's number.",
        &[],
    ),
    ("$now", "The current time in UTC.", &[]),
    (
        "$key",
        "The `_id` of a document of the data.",
        &[
            ("distribution", "string|object"),
            ("collection", "string"),
            ("working_set", "number|object"),
            ("inserted", "boolean"),
        ],
    ),
    (
        "$worker",
        "The worker's number within its group, from 1.",
        &[],
    ),
    (
        "$worker_sequence",
        "How often this worker has drawn it in this step, from 1.",
        &[],
    ),
    (
        "$field_range",
        "A 64-bit integer between the smallest and the largest value of a field.",
        &[("field", "string")],
    ),
    (
        "$captured",
        "The value that a step before captured; text is its name.",
        &[("name", "string")],
    ),
    (
        "$payload",
        "Text of a chosen compressibility, of a length or as much as the document's size leaves.",
        &[("length", "integer|string")],
    ),
    (
        "$double",
        "A floating point number from min to max.",
        &[
            ("min", "number"),
            ("max", "number"),
            ("decimals", "integer"),
            ("distribution", "string|object"),
        ],
    ),
    (
        "$decimal",
        "A decimal number of 128 bits from min to max.",
        &[
            ("min", "number"),
            ("max", "number"),
            ("decimals", "integer"),
            ("distribution", "string|object"),
        ],
    ),
    (
        "$bool",
        "True with a probability.",
        &[("probability", "number")],
    ),
    (
        "$date",
        "A time from min to max; with a value it is Extended JSON.",
        &[
            ("min", "string"),
            ("max", "string"),
            ("distribution", "string|object"),
            ("$numberLong", "string"),
        ],
    ),
    (
        "$binary",
        "Random bytes; with `base64` it is Extended JSON.",
        &[
            ("length", "integer"),
            ("subtype", "integer"),
            ("base64", "string"),
            ("subType", "string"),
        ],
    ),
    (
        "$words",
        "Words, from min to max of them.",
        &[("min", "integer"), ("max", "integer")],
    ),
    ("$name", "The name of a person.", &[]),
    ("$email", "An e-mail address that reaches nobody.", &[]),
    ("$address", "A postal address.", &[]),
    (
        "$point",
        "A GeoJSON point within a box, even over its area.",
        &[
            ("west", "number"),
            ("east", "number"),
            ("south", "number"),
            ("north", "number"),
        ],
    ),
    (
        "$one_of",
        "One of some constants; a list alone is its values.",
        &[("values", "array"), ("weights", "array")],
    ),
];

/// JSON Schema (draft 2020-12) of the workload file.
pub fn workload_schema() -> Value {
    let mut schema = schemars::schema_for!(crate::raw::Workload).to_value();
    schema["title"] = json!("docstone workload");
    schema["$defs"]["Value"] = value_schema();
    schema
}

/// Any value; where a generator's key stands in it, its arguments are checked.
fn value_schema() -> Value {
    let mut properties = Map::new();
    for name in GENERATORS {
        let (_, description, arguments) = ARGUMENTS
            .iter()
            .find(|(known, ..)| *known == name)
            .expect("every generator is described");
        let arguments: Map<String, Value> = arguments
            .iter()
            .map(|(name, kinds)| {
                let kinds: Vec<&str> = kinds.split('|').collect();
                ((*name).to_owned(), json!({"type": kinds}))
            })
            .collect();
        // A `$uuid` with text is Extended JSON.
        let _ = properties.insert(
            name.to_owned(),
            json!({
                "description": description,
                "type": ["object", "null", "string", "array"],
                "properties": arguments,
                "additionalProperties": false,
            }),
        );
    }
    json!({
        "description": "Any Extended JSON value, an operator, or a generator.",
        "type": ["object", "array", "string", "number", "boolean", "null"],
        "properties": properties,
        "additionalProperties": {"$ref": "#/$defs/Value"},
        "items": {"$ref": "#/$defs/Value"},
    })
}
