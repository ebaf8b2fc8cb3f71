//! Where the draws of stored documents come from.

use crate::draw::{Draw, StreamKey};

/// The streams of a collection's documents: one for the `_id`, one for the rest, so that a key
/// can be computed without its document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lineage {
    id: StreamKey,
    rest: StreamKey,
    object_id: [u8; 6],
}

/// The first four bytes of the `ObjectId`s of era 0: 2024-01-01T00:00:00Z. A constant, since the
/// same plan and seed shall give the same keys at any time. Each era counts a second more, so that
/// no two eras have an `ObjectId` in common.
pub const OBJECT_ID_TIME: u32 = 1_704_067_200;

impl Lineage {
    /// The streams of the documents of the data plan.
    pub(crate) fn loaded(seed: u64, collection: &str) -> Self {
        Self::of_era(seed, collection, 0)
    }

    /// The streams of inserted documents. Era 0 goes on where the loaded documents end.
    pub(crate) fn of_era(seed: u64, collection: &str, era: u64) -> Self {
        let key = StreamKey::new(seed).text("document").text(collection);
        // An era that was taken from the time has more in its high half: see `Facts`.
        let [high, low, ..] = key.text("object_id").word(era >> 32).digest().to_be_bytes();
        let era_number = u32::try_from(era & u64::from(u32::MAX)).unwrap_or(u32::MAX);
        let [a, b, c, d] = OBJECT_ID_TIME.wrapping_add(era_number).to_be_bytes();
        Self {
            id: key.text("id").word(era),
            rest: key.text("doc").word(era),
            object_id: [a, b, c, d, high, low],
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

    /// The first six bytes of an `ObjectId`: four tell eras apart, two collections and seeds.
    pub(crate) fn object_id(&self) -> [u8; 6] {
        self.object_id
    }
}
