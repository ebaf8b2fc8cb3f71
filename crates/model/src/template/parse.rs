//! JSON to template, with all mistakes at once.

use std::fmt;

use bson::Bson;
use serde_json::{Map, Value};

use super::extended_json::{self, EXTENDED_JSON};
use super::generator::{GENERATORS, Generator};
use super::value::Template;

/// Where a template stands, which decides what a key that begins with `$` can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// A document to store: generators and Extended JSON only.
    Document,
    /// A filter: query operators as well.
    Filter,
    /// Update operators, with documents below them.
    Update,
    /// Anything, as in a plan that was checked before.
    Any,
}

/// One mistake in a template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateError {
    /// The keys (and array positions) that lead to the mistake.
    pub path: Vec<String>,
    /// The mistake, as a fragment.
    pub message: String,
    /// Names that would be known there.
    pub known: Vec<&'static str>,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path.join("."), self.message)
    }
}

/// Its list may stand without the name of the argument.
const ONE_OF: &str = "$one_of";

/// The generator whose argument may be text.
const CAPTURED: &str = "$captured";

const QUERY_OPERATORS: [&str; 30] = [
    "$eq",
    "$ne",
    "$gt",
    "$gte",
    "$lt",
    "$lte",
    "$in",
    "$nin",
    "$and",
    "$or",
    "$nor",
    "$not",
    "$exists",
    "$type",
    "$expr",
    "$mod",
    "$regex",
    "$options",
    "$text",
    "$search",
    "$where",
    "$all",
    "$elemMatch",
    "$size",
    "$geoWithin",
    "$geoIntersects",
    "$near",
    "$nearSphere",
    "$geometry",
    "$maxDistance",
];

const UPDATE_OPERATORS: [&str; 19] = [
    "$set",
    "$unset",
    "$inc",
    "$mul",
    "$min",
    "$max",
    "$rename",
    "$setOnInsert",
    "$currentDate",
    "$push",
    "$pull",
    "$pullAll",
    "$pop",
    "$addToSet",
    "$bit",
    "$each",
    "$position",
    "$slice",
    "$sort",
];

impl Template {
    /// Reads a template from its JSON form.
    ///
    /// # Errors
    /// All mistakes at once, each with the path of keys that leads to it.
    pub fn from_json(value: &Value, context: Context) -> Result<Self, Vec<TemplateError>> {
        let mut parser = Parser {
            context,
            errors: Vec::new(),
            path: Vec::new(),
        };
        match parser.value(value) {
            Some(template) if parser.errors.is_empty() => Ok(template),
            _ => Err(parser.errors),
        }
    }
}

struct Parser {
    context: Context,
    errors: Vec<TemplateError>,
    path: Vec<String>,
}

impl Parser {
    fn fault(&mut self, message: String, known: &[&'static str]) {
        self.errors.push(TemplateError {
            path: self.path.clone(),
            message,
            known: known.to_vec(),
        });
    }

    fn value(&mut self, value: &Value) -> Option<Template> {
        match value {
            Value::Object(map) => self.object(map),
            Value::Array(items) => {
                let items: Vec<_> = items
                    .iter()
                    .enumerate()
                    .map(|(at, item)| self.below(at.to_string(), item))
                    .collect();
                items
                    .into_iter()
                    .collect::<Option<_>>()
                    .map(Template::Array)
            }
            scalar => self.constant(scalar.clone()),
        }
    }

    fn below(&mut self, key: String, value: &Value) -> Option<Template> {
        self.path.push(key);
        let template = self.value(value);
        self.path.pop();
        template
    }

    fn object(&mut self, map: &Map<String, Value>) -> Option<Template> {
        if let Some((key, argument)) = map.iter().next().filter(|(key, _)| key.starts_with('$')) {
            let extended = EXTENDED_JSON.contains(&key.as_str());
            let nested = extended_json::is_nested(key, argument);
            // Of `$captured`, text is the name. `$date`, `$binary` and `$uuid` are generators where
            // they have arguments or none, and Extended JSON where they have a value.
            let generator = GENERATORS.contains(&key.as_str())
                && (!argument.is_string() || key == CAPTURED)
                && !(extended && (nested || !argument.is_object() && !argument.is_null()));
            if generator || (extended && !argument.is_object()) || nested {
                if map.len() > 1 {
                    self.fault(format!("`{key}` must stand alone in its document"), &[]);
                    return None;
                }
                return if generator {
                    self.generator(key, argument)
                } else {
                    self.constant(Value::Object(map.clone()))
                };
            }
        }
        let fields: Vec<_> = map
            .iter()
            .map(|(key, value)| self.field(key, value))
            .collect();
        fields
            .into_iter()
            .collect::<Option<_>>()
            .map(Template::Document)
    }

    fn field(&mut self, key: &str, value: &Value) -> Option<(String, Template)> {
        if key.starts_with('$') && !self.operator_is_known(key) {
            self.path.push(key.to_owned());
            let what = if self.context == Context::Document {
                "generator"
            } else {
                "operator"
            };
            self.fault(format!("unknown {what} `{key}`"), &self.known());
            self.path.pop();
            return None;
        }
        self.below(key.to_owned(), value)
            .map(|template| (key.to_owned(), template))
    }

    fn operator_is_known(&self, key: &str) -> bool {
        match self.context {
            Context::Document => false,
            Context::Filter => QUERY_OPERATORS.contains(&key),
            Context::Update => UPDATE_OPERATORS.contains(&key) || QUERY_OPERATORS.contains(&key),
            Context::Any => true,
        }
    }

    fn known(&self) -> Vec<&'static str> {
        let operators: &[&'static str] = match self.context {
            Context::Document | Context::Any => &[],
            Context::Filter => &QUERY_OPERATORS,
            Context::Update => &UPDATE_OPERATORS,
        };
        GENERATORS.iter().chain(operators).copied().collect()
    }

    fn generator(&mut self, key: &str, argument: &Value) -> Option<Template> {
        let argument = match argument {
            Value::Null => Value::Object(Map::new()),
            Value::Object(map) => {
                let whole = |(key, value): (&String, &Value)| (key.clone(), whole(value));
                Value::Object(map.iter().map(whole).collect())
            }
            Value::Array(values) if key == ONE_OF => serde_json::json!({"values": values}),
            Value::String(name) if key == CAPTURED => serde_json::json!({"name": name}),
            other => other.clone(),
        };
        let mut tagged = Map::new();
        let _ = tagged.insert(key.to_owned(), argument);
        match serde_json::from_value::<Generator>(Value::Object(tagged)) {
            Ok(generator) => match generator.fault() {
                None => Some(Template::Generator(generator)),
                Some(fault) => {
                    self.fault(format!("{key}: {fault}"), &[]);
                    None
                }
            },
            Err(error) => {
                self.fault(format!("{key}: {error}"), &[]);
                None
            }
        }
    }

    fn constant(&mut self, value: Value) -> Option<Template> {
        let key = value.as_object().and_then(|map| map.keys().next().cloned());
        let Ok(value) = Bson::try_from(value) else {
            self.fault(extended_json::fault(key.as_deref()), &[]);
            return None;
        };
        Some(Template::Constant(value))
    }
}

/// A whole number that was written as a float, such as `3e9`, as an integer; each up to 2^53 has
/// a float of its own.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number of at most 53 bits"
)]
fn whole(value: &Value) -> Value {
    match value.as_f64() {
        Some(float) if value.is_f64() && float.fract() == 0.0 && float.abs() <= LARGEST_WHOLE => {
            Value::from(float as i64)
        }
        _ => value.clone(),
    }
}

/// 2^53.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn generators_and_constants_are_told_apart() {
        let template = Template::from_json(
            &json!({"_id": {"$sequence": {"start": 1}}, "kind": "order", "n": {"$numberLong": "5"},
                    "u": {"$uuid": {}}, "fixed": {"$uuid": "00112233-4455-6677-8899-aabbccddeeff"}}),
            Context::Document,
        )
        .expect("valid");
        assert_eq!(
            template.field("_id"),
            Some(&Template::Generator(Generator::Sequence {
                start: 1,
                step: 1
            }))
        );
        assert_eq!(
            template.field("n"),
            Some(&Template::Constant(Bson::Int64(5)))
        );
        assert_eq!(
            template.field("u"),
            Some(&Template::Generator(Generator::Uuid {}))
        );
        assert!(matches!(
            template.field("fixed"),
            Some(Template::Constant(Bson::Binary(_)))
        ));
    }

    #[test]
    fn all_mistakes_are_found_with_their_paths() {
        let errors = Template::from_json(
            &json!({"a": {"$sequnce": {}}, "b": {"c": [{"$int": {"mn": 1}}]}, "d": {"$int": {"min": 2, "max": 1}}}),
            Context::Document,
        )
        .expect_err("three mistakes");
        let paths: Vec<String> = errors.iter().map(|error| error.path.join(".")).collect();
        assert_eq!(paths, ["a.$sequnce", "b.c.0", "d"]);
    }

    #[test]
    fn a_whole_number_may_be_written_as_a_float() {
        let document = json!({"a": {"$int": {"max": 3e9}}});
        let template = Template::from_json(&document, Context::Document).expect("valid");
        assert!(matches!(
            template.field("a"),
            Some(Template::Generator(Generator::Int {
                max: 3_000_000_000,
                ..
            }))
        ));
        let fraction = json!({"a": {"$int": {"max": 1.5}}});
        assert!(Template::from_json(&fraction, Context::Document).is_err());
    }

    #[test]
    fn operators_are_known_where_they_may_stand() {
        let filter = json!({"n": {"$gte": {"$int": {}}}});
        assert!(Template::from_json(&filter, Context::Filter).is_ok());
        assert!(Template::from_json(&filter, Context::Document).is_err());
        assert!(
            Template::from_json(&json!({"$set": {"a": {"$now": {}}}}), Context::Update).is_ok()
        );
        assert!(Template::from_json(&json!({"$sett": {"a": 1}}), Context::Update).is_err());
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let value = json!({"_id": {"$int": {"min": 5, "max": 9, "distribution": "uniform"}},
            "a": [1, {"$numberLong": "7"}, 1.5, null, true], "t": {"$now": {}}});
        let template = Template::from_json(&value, Context::Document).expect("valid");
        assert_eq!(
            Template::from_json(&template.to_json(), Context::Any).expect("valid"),
            template
        );
    }
}
