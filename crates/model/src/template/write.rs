//! Template to JSON.

use bson::Bson;
use serde_json::Value;

use super::value::Template;

impl Template {
    /// The JSON form: what [`Template::from_json`] reads.
    pub fn to_json(&self) -> Value {
        to_json(self)
    }
}

fn to_json(template: &Template) -> Value {
    match template {
        // A 64-bit integer that would fit 32 bits must keep its type, hence the canonical form.
        Template::Constant(value @ Bson::Int64(_)) => value.clone().into_canonical_extjson(),
        Template::Constant(value) => value.clone().into_relaxed_extjson(),
        Template::Generator(generator) => {
            serde_json::to_value(generator).expect("a generator is plain data")
        }
        Template::Array(items) => Value::Array(items.iter().map(to_json).collect()),
        Template::Document(fields) => Value::Object(
            fields
                .iter()
                .map(|(key, value)| (key.clone(), to_json(value)))
                .collect(),
        ),
    }
}
