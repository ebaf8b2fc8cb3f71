//! Templates: Extended JSON documents with generators in them.
//!
//! Owns the one form in which documents, filters and updates stand in files, plans and memory.
//! Drawing values from them belongs to the workload crate.

mod generator;
mod parse;
mod write;

use bson::Bson;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use generator::{Distribution, GENERATORS, Generator, IntType};
pub use parse::{Context, TemplateError};

/// A value in which generators stand for what is drawn anew each time.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    /// Always the same value.
    Constant(Bson),
    /// A document with its fields in order.
    Document(Vec<(String, Template)>),
    /// An array.
    Array(Vec<Template>),
    /// Drawn anew for each document or operation.
    Generator(Generator),
}

impl Template {
    /// Reads a template from its JSON form.
    ///
    /// # Errors
    /// All mistakes at once, each with the path of keys that leads to it.
    pub fn from_json(
        value: &serde_json::Value,
        context: Context,
    ) -> Result<Self, Vec<TemplateError>> {
        parse::parse(value, context)
    }

    /// The JSON form: what [`Template::from_json`] reads.
    pub fn to_json(&self) -> serde_json::Value {
        write::to_json(self)
    }

    /// The value of a field, if this is a document that has it at its top level.
    pub fn field(&self, name: &str) -> Option<&Template> {
        match self {
            Self::Document(fields) => fields
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Calls `visit` for each generator, in order.
    pub fn for_each_generator<'a>(&'a self, visit: &mut dyn FnMut(&'a Generator)) {
        match self {
            Self::Constant(_) => {}
            Self::Generator(generator) => visit(generator),
            Self::Array(items) => items.iter().for_each(|item| item.for_each_generator(visit)),
            Self::Document(fields) => {
                for (_, value) in fields {
                    value.for_each_generator(visit);
                }
            }
        }
    }
}

impl Serialize for Template {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Self::from_json(&value, Context::Any).map_err(|errors| {
            let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
            serde::de::Error::custom(text.join("; "))
        })
    }
}

impl JsonSchema for Template {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Template".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "An Extended JSON value with generators such as {\"$sequence\": {}} in it.",
        })
    }
}
