//! Templates: Extended JSON documents with generators in them.
//!
//! Owns the one form in which documents, filters and updates stand in files, plans and memory.
//! Drawing values from them belongs to the workload crate.

mod constant_size;
mod distribution;
mod extended_json;
mod generator;
mod json;
mod parse;
mod payload;
mod value;
mod write;

pub use constant_size::constant_bytes;
pub use distribution::{Distribution, KeyDistribution, WorkingSet};
pub use generator::{
    Address, Arguments, Binary, Boolean, Date, Decimal, Double, Email, GENERATORS, Generator,
    IntType, LONGEST_PERSON, LONGEST_WORD, Name, OneOf, Point, WORDS, Words,
};
pub use parse::{Context, TemplateError};
pub use payload::{Compressibility, DOCUMENT_MAX_BYTES, Payload};
pub use value::Template;
