//! How serde walks the lists and maps of the tree.

use serde::de::value::{StrDeserializer, UnitDeserializer};
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess};

use super::{Context, Reader, Stop};
use crate::node::{Entry, Node};

/// The items of a list. One that is known to be bad reads as nothing, so that the others keep
/// their positions.
pub(super) struct List<'a> {
    label: &'a str,
    items: std::slice::Iter<'a, Node>,
    context: &'a Context<'a>,
}

impl<'a> List<'a> {
    pub(super) fn new(label: &'a str, items: &'a [Node], context: &'a Context<'a>) -> Self {
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
pub(super) struct Map<'a> {
    entries: std::vec::IntoIter<&'a Entry>,
    value: Option<&'a Entry>,
    context: &'a Context<'a>,
}

impl<'a> Map<'a> {
    pub(super) fn new(entries: Vec<&'a Entry>, context: &'a Context<'a>) -> Self {
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
