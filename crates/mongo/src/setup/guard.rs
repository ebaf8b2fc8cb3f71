//! Whether a collection that exists may be used, kept or dropped.

use bson::{Bson, Uuid, doc};
use docstone_engine::target::TargetError;
use docstone_model::plan::SetupMode;
use docstone_model::{CollectionPlan, Plan};
use docstone_workload::{Documents, Payloads};
use mongodb::Database;

use super::identity::{self, Identity};
use super::kept::Kept;
use super::marker::Marker;
use super::standing::Standing;
use super::{index, load, missing, options};
use crate::error::plan_error;
use crate::lookup;

/// What is to be done with one collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// Make it and load all documents.
    Make {
        /// One of its name is dropped first.
        drop: bool,
    },
    Keep(Box<Keep>),
}

/// How a collection is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keep {
    /// All documents of the plan are there; nothing is loaded.
    pub(super) whole: bool,
    /// Documents that were there, by the server's own figure.
    pub(super) there: u64,
    /// Its marker, where it has one.
    pub(super) marker: Option<Marker>,
    /// Its UUID, where it is known.
    pub(super) uuid: Option<Uuid>,
    /// What is to be said about it.
    pub(super) notes: Vec<String>,
    /// Its documents do not follow from this plan and seed (`--reuse`).
    pub(super) foreign: bool,
}

/// Decides about one collection; changes nothing.
pub(super) async fn decide(
    database: &Database,
    (plan, payloads): (&Plan, &Payloads),
    collection: &CollectionPlan,
) -> Result<Decision, TargetError> {
    let what = format!("{}.{}", database.name(), collection.name);
    // A template that cannot be loaded is found before anything is touched.
    let mut documents = load::documents(plan, payloads, collection)?;
    if let Some(documents) = &mut documents {
        options::check_time(collection, documents)?;
    }
    let identity = identity::of(database, &collection.name).await?;
    if identity == Identity::Absent {
        return Ok(Decision::Make { drop: false });
    }
    if matches!(plan.setup, SetupMode::Drop | SetupMode::DropDatabase) {
        return Ok(Decision::Make { drop: true });
    }
    let marker = Marker::load(database, &collection.name).await?;
    let data_hash = Marker::new(plan, collection).data_hash;
    let there = lookup::estimate(database, &collection.name).await?;
    let standing = Standing::of(marker.as_ref(), &data_hash, there, &identity);
    let refused = standing.refusal(&what, there);
    if let (SetupMode::Guarded, Some(refused)) = (plan.setup, refused) {
        return Err(refused);
    }
    if plan.setup == SetupMode::Reuse {
        if standing == Standing::Stranger || standing.is_another() {
            check_number(database, collection, marker.as_ref(), there).await?;
        }
        if let Some(documents) = &mut documents {
            check_id_type(database, collection, documents).await?;
        }
    }
    options::check(database, collection).await?;
    index::check(database, collection).await?;
    let foreign = !standing.is_of_plan(marker.as_ref(), &data_hash);
    let loaded = !foreign
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
    let kept = Kept {
        collection,
        standing,
        marker: marker.as_ref(),
        there,
        foreign,
        gone,
    };
    let notes = kept.notes(database).await?;
    Ok(Decision::Keep(Box::new(Keep {
        whole: loaded && !gone,
        there,
        marker,
        uuid: identity.uuid(),
        notes,
        foreign,
    })))
}

/// Refuses a collection of others that holds more than the plan loads. What runs had inserted
/// before it was restored is not held against it.
async fn check_number(
    database: &Database,
    collection: &CollectionPlan,
    marker: Option<&Marker>,
    there: u64,
) -> Result<(), TargetError> {
    let left = marker.and_then(|marker| marker.left).unwrap_or(0);
    let most = collection.count.max(left);
    if there <= most {
        return Ok(());
    }
    let there = lookup::count(database, &collection.name).await?;
    if there <= most {
        return Ok(());
    }
    Err(plan_error(
        format!(
            "{}.{} holds {there} documents, more than the {} of the plan",
            database.name(),
            collection.name,
            collection.count
        ),
        Some("raise `count`, or let --drop load it anew"),
    ))
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
