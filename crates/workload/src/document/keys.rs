//! The keys that templates of a plan can draw, by collection.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::program::KeySource;
use crate::error::Fault;
use crate::inserted::Inserted;

/// For each collection with a data plan its keys, or why it has none that can be drawn.
#[derive(Debug, Default)]
pub(crate) struct Keys(BTreeMap<String, Result<Arc<KeySource>, Fault>>);

impl Keys {
    /// Enters a collection.
    pub(crate) fn insert(&mut self, collection: &str, keys: Result<KeySource, Fault>) {
        let _ = self.0.insert(collection.to_owned(), keys.map(Arc::new));
    }

    /// Which inserted documents of a collection can be drawn; `None` where none is asked for.
    pub(crate) fn inserted(&self, collection: &str) -> Option<Arc<Inserted>> {
        let source = self.0.get(collection)?.as_ref().ok()?;
        let inserted = source.inserted.as_ref()?.as_ref().ok()?;
        Some(Arc::clone(&inserted.documents))
    }

    /// The keys of a collection.
    pub(crate) fn of(&self, collection: &str) -> Result<Arc<KeySource>, Fault> {
        let unknown = || Fault::KeyWithoutData {
            collection: collection.to_owned(),
        };
        self.0.get(collection).cloned().ok_or_else(unknown)?
    }
}
