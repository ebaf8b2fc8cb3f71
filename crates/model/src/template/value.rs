//! The template itself, and ways to look into it.

use bson::Bson;

use super::generator::Generator;

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

    /// True if all that is drawn in it is a function of the document's number and the seed alone.
    pub fn is_reproducible(&self) -> bool {
        let mut reproducible = true;
        self.for_each_generator(&mut |generator| reproducible &= generator.is_reproducible());
        reproducible
    }

    /// Calls `visit` for each generator, in order, to be changed.
    pub fn for_each_generator_mut(&mut self, visit: &mut dyn FnMut(&mut Generator)) {
        match self {
            Self::Constant(_) => {}
            Self::Generator(generator) => visit(generator),
            Self::Array(items) => {
                for item in items {
                    item.for_each_generator_mut(visit);
                }
            }
            Self::Document(fields) => {
                for (_, value) in fields {
                    value.for_each_generator_mut(visit);
                }
            }
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
