//! Where the draws of stored documents come from.

use crate::draw::{Draw, StreamKey};

/// The streams of a collection's documents: one for the `_id`, one for the rest, so that a key
/// can be computed without its document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lineage {
    id: StreamKey,
    rest: StreamKey,
    object_id: [u8; 2],
}

impl Lineage {
    /// The streams of the documents of the data plan.
    pub(crate) fn loaded(seed: u64, collection: &str) -> Self {
        Self::of_era(seed, collection, 0)
    }

    /// The streams of inserted documents. Era 0 goes on where the loaded documents end.
    pub(crate) fn of_era(seed: u64, collection: &str, era: u64) -> Self {
        let key = StreamKey::new(seed).text("document").text(collection);
        let [high, low, ..] = key.text("object_id").word(era).digest().to_be_bytes();
        Self {
            id: key.text("id").word(era),
            rest: key.text("doc").word(era),
            object_id: [high, low],
        }
    }

    /// The draws of the `_id` of document `number`.
    pub(crate) fn id(&self, number: u64) -> Draw {
        self.id.word(number).draw()
    }

    /// The draws of the other fields of document `number`.
    pub(crate) fn rest(&self, number: u64) -> Draw {
        self.rest.word(number).draw()
    }

    /// The two bytes that tell collections, seeds and eras apart in an `ObjectId`.
    pub(crate) fn object_id(&self) -> [u8; 2] {
        self.object_id
    }
}
