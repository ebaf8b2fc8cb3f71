//! What the reader of the numbers must know of a collection that is kept.

use std::fmt::Write as _;

use docstone_engine::target::TargetError;
use docstone_model::CollectionPlan;
use mongodb::Database;

use super::marker::Marker;
use super::standing::Standing;
use crate::lookup;

/// A collection that is kept, as it was found.
pub(super) struct Kept<'a> {
    pub(super) collection: &'a CollectionPlan,
    pub(super) standing: Standing,
    pub(super) marker: Option<&'a Marker>,
    /// Documents in it, by the server's own figure.
    pub(super) there: u64,
    /// Its documents do not follow from this plan and seed.
    pub(super) foreign: bool,
    /// Documents of the plan are missing that were loaded before.
    pub(super) gone: bool,
}

impl Kept<'_> {
    /// What is to be said of it.
    pub(super) async fn notes(&self, database: &Database) -> Result<Vec<String>, TargetError> {
        let what = format!("{}.{}", database.name(), self.collection.name);
        let mut notes = Vec::new();
        if self.gone {
            notes.push(format!(
                "{what} lacked documents that were loaded before: somebody else deleted them; \
                 they are loaded again"
            ));
        } else if self.foreign {
            notes.push(self.not_of_plan(&what));
        } else if matches!(self.standing, Standing::Unknown(_)) {
            notes.push(format!(
                "{what} is kept as it is (--reuse), although docstone cannot tell whether it is \
                 the collection that it loaded"
            ));
        }
        notes.extend(self.changed_by_others(database, &what).await?);
        Ok(notes)
    }

    fn not_of_plan(&self, what: &str) -> String {
        let (there, planned) = (self.there, self.collection.count);
        let mut note = format!("{what} is kept as it is (--reuse), although ");
        if self.standing.is_another() {
            note.push_str(
                "it was dropped and made again, or restored, since docstone loaded it, and ",
            );
        }
        note.push_str("its documents do not follow from this data plan and seed");
        if there != planned {
            let _ = write!(
                note,
                "; it holds about {there} documents, and `count` is {planned}"
            );
        }
        if there < planned {
            note.push_str(": what is missing is loaded");
        }
        note
    }

    /// Compares the number of documents with the one that docstone left. Its own runs' inserts
    /// are part of that.
    async fn changed_by_others(
        &self,
        database: &Database,
        what: &str,
    ) -> Result<Option<String>, TargetError> {
        let Some(marker) = self.marker else {
            return Ok(None);
        };
        if self.standing.is_another() {
            return Ok(None);
        }
        let Some(left) = marker.left else {
            let (there, planned) = (self.there, self.collection.count);
            let unsaid = !self.foreign && there > planned;
            return Ok(unsaid.then(|| {
                format!(
                    "{what} holds about {there} documents, and `count` is {planned}: runs that did \
                     not end in order have inserted them, or somebody else has"
                )
            }));
        };
        if left == self.there {
            return Ok(None);
        }
        // The server's own figure may be wrong after it was killed.
        let there = lookup::count(database, &self.collection.name).await?;
        let more = there.saturating_sub(left);
        let less = left.saturating_sub(there);
        Ok(match (more, less) {
            (1.., _) => Some(format!(
                "{what} holds {there} documents, {more} more than docstone left in it: somebody \
                 else inserted them"
            )),
            (_, 1..) if !self.gone => Some(format!(
                "{what} holds {there} documents, {less} less than docstone left in it: somebody \
                 else deleted them"
            )),
            _ => None,
        })
    }
}
