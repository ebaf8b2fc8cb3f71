//! Seeded operations, keys and documents: from templates to encoded BSON.

mod facts;
mod prepared;

pub use facts::{CollectionFacts, Facts};
pub use prepared::PreparedOperation;
