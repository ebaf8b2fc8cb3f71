//! The marker: one document per collection that says which data plan it was loaded from.
//!
//! Lives in `docstone_meta` of the same database, so that it goes with it.

use bson::{Bson, DateTime, Document, Uuid, doc};
use docstone_engine::target::TargetError;
use docstone_model::{CollectionPlan, Plan};
use mongodb::Database;

use super::acknowledged;
use crate::error::setup_error;
use crate::number::whole;

/// The collection of the markers.
pub(crate) const META: &str = "docstone_meta";

/// What is known about one collection that docstone loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) collection: String,
    /// UUID of the collection, by which it is told from one that was made again under its name.
    /// `None` before it is made, and where the user may not know it.
    pub(super) uuid: Option<Uuid>,
    /// Hash of the collection's plan and of the seed.
    pub(super) data_hash: String,
    /// Documents of the plan.
    pub(super) count: u64,
    /// All of them were loaded.
    pub(super) complete: bool,
    /// The era of the last step that was to insert into it.
    pub(super) era: u64,
    /// A step was to insert into it.
    pub(super) inserted: bool,
    /// A run was to delete from it, so documents of the plan may be missing.
    pub(super) deleted: bool,
    /// Documents that docstone left in it: more or less than that are another's work. `None` while
    /// a run goes on that changes their number, and after one that did not end in order.
    pub(super) left: Option<u64>,
}

impl Marker {
    /// The marker of a collection that is about to be loaded.
    pub(super) fn new(plan: &Plan, collection: &CollectionPlan) -> Self {
        Self {
            collection: collection.name.clone(),
            uuid: None,
            data_hash: data_hash(plan, collection),
            count: collection.count,
            complete: false,
            era: 0,
            inserted: false,
            deleted: false,
            left: None,
        }
    }

    /// The marker of a collection, if it has one that can be read.
    pub(super) async fn load(
        database: &Database,
        collection: &str,
    ) -> Result<Option<Self>, TargetError> {
        let found = database
            .collection::<Document>(META)
            .find_one(doc! {"_id": collection})
            .await;
        let found = found.map_err(|problem| {
            setup_error(&format!("read {}.{META}", database.name()), &problem)
        })?;
        Ok(found.as_ref().and_then(Self::from_document))
    }

    fn from_document(document: &Document) -> Option<Self> {
        Some(Self {
            collection: document.get_str("_id").ok()?.to_owned(),
            uuid: match document.get("uuid") {
                Some(Bson::Binary(binary)) => binary.to_uuid().ok(),
                _ => None,
            },
            data_hash: document.get_str("data_hash").ok()?.to_owned(),
            count: whole(document.get("count")?)?,
            complete: document.get_bool("complete").ok()?,
            era: whole(document.get("era")?)?,
            inserted: document.get_bool("inserted").unwrap_or(true),
            deleted: document.get_bool("deleted").unwrap_or(true),
            left: document.get(LEFT).and_then(whole),
        })
    }

    fn to_document(&self) -> Document {
        doc! {
            "_id": &self.collection,
            "uuid": self.uuid,
            "data_hash": &self.data_hash,
            "count": long(self.count),
            "complete": self.complete,
            "era": long(self.era),
            "inserted": self.inserted,
            "deleted": self.deleted,
            LEFT: self.left.map(long),
            "made_at": DateTime::now(),
        }
    }

    /// Writes the marker in place of the one before.
    pub(super) async fn save(&self, database: &Database) -> Result<(), TargetError> {
        let markers = database.collection::<Document>(META);
        let saving = markers
            .replace_one(doc! {"_id": &self.collection}, self.to_document())
            .upsert(true);
        let what = format!("write {}.{META}", database.name());
        acknowledged::write(database, &what, saving).await.map(drop)
    }
}

/// Changes the marker of a collection, if it still has one.
pub(super) async fn set(
    database: &Database,
    collection: &str,
    fields: Document,
) -> Result<(), TargetError> {
    let markers = database.collection::<Document>(META);
    let touching = markers.update_one(doc! {"_id": collection}, doc! {"$set": fields});
    let what = format!("write {}.{META}", database.name());
    acknowledged::write(database, &what, touching)
        .await
        .map(drop)
}

/// The field for the number of documents that docstone left.
pub(super) const LEFT: &str = "left";

/// A number as the server keeps it.
pub(super) fn long(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What the documents of a collection are a function of, in one number.
fn data_hash(plan: &Plan, collection: &CollectionPlan) -> String {
    let data = serde_json::json!({"seed": plan.seed, "collection": collection});
    docstone_model::hash::sha256_hex(data.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker() -> Marker {
        Marker {
            collection: "orders".to_owned(),
            uuid: Some(Uuid::from_bytes([7; 16])),
            data_hash: "ab".to_owned(),
            count: 3_000_000_000,
            complete: true,
            era: 2,
            inserted: true,
            deleted: false,
            left: Some(3_000_000_100),
        }
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let unknown = Marker {
            uuid: None,
            left: None,
            ..marker()
        };
        for marker in [marker(), unknown] {
            assert_eq!(Marker::from_document(&marker.to_document()), Some(marker));
        }
    }

    #[test]
    fn a_document_of_another_form_is_no_marker() {
        assert_eq!(Marker::from_document(&doc! {"_id": "orders"}), None);
    }
}
