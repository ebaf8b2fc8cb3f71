//! A value with two forms, text or a map: an enum of the raw types.
//!
//! The first variant of such an enum is the text, the second the map. Which one it is follows
//! from what stands in the file, so that mistakes are told of the form that was meant.

use std::marker::PhantomData;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer};
use serde::de::{VariantAccess, Visitor};

/// One of the two forms, before it is read.
pub(super) struct Choice<'a, D> {
    variant: &'static str,
    content: D,
    of: PhantomData<&'a ()>,
}

impl<D> Choice<'_, D> {
    /// `content` as the second variant if it is a map, else as the first.
    pub(super) fn new(variants: &[&'static str], is_map: bool, content: D) -> Self {
        Self {
            variant: variants.get(usize::from(is_map)).copied().unwrap_or(""),
            content,
            of: PhantomData,
        }
    }
}

impl<'a, D: Deserializer<'a>> EnumAccess<'a> for Choice<'a, D> {
    type Error = D::Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Self), D::Error> {
        let name: StrDeserializer<'_, D::Error> = self.variant.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'a, D: Deserializer<'a>> VariantAccess<'a> for Choice<'a, D> {
    type Error = D::Error;

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, D::Error> {
        seed.deserialize(self.content)
    }

    fn unit_variant(self) -> Result<(), D::Error> {
        Err(D::Error::custom("expected a value"))
    }

    fn tuple_variant<V: Visitor<'a>>(self, _: usize, _: V) -> Result<V::Value, D::Error> {
        Err(D::Error::custom("expected a value"))
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, D::Error> {
        Err(D::Error::custom("expected a value"))
    }
}
