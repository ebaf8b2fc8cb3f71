//! Documents: from a template to a small program, and from the program to encoded BSON.

mod compile;
mod encode;
mod generator;
mod keys;
mod lineage;
mod payload;
mod program;
mod stored;

pub(crate) use compile::{Compiler, Scope};
pub(crate) use encode::{EMPTY_DOCUMENT, refill};
pub(crate) use keys::Keys;
pub(crate) use lineage::Lineage;
pub use lineage::OBJECT_ID_TIME;
pub(crate) use payload::{Filling, Size};
pub(crate) use program::{Context, Ids, InsertedKeys, KeySource, Program, Worker};
pub(crate) use stored::{IdProgram, StoredProgram};

#[cfg(test)]
mod tests;
