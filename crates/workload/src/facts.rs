//! What operations draw from that only the server knows.

use std::collections::BTreeMap;

use docstone_model::{Generator, Plan};

use crate::payloads::Payloads;

/// Read from the server when a step begins, but for the payloads; everything else is a function of
/// plan and seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// By collection and field: smallest and largest value, both 0 where the collection is empty.
    pub field_ranges: BTreeMap<(String, String), (i64, i64)>,
    /// By collection. One without an entry counts as holding its data plan and no more.
    pub collections: BTreeMap<String, CollectionFacts>,
    /// The text of payloads: made once for all steps, from plan and seed.
    pub payloads: Payloads,
}

impl Facts {
    /// What is known of a collection; without facts, that its data plan was loaded and no more.
    pub(crate) fn collection(&self, plan: &Plan, name: &str) -> CollectionFacts {
        let data = plan.data.iter().find(|data| data.name == name);
        let loaded = CollectionFacts {
            next_document: data.map_or(0, |data| data.count),
            ..CollectionFacts::default()
        };
        self.collections.get(name).copied().unwrap_or(loaded)
    }

    /// What stands in where no server is asked: collections that hold their data plan and no more,
    /// fields from 1 to 1000.
    pub fn assumed(plan: &Plan) -> Self {
        let mut facts = Self::default();
        for operation in plan.calls() {
            for template in operation.kind.templates() {
                template.for_each_generator(&mut |generator| {
                    if let Generator::FieldRange { field } = generator {
                        let key = (operation.collection.clone(), field.clone());
                        let _ = facts.field_ranges.insert(key, (1, 1_000));
                    }
                });
            }
        }
        facts
    }
}

/// One collection when a step begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectionFacts {
    /// The number that the next inserted document gets: documents 0 to n-1 are those of the data
    /// plan, inserts go on from here.
    pub next_document: u64,
    /// The largest integer `_id` that is there; `None` where there is none.
    pub max_id: Option<i64>,
    /// The most documents that the step may insert, as far as that is known; 0 where it is not. A
    /// sequence of `_id`s must have room for them.
    pub inserts: u64,
    /// How many steps have inserted into this data set before; mixed into the draws of inserted
    /// documents, so that a second run with the same seed makes other keys. Where nobody counts
    /// them, the time of the run: seconds since `OBJECT_ID_TIME` in the low half, what tells runs
    /// of the same second apart in the high half.
    pub era: u64,
}
