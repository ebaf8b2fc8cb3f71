//! A serde `Deserializer` over one node, and over the lists and maps below it.

use serde::de::value::{StrDeserializer, UnitDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use super::choice::Choice;
use super::context::Context;
use super::numbers::{number, percent, whole};
use super::stop::Stop;
use crate::later;
use crate::nearest::advice;
use crate::node::{Entry, Node, Value};
use crate::raw::{cure, example, range};

/// What `serde_json` says that it expects where any document may stand.
const ANY_JSON: &str = "any valid JSON value";

/// Reads one node.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// The key under which the node stands, for messages.
    label: &'a str,
    node: &'a Node,
    context: &'a Context<'a>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(label: &'a str, node: &'a Node, context: &'a Context<'a>) -> Self {
        Self {
            label,
            node,
            context,
        }
    }

    /// Records a failure at this node.
    fn record<T>(self, result: Result<T, Stop>) -> Result<T, Stop> {
        result.map_err(|Stop(message)| match message {
            Some(message) => self.fault(message, None),
            None => Stop(None),
        })
    }

    /// Records a mistake in this node.
    fn fault(self, message: String, help: Option<&str>) -> Stop {
        let message = match self.label {
            "" => message,
            label => format!("`{label}`: {message}"),
        };
        self.context.fault(self.node, message, help);
        Stop(None)
    }

    fn expected<T>(self, what: &str) -> Result<T, Stop> {
        let found = self.node.kind();
        // A label is also that of a list's items, to which its example does not apply.
        let kind = if what == "a list" { '[' } else { '{' };
        let example = example(self.label)
            .filter(|example| what.starts_with("a ") && example.starts_with(kind))
            .map(|example| format!(" such as `{example}`"))
            .unwrap_or_default();
        let mut message = format!("expected {what}{example}, found {found}");
        let is_scalar = !matches!(
            self.node.value,
            Value::Null | Value::List(_) | Value::Map(_)
        );
        if what == "text" && is_scalar {
            message.push_str("; put it in quotes");
        }
        self.record(Err(Stop(Some(message))))
    }

    fn integer<T: TryFrom<i128>>(self, low: i128, high: i128) -> Result<T, Stop> {
        let value = match &self.node.value {
            Value::Int(value) => Ok(*value),
            Value::Float(value) => whole(*value).ok_or(Some(*value)),
            Value::Text(text) if self.node.unexpanded.is_some() => match text.parse::<f64>() {
                Ok(value) => text.parse().ok().or(whole(value)).ok_or(Some(value)),
                Err(_) => Err(None),
            },
            _ => Err(None),
        };
        let found = match value {
            Ok(value) => match T::try_from(value) {
                Ok(value) => return Ok(value),
                Err(_) => value.to_string(),
            },
            Err(Some(value)) if value.is_finite() => number(value),
            Err(_) => return self.expected("a whole number"),
        };
        let (low, high) = range(self.label).unwrap_or((low, high));
        let message = format!("expected a whole number from {low} to {high}, found {found}");
        Err(self.fault(message, cure(self.label)))
    }

    fn any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Float(value) if !value.is_finite() => {
                let expected = (&visitor as &dyn Expected).to_string();
                if expected != ANY_JSON {
                    return self.expected(&expected);
                }
                Err(Stop(Some(
                    "expected a finite number; in a document write {$numberDouble: \"NaN\"}, \
                     \"Infinity\" or \"-Infinity\""
                        .to_owned(),
                )))
            }
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(text) => self.text_or_number(text, visitor),
            // MongoDB has no unsigned integers: a larger one would become a double.
            Value::Int(value) => match i64::try_from(*value) {
                Ok(value) => visitor.visit_i64(value),
                Err(_) if (&visitor as &dyn Expected).to_string() != ANY_JSON => {
                    let expected = (&visitor as &dyn Expected).to_string();
                    Err(Stop(Some(format!("expected {expected}, found {value}"))))
                }
                Err(_) => Err(Stop(Some(format!(
                    "the whole number {value} does not fit 64 bits with a sign; for a double \
                     write {{$numberDouble: \"{value}\"}}"
                )))),
            },
            Value::List(items) => visitor.visit_seq(List::new(self.label, items, self.context)),
            Value::Map(entries) => {
                let first = |at: &usize| !entries[..*at].iter().any(|e| e.key == entries[*at].key);
                let kept: Vec<_> = (0..entries.len())
                    .filter(first)
                    .map(|at| &entries[at])
                    .collect();
                visitor.visit_map(self.map(kept))
            }
        }
    }

    /// A text; a number where a variable written without quotes holds one.
    fn text_or_number<V: Visitor<'a>>(self, text: &str, visitor: V) -> Result<V::Value, Stop> {
        let plain = self
            .node
            .unexpanded
            .as_ref()
            .is_some_and(|before| before.plain);
        match (plain, text.parse::<i64>(), text.parse::<f64>()) {
            (true, Ok(value), _) => visitor.visit_i64(value),
            (true, _, Ok(value)) if value.is_finite() => visitor.visit_f64(value),
            _ => visitor.visit_str(text),
        }
    }

    fn map(self, entries: Vec<&'a Entry>) -> Map<'a> {
        let left = entries
            .into_iter()
            .filter(|entry| !self.context.is_bad(&entry.value))
            .collect();
        Map::new(left, self.context)
    }

    /// A map of which all keys are known: the unknown are recorded, the rest is read.
    fn fields<V: Visitor<'a>>(
        self,
        name: &str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let Value::Map(entries) = &self.node.value else {
            return self.expected(&format!("a map with the keys {}", fields.join(", ")));
        };
        let mut left: Vec<&Entry> = Vec::new();
        for entry in entries {
            if !fields.contains(&entry.key.as_str()) {
                self.unknown_key(name, entry, fields);
            } else if !left.iter().any(|known| known.key == entry.key) {
                left.push(entry);
            }
        }
        visitor.visit_map(self.map(left))
    }

    fn unknown_key(self, parent: &str, entry: &Entry, fields: &[&str]) {
        let key = &entry.key;
        let (message, help) = match later::key(parent, key) {
            Some(later) => (later.message(""), later.help.to_owned()),
            None => (format!("unknown key `{key}`"), advice(key, fields)),
        };
        self.context
            .faults
            .add(entry.key_place, message, Some(help));
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
            let value = self.integer::<$type>(<$type>::MIN.into(), <$type>::MAX.into())?;
            self.record(visitor.$visit(value))
        }
    )*};
}

impl<'a> Deserializer<'a> for Reader<'a> {
    type Error = Stop;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.record(self.any(visitor))
    }

    integers! {
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        match &self.node.value {
            Value::Bool(value) => self.record(visitor.visit_bool(*value)),
            Value::Text(text) if self.node.unexpanded.is_some() && text == "true" => {
                self.record(visitor.visit_bool(true))
            }
            Value::Text(text) if self.node.unexpanded.is_some() && text == "false" => {
                self.record(visitor.visit_bool(false))
            }
            _ => self.expected("true or false"),
        }
    }

    fn deserialize_f64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        match &self.node.value {
            Value::Text(text) if self.node.unexpanded.is_some() => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => self.record(visitor.visit_f64(value)),
                _ => self.expected("a number"),
            },
            Value::Int(value) => self.record(visitor.visit_f64(*value as f64)),
            Value::Float(value) if value.is_finite() => self.record(visitor.visit_f64(*value)),
            Value::Text(text) => match percent(text) {
                Some(share) => {
                    let message = format!("expected a number, found `{text}`");
                    Err(self.fault(message, Some(&format!("write `{share}`"))))
                }
                None => self.expected("a number"),
            },
            _ => self.expected("a number"),
        }
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        match &self.node.value {
            Value::Text(text) => self.record(visitor.visit_str(text)),
            _ => self.expected("text"),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        match self.node.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        match &self.node.value {
            Value::List(_) => self.record(self.any(visitor)),
            _ => self.expected("a list"),
        }
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Stop> {
        match &self.node.value {
            Value::Map(_) => self.record(self.any(visitor)),
            _ => self.expected("a map"),
        }
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.record(self.fields(name, fields, visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let is_map = matches!(self.node.value, Value::Map(_));
        self.record(visitor.visit_enum(Choice::new(variants, is_map, self)))
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'a>>
        i128 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
        ignored_any
    }
}

/// The items of a list. One that is known to be bad reads as nothing, so that the others keep
/// their positions.
struct List<'a> {
    label: &'a str,
    items: std::slice::Iter<'a, Node>,
    context: &'a Context<'a>,
}

impl<'a> List<'a> {
    fn new(label: &'a str, items: &'a [Node], context: &'a Context<'a>) -> Self {
        Self {
            label,
            items: items.iter(),
            context,
        }
    }
}

impl<'a> SeqAccess<'a> for List<'a> {
    type Error = Stop;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Stop> {
        let Some(item) = self.items.next() else {
            return Ok(None);
        };
        if self.context.is_bad(item) {
            let nothing: UnitDeserializer<Stop> = ().into_deserializer();
            return seed.deserialize(nothing).map(Some);
        }
        let reader = Reader::new(self.label, item, self.context);
        reader.record(seed.deserialize(reader)).map(Some)
    }
}

/// The entries of a map that are to be read.
struct Map<'a> {
    entries: std::vec::IntoIter<&'a Entry>,
    value: Option<&'a Entry>,
    context: &'a Context<'a>,
}

impl<'a> Map<'a> {
    fn new(entries: Vec<&'a Entry>, context: &'a Context<'a>) -> Self {
        Self {
            entries: entries.into_iter(),
            value: None,
            context,
        }
    }
}

impl<'a> MapAccess<'a> for Map<'a> {
    type Error = Stop;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Stop> {
        let Some(entry) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some(entry);
        let key: StrDeserializer<'_, Stop> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, Stop> {
        let entry = self.value.take().expect("serde asks for the key first");
        let reader = Reader::new(&entry.key, &entry.value, self.context);
        reader.record(seed.deserialize(reader))
    }
}
