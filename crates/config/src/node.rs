//! A file as a tree of values that know their places.
//!
//! Owns layer 1 of reading: text to [`Node`], and finding a node by its path of keys. Knows
//! nothing of workloads; what the values mean is layer 2's and the resolver's.

mod syntax;

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use syntax::MAX_DEPTH;

pub(crate) use syntax::SyntaxError;

/// Where a value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// The file as a whole: something is missing in it.
    Whole,
    /// Bytes of the file, from and to.
    File(usize, usize),
    /// The n-th `--set` flag.
    Set(usize),
    /// Another flag, or an environment variable; the message names it.
    Nowhere,
}

impl Place {
    /// The first byte in the file; 0 for what stands elsewhere.
    fn start(self) -> usize {
        match self {
            Self::File(start, _) => start,
            _ => 0,
        }
    }
}

/// One value with its place; aliases and merge keys are expanded already.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The value.
    pub(crate) value: Value,
    /// Where it was written.
    pub(crate) place: Place,
    /// Set where `${NAME}` was replaced in a text.
    pub(crate) unexpanded: Option<Unexpanded>,
    /// A mistake in it is recorded already; readers leave it out.
    pub(crate) broken: bool,
}

/// A text before `${NAME}` was replaced in it. What replaced it may be a secret and is never
/// shown; it may also stand for a number.
#[derive(Clone, Debug)]
pub(crate) struct Unexpanded {
    /// The text before.
    pub(crate) text: String,
    /// What was put in, with the names in the file.
    pub(crate) values: Vec<(String, String)>,
    /// Written without quotes, so that a number in its place is a number everywhere.
    pub(crate) plain: bool,
}

/// A value as YAML and JSON know it.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key of a map and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_place: Place,
    pub(crate) value: Node,
}

impl Node {
    /// Reads YAML or JSON.
    pub(crate) fn parse(text: &str) -> Result<Self, SyntaxError> {
        let options = serde_saphyr::options! {
            with_snippet: false,
            budget: serde_saphyr::budget! { max_depth: MAX_DEPTH },
            strict_booleans: true,
            leading_zero_numbers_as_strings: true,
            duplicate_keys: serde_saphyr::DuplicateKeyPolicy::PassThrough,
            non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::PassThrough,
        };
        let mut root: Self = serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| SyntaxError::new(&error, text))?;
        root.keep_integers(text);
        Ok(root)
    }

    /// Makes integers of those that the parser took for floats since they have more than 64 bits.
    fn keep_integers(&mut self, source: &str) {
        match (&mut self.value, self.place) {
            (Value::List(items), _) => {
                for item in items {
                    item.keep_integers(source);
                }
            }
            (Value::Map(entries), _) => {
                for entry in entries {
                    entry.value.keep_integers(source);
                }
            }
            (Value::Float(_), Place::File(start, end)) => {
                let written = source.get(start..end).map(|text| text.replace('_', ""));
                if let Some(Ok(value)) = written.map(|text| text.parse()) {
                    self.value = Value::Int(value);
                }
            }
            _ => {}
        }
    }

    /// A node without a place of its own in the file.
    pub(crate) fn new(value: Value, place: Place) -> Self {
        Self {
            value,
            place,
            unexpanded: None,
            broken: false,
        }
    }

    /// Gives this node and all below it the same place.
    pub(crate) fn move_to(&mut self, place: Place) {
        self.place = place;
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|item| item.move_to(place)),
            Value::Map(entries) => entries.iter_mut().for_each(|entry| {
                entry.key_place = place;
                entry.value.move_to(place);
            }),
            _ => {}
        }
    }

    /// The entry of a map with this key; the first if the key stands there twice.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// The value under a key of a map, or at a position of a list.
    pub(crate) fn child(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::List(items) => items.get(key.parse::<usize>().ok()?),
            _ => self.entry(key).map(|entry| &entry.value),
        }
    }

    /// The value under a key of a map, or at a position of a list, to change it.
    pub(crate) fn child_mut(&mut self, key: &str) -> Option<&mut Node> {
        match &mut self.value {
            Value::List(items) => items.get_mut(key.parse::<usize>().ok()?),
            Value::Map(entries) => entries
                .iter_mut()
                .find(|entry| entry.key == key)
                .map(|entry| &mut entry.value),
            _ => None,
        }
    }

    /// The keys of a map, in order; none for anything else.
    pub(crate) fn keys(&self) -> Vec<&str> {
        match &self.value {
            Value::Map(entries) => entries.iter().map(|entry| entry.key.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// All nodes directly below this one.
    pub(crate) fn children(&self) -> Vec<&Node> {
        match &self.value {
            Value::List(items) => items.iter().collect(),
            Value::Map(entries) => entries.iter().map(|entry| &entry.value).collect(),
            _ => Vec::new(),
        }
    }

    /// A message about this value in which nothing stands that came out of the environment.
    pub(crate) fn hide(&self, message: String) -> String {
        let (Some(before), Value::Text(text)) = (&self.unexpanded, &self.value) else {
            return message;
        };
        if text.is_empty() {
            return message;
        }
        // A very short value is no secret, and would be found in every word.
        let values = before.values.iter().filter(|(value, _)| value.len() >= 4);
        values.fold(
            message.replace(text, &before.text),
            |message, (value, name)| message.replace(value, name),
        )
    }

    /// What kind of value this is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Int(_) => "a whole number",
            Value::Float(value) if !value.is_finite() => "a number that is not finite",
            Value::Float(_) => "a number with a fraction",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_saphyr::Spanned::<Value>::deserialize(deserializer)?;
        let span = spanned.referenced.span();
        let to_usize = |bytes: Option<_>| bytes.and_then(|b| usize::try_from(b).ok());
        let start = to_usize(span.byte_offset()).unwrap_or(0);
        let length = to_usize(span.byte_len()).unwrap_or(0);
        Ok(Self::new(spanned.value, Place::File(start, start + length)))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Int(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<Node>()? {
            let value = entries.next_value()?;
            let name = match &key.value {
                Value::Text(text) => text.clone(),
                Value::Int(number) => number.to_string(),
                Value::Float(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                Value::Null => "null".to_owned(),
                Value::List(_) | Value::Map(_) => {
                    return Err(de::Error::custom(syntax::wrong_key(key.place.start())));
                }
            };
            map.push(Entry {
                key: name,
                key_place: key.place,
                value,
            });
        }
        Ok(Value::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_at<'a>(text: &'a str, node: &Node) -> &'a str {
        match node.place {
            Place::File(start, end) => &text[start..end],
            other => panic!("{other:?} is not in the file"),
        }
    }

    #[test]
    fn values_keep_their_exact_numbers_and_places() {
        let text = "a: {big: 18446744073709551615, us: 1_000_000, f: 1.0}\nyes: yes\nn: 010\n";
        let root = Node::parse(text).expect("valid");
        let a = root.child("a").expect("a");
        let big = a.child("big").expect("big");
        assert!(matches!(big.value, Value::Int(18_446_744_073_709_551_615)));
        assert_eq!(text_at(text, big), "18446744073709551615");
        let us = &a.child("us").expect("us").value;
        assert!(matches!(us, Value::Int(1_000_000)));
        let f = &a.child("f").expect("f").value;
        assert!(matches!(f, Value::Float(f) if f.to_bits() == 1.0_f64.to_bits()));
        assert!(matches!(&root.child("yes").expect("yes").value, Value::Text(t) if t == "yes"));
        assert!(matches!(&root.child("n").expect("n").value, Value::Text(t) if t == "010"));
    }

    #[test]
    fn json_with_tabs_reads_the_same() {
        let root = Node::parse("{\n\t\"a\": [1, {\"b\": null}]\n}").expect("valid");
        let b = root
            .child("a")
            .and_then(|a| a.child("1"))
            .and_then(|m| m.child("b"));
        assert!(matches!(b.expect("b").value, Value::Null));
    }

    #[test]
    fn a_syntax_error_knows_its_byte() {
        let text = "name: ä\nload: [1, 2\nx: 3\n";
        let error = Node::parse(text).expect_err("an open list");
        assert!(error.offset > text.find("load").expect("load"), "{error:?}");
        assert!(error.offset <= text.len());
    }
}
