//! Templates in a file: their mistakes get a place, a cure, and plain words.

use docstone_model::Template;
use docstone_model::template::{Context, GENERATORS, Generator, TemplateError};
use serde_json::Value;

use crate::nearest::advice;
use crate::node;
use crate::spot::Spot;

/// The arguments of generators that have a place of their own for what is wrong with them.
const NESTED: [&str; 3] = ["distribution", "working_set", "inserted"];

/// Reads a template that must be a document.
pub(super) fn document(json: &Value, spot: &Spot<'_>, context: Context) -> Option<Template> {
    if !json.is_object() {
        let found = spot.node().map_or("nothing", node::Node::kind);
        let path = spot.path();
        let key = path.rsplit('.').next().unwrap_or_default();
        let help = "write fields with their values: `{n: 5}`; `{}` for none";
        spot.fault(
            format!("`{key}`: expected a document, found {found}"),
            Some(help.to_owned()),
        );
        return None;
    }
    match Template::from_json(json, context) {
        Ok(Template::Document(fields)) => Some(Template::Document(fields)),
        Ok(_) => {
            spot.fault(
                "a generator or an Extended JSON value cannot stand for the whole document",
                Some("put it under the name of a field".to_owned()),
            );
            None
        }
        Err(errors) => {
            for error in &errors {
                record(error, spot);
            }
            None
        }
    }
}

/// A document in which nothing is drawn.
pub(super) fn constant(raw: Option<&Value>, spot: &Spot<'_>, key: &str) -> Option<Value> {
    let json = raw?;
    let at = spot.at(key);
    let read = document(json, &at, Context::Filter)?;
    let mut drawn = false;
    each_generator(&read, &at, &mut |_, at| {
        if !drawn {
            at.fault(
                format!("nothing is drawn in `{key}`: it is the same for all documents"),
                Some("write a constant".to_owned()),
            );
        }
        drawn = true;
    });
    Some(json.clone())
}

fn record(error: &TemplateError, spot: &Spot<'_>) {
    let at = spot.below(&error.path);
    let last = error.path.last().map_or("", String::as_str);
    if !error.known.is_empty() {
        let known: Vec<&str> = error.known.clone();
        at.key_fault(error.message.clone(), Some(known_names(last, &known)));
        return;
    }
    match generator_of(&error.message) {
        Some(generator) => record_argument(generator, error, &at.at(generator)),
        None => at.fault(error.message.clone(), None),
    }
}

/// The nearest known name; else the generators, since all operators would be a wall of text.
fn known_names(name: &str, known: &[&str]) -> String {
    match crate::nearest::nearest(name, known) {
        Some(_) => advice(name, known),
        None => format!("generators: {}", GENERATORS.join(", ")),
    }
}

/// The generator that a message is about: it begins with its name and a colon.
fn generator_of(message: &str) -> Option<&'static str> {
    let (name, _) = message.split_once(':')?;
    GENERATORS.into_iter().find(|known| *known == name)
}

/// A mistake in a generator's arguments, at the argument where that can be told.
fn record_argument(generator: &str, error: &TemplateError, at: &Spot<'_>) {
    let message = &error.message[generator.len() + 2..];
    let mut quoted = message.split('`').skip(1).step_by(2);
    let first = quoted.next().unwrap_or_default();
    let known: Vec<&str> = quoted.collect();
    if message.starts_with("unknown field") {
        let (whose, place) = place_of(first, at, generator).unwrap_or((generator, at.at(first)));
        place.key_fault(
            format!("`{whose}` has no argument `{first}`"),
            Some(advice(first, &known)),
        );
    } else if message.starts_with("unknown variant") {
        let text = |key: &&str| is_text(&at.at(key), first);
        if let Some(key) = at.keys().into_iter().find(text) {
            at.at(key)
                .unknown(&format!("`{key}` of `{generator}`:"), first, &known);
        } else {
            let (whose, place) = place_of(first, at, generator).unwrap_or((generator, at.clone()));
            place.key_fault(
                format!("unknown `{whose}` of `{generator}`: `{first}`"),
                Some(advice(first, &known)),
            );
        }
    } else if let Some((found, expected)) = wrong_type(message) {
        let (what, spot) = match leaf(found, at) {
            Some((key, spot)) => (format!("`{key}` of `{generator}`"), spot),
            None => (format!("`{generator}`"), at.clone()),
        };
        let shown = shown(&spot);
        spot.fault(format!("{what}: expected {expected}, found {shown}"), None);
    } else {
        let nested = NESTED.into_iter().find_map(|key| {
            let spot = at.at(key);
            if key == first && spot.exists() {
                return Some(spot);
            }
            place_of(first, &spot, key).map(|(_, spot)| spot)
        });
        nested
            .as_ref()
            .unwrap_or(at)
            .fault(format!("`{generator}`: {message}"), None);
    }
}

/// Where a key stands below `at`, whose own key is `name`, and the key that it stands under.
fn place_of<'a, 'n: 'a>(key: &str, at: &Spot<'n>, name: &'a str) -> Option<(&'a str, Spot<'n>)> {
    if at.keys().contains(&key) {
        return Some((name, at.at(key)));
    }
    at.keys()
        .into_iter()
        .find_map(|below| place_of(key, &at.at(below), below))
}

/// The first value below that serde's messages name so, and its key.
fn leaf<'n>(found: &str, at: &Spot<'n>) -> Option<(&'n str, Spot<'n>)> {
    at.keys().into_iter().find_map(|key| {
        let spot = at.at(key);
        let node = spot.node()?;
        if in_serde_words(&node.value) == found {
            return Some((key, spot));
        }
        leaf(found, &spot)
    })
}

/// What was found, in serde's words, and what was expected, in ours.
fn wrong_type(message: &str) -> Option<(&str, String)> {
    let rest = message
        .strip_prefix("invalid type: ")
        .or(message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.split_once(", expected ")?;
    let expected = match expected {
        "i64" => format!("a whole number from {} to {}", i64::MIN, i64::MAX),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "a string" => "text".to_owned(),
        "string or map" => "text, or a map with one name".to_owned(),
        "map with a single key" => "a map with one name".to_owned(),
        "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "unit" | "unit variant" => "a name without arguments".to_owned(),
        other if other.starts_with("struct variant") => {
            "a map of its arguments, such as `{}`".to_owned()
        }
        other => other.to_owned(),
    };
    Some((found, expected))
}

/// A value as serde's messages name it.
fn in_serde_words(value: &node::Value) -> String {
    match value {
        node::Value::Null => "null".to_owned(),
        node::Value::Bool(value) => format!("boolean `{value}`"),
        node::Value::Int(value) => format!("integer `{value}`"),
        node::Value::Float(value) => format!("floating point `{value:?}`"),
        node::Value::Text(value) => format!("string {value:?}"),
        node::Value::List(_) => "sequence".to_owned(),
        node::Value::Map(_) => "map".to_owned(),
    }
}

/// A number itself, of anything else its kind.
fn shown(spot: &Spot<'_>) -> String {
    match spot.node().map(|node| (&node.value, node.kind())) {
        Some((node::Value::Int(value), _)) => value.to_string(),
        Some((node::Value::Float(value), _)) => value.to_string(),
        Some((_, kind)) => kind.to_owned(),
        None => "nothing".to_owned(),
    }
}

fn is_text(spot: &Spot<'_>, text: &str) -> bool {
    spot.node()
        .is_some_and(|node| matches!(&node.value, node::Value::Text(value) if value == text))
}

/// Calls `visit` for each generator with the spot where it stands.
pub(super) fn each_generator<'t, 's>(
    template: &'t Template,
    spot: &Spot<'s>,
    visit: &mut dyn FnMut(&'t Generator, &Spot<'s>),
) {
    match template {
        Template::Constant(_) => {}
        Template::Generator(generator) => visit(generator, spot),
        Template::Document(fields) => {
            for (name, value) in fields {
                each_generator(value, &spot.at(name), visit);
            }
        }
        Template::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                each_generator(item, &spot.item(position), visit);
            }
        }
    }
}

/// Records each `$key` that cannot be drawn. `own` is the operation's collection; `fault` tells
/// what is wrong with a collection's keys.
pub(super) fn check_keys(
    template: &Template,
    spot: &Spot<'_>,
    own: &str,
    fault: &dyn Fn(&str) -> Option<String>,
) {
    each_generator(template, spot, &mut |generator, at| {
        if let Generator::Key { collection, .. } = generator {
            let collection = collection.as_deref().unwrap_or(own);
            if let Some(why) = fault(collection) {
                at.fault(
                    format!("`$key` cannot draw from `{collection}`: {why}"),
                    None,
                );
            }
        }
    });
}
