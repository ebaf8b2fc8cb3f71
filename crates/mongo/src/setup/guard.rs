//! Whether a collection that exists may be used, kept or dropped.

use std::fmt::Write as _;

use bson::{Bson, Document, doc};
use docstone_engine::target::TargetError;
use docstone_model::plan::SetupMode;
use docstone_model::{CollectionPlan, Plan};
use docstone_workload::Documents;
use mongodb::Database;
use mongodb::options::ReadPreference;

use super::marker::Marker;
use super::{index, missing};
use crate::error::{plan_error, setup_error};
use crate::lookup;

/// What is to be done with one collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
pub(super) struct Decision {
    /// Drop it first.
    pub(super) drop: bool,
    /// All documents of the plan are there; nothing is loaded.
    pub(super) whole: bool,
    /// Some may be there: look for them before inserting.
    pub(super) look_before: bool,
    /// Its marker, where it is kept.
    pub(super) marker: Option<Marker>,
    /// What is to be said about it.
    pub(super) note: Option<String>,
    /// It is kept although its documents do not follow from this plan and seed (`--reuse`).
    pub(super) foreign: bool,
}

/// Decides about one collection; changes nothing.
pub(super) async fn decide(
    database: &Database,
    plan: &Plan,
    collection: &CollectionPlan,
) -> Result<Decision, TargetError> {
    let what = format!("{}.{}", database.name(), collection.name);
    // A template that cannot be loaded is found before anything is touched.
    let mut documents = match &collection.document {
        Some(_) if collection.count > 0 => Some(
            Documents::new(plan, collection)
                .map_err(|fault| plan_error(fault.to_string(), None))?,
        ),
        _ => None,
    };
    if !lookup::exists(database, &collection.name).await? {
        return Ok(Decision::default());
    }
    if matches!(plan.setup, SetupMode::Drop | SetupMode::DropDatabase) {
        return Ok(Decision {
            drop: true,
            ..Decision::default()
        });
    }
    let marker = Marker::load(database, &collection.name).await?;
    let same_data = marker
        .as_ref()
        .is_some_and(|marker| marker.data_hash == Marker::new(plan, collection).data_hash);
    let there = count(database, &collection.name).await?;
    if plan.setup == SetupMode::Guarded && !same_data {
        let why = if marker.is_some() {
            "was loaded from another data plan (or by another seed)"
        } else {
            "exists and was not made by docstone"
        };
        return Err(plan_error(
            format!("{what} {why}; it holds about {there} documents"),
            Some("--drop drops it and loads anew; --reuse keeps it and loads what is missing"),
        ));
    }
    if plan.setup == SetupMode::Reuse {
        if marker.is_none() && there > collection.count {
            return Err(too_many(&what, there, collection.count));
        }
        if let Some(documents) = &mut documents {
            check_id_type(database, collection, documents).await?;
        }
    }
    index::check(database, collection).await?;
    let loaded = same_data
        && marker
            .as_ref()
            .is_some_and(|marker| marker.complete && !marker.deleted);
    // The estimate may be wrong after the server was killed: that alone says nothing of others.
    let gone = loaded
        && (there < collection.count
            && lookup::count(database, &collection.name).await? < collection.count
            || match &mut documents {
                Some(documents) => missing::any(database, collection, documents).await?,
                None => false,
            });
    Ok(Decision {
        drop: false,
        whole: loaded && !gone,
        look_before: true,
        marker,
        note: note(&what, collection, there, (!same_data, gone)),
        foreign: !same_data,
    })
}

/// What the reader of the numbers must know of a collection that is kept.
fn note(
    what: &str,
    collection: &CollectionPlan,
    there: u64,
    (foreign, gone): (bool, bool),
) -> Option<String> {
    if gone {
        return Some(format!(
            "{what} lacked documents that were loaded before: somebody else deleted them; they \
             are loaded again"
        ));
    }
    if !foreign {
        return None;
    }
    let mut note = format!(
        "{what} is kept as it is (--reuse), although its documents do not follow from this data \
         plan and seed"
    );
    if there != collection.count {
        let _ = write!(
            note,
            "; it holds about {there} documents, and `count` is {}",
            collection.count
        );
    }
    if there < collection.count {
        note.push_str(": what is missing is loaded");
    }
    Some(note)
}

fn too_many(what: &str, there: u64, planned: u64) -> TargetError {
    plan_error(
        format!("{what} holds about {there} documents, more than the {planned} of the plan"),
        Some("raise `count`, or let --drop load it anew"),
    )
}

/// About how many documents the collection holds.
async fn count(database: &Database, collection: &str) -> Result<u64, TargetError> {
    let counting = database
        .collection::<Document>(collection)
        .estimated_document_count()
        .selection_criteria(ReadPreference::Primary.into())
        .await;
    counting.map_err(|problem| {
        setup_error(&format!("count {}.{collection}", database.name()), &problem)
    })
}

/// Refuses a collection whose `_id` is of another kind than the plan's: what is missing in it
/// could not be found out.
async fn check_id_type(
    database: &Database,
    collection: &CollectionPlan,
    documents: &mut Documents<'_>,
) -> Result<(), TargetError> {
    let found = lookup::first(database, &collection.name, [doc! {"$limit": 1}]).await?;
    let what = format!("{}.{}", database.name(), collection.name);
    let Some(found) = found.as_ref().and_then(|document| document.get("_id")) else {
        return Ok(());
    };
    let planned = Bson::try_from(documents.id(0)).unwrap_or(Bson::Null);
    if kind(found) == kind(&planned) {
        return Ok(());
    }
    Err(plan_error(
        format!(
            "{what} has {} as `_id`, the plan {}",
            kind(found),
            kind(&planned)
        ),
        Some("--drop drops it and loads anew"),
    ))
}

/// Types that compare with each other share a kind.
fn kind(value: &Bson) -> &'static str {
    match value {
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_) => "a number",
        Bson::String(_) => "a string",
        Bson::ObjectId(_) => "an ObjectId",
        Bson::Binary(_) => "binary data",
        Bson::DateTime(_) => "a date",
        Bson::Document(_) => "a document",
        Bson::Boolean(_) => "a boolean",
        _ => "another type",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_types_are_one_kind() {
        assert_eq!(kind(&Bson::Int32(1)), kind(&Bson::Double(1.0)));
        assert_ne!(kind(&Bson::Int64(1)), kind(&Bson::String("1".to_owned())));
    }
}
