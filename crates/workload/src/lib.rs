//! Seeded operations, keys and documents: from templates to encoded BSON.

mod captures;
mod document;
mod documents;
pub mod draw;
mod error;
mod facts;
mod inserted;
mod key;
pub mod law;
mod mix;
mod operation;
pub mod payload;
mod payloads;
mod prepare;
mod prepared;
#[cfg(test)]
mod sample;
mod scenario;
mod stream;
mod workload;

pub use captures::Captures;
pub use document::OBJECT_ID_TIME;
pub use documents::Documents;
pub use error::{CompileError, Fault};
pub use facts::{CollectionFacts, Facts};
pub use key::{has_reproducible_ids, inserts_reproducible_ids};
pub use payloads::Payloads;
pub use prepare::{CommandOf, MessageSample, PayloadError, Preparation, predict, prepare};
pub use prepared::{Inserts, PreparedOperation};
pub use scenario::{Action, Run, Scenario, Step};
pub use stream::{Chooser, Stream};
pub use workload::Workload;
