//! The pools of a plan: for each collection the text that the payloads of its documents and
//! operations are cut from.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::payload::Pool;

/// For each collection with payloads its pool, shared by all who have a clone. Where there is none
/// for a collection, its payloads cannot be compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payloads(BTreeMap<String, Arc<Pool>>);

impl Payloads {
    /// The payloads of one collection alone.
    pub fn of(collection: &str, pool: &Arc<Pool>) -> Self {
        Self([(collection.to_owned(), Arc::clone(pool))].into())
    }

    /// Adds the pool of a collection.
    pub(crate) fn insert(&mut self, collection: &str, pool: Arc<Pool>) {
        let _ = self.0.insert(collection.to_owned(), pool);
    }

    /// The pool of a collection.
    pub(crate) fn pool(&self, collection: &str) -> Option<&Arc<Pool>> {
        self.0.get(collection)
    }
}
