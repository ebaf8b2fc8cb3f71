//! Data set-up: which collections may be touched, loading them, their indexes, and the marker that
//! says which data a collection holds.

mod existing;
mod guard;
mod index;
mod load;
mod marker;
mod missing;
mod progress;

use std::collections::BTreeMap;
use std::time::Instant;

use bson::{DateTime, doc};
use docstone_engine::target::TargetError;
use docstone_model::plan::SetupMode;
use docstone_model::{CollectionPlan, OperationKind, Plan};
use mongodb::Database;

use crate::error::setup_error;
use guard::Decision;
pub(crate) use marker::META;
use marker::Marker;
pub use progress::{SetupProgress, SetupStage};

/// What the set-up of all collections leaves to know.
#[derive(Debug, Default)]
pub(crate) struct SetUp {
    /// By collection.
    pub(crate) eras: BTreeMap<String, u64>,
    /// What the reader of the numbers must know, one line each.
    pub(crate) notes: Vec<String>,
}

/// Sets up the collections of a plan.
pub(crate) async fn run(
    database: &Database,
    plan: &Plan,
    progress: &mut dyn FnMut(SetupProgress),
    stop: &dyn Fn() -> bool,
) -> Result<SetUp, TargetError> {
    let mut done = SetUp::default();
    match plan.setup {
        SetupMode::AsIs => return Ok(done),
        SetupMode::DropDatabase => {
            let dropping = database.drop().await;
            let what = format!("drop database {}", database.name());
            dropping.map_err(|problem| setup_error(&what, &problem))?;
        }
        SetupMode::Guarded | SetupMode::Drop | SetupMode::Reuse => {}
    }
    existing::check(database, plan).await?;
    if plan.data.is_empty() {
        return Ok(done);
    }
    // All refusals come before the first change: nothing is dropped for a run that will not be.
    let mut decisions = Vec::new();
    for collection in &plan.data {
        decisions.push(guard::decide(database, plan, collection).await?);
    }
    for (collection, decision) in plan.data.iter().zip(decisions) {
        done.notes.extend(decision.note.clone());
        let era = set_up_one(database, plan, (collection, decision), progress, stop).await?;
        let _ = done.eras.insert(collection.name.clone(), era);
    }
    Ok(done)
}

/// Stands in place of a hash where a collection holds documents of several origins.
const MIXED: &str = "mixed";

/// Sets up one collection and returns its era.
async fn set_up_one(
    database: &Database,
    plan: &Plan,
    (collection, decision): (&CollectionPlan, Decision),
    progress: &mut dyn FnMut(SetupProgress),
    stop: &dyn Fn() -> bool,
) -> Result<u64, TargetError> {
    let started = Instant::now();
    let mut tell = |stage, loaded| {
        progress(SetupProgress {
            collection: collection.name.clone(),
            stage,
            loaded,
            total: collection.count,
            elapsed_s: started.elapsed().as_secs_f64(),
        });
    };
    if decision.drop {
        let what = format!("drop {}.{}", database.name(), collection.name);
        let dropping = database
            .collection::<bson::Document>(&collection.name)
            .drop()
            .await;
        dropping.map_err(|problem| setup_error(&what, &problem))?;
    }
    let inserts = operations_on(plan, collection, |kind| {
        matches!(kind, OperationKind::InsertOne { .. })
    });
    let deletes = operations_on(plan, collection, |kind| {
        matches!(
            kind,
            OperationKind::DeleteOne { .. } | OperationKind::DeleteMany { .. }
        )
    });
    let mut marker = Marker::new(plan, collection);
    if let Some(before) = &decision.marker {
        marker.era = before.era + u64::from(inserts && before.inserted);
        marker.inserted = before.inserted;
    }
    if decision.foreign {
        // What is there does not follow from this plan, and what is loaded does not follow from
        // the one before: no plan may take this collection for its own.
        MIXED.clone_into(&mut marker.data_hash);
    }
    if !decision.whole {
        // A loader that is killed leaves a marker that says so, and the next one goes on.
        marker.save(database).await?;
        load::run(
            database,
            plan,
            (collection, decision.look_before),
            &mut tell,
            stop,
        )
        .await?;
    }
    if !collection.indexes.is_empty() {
        tell(SetupStage::Index, collection.count);
    }
    index::create(database, collection).await?;
    marker.complete = true;
    marker.inserted |= inserts;
    marker.deleted = deletes;
    marker.save(database).await?;
    tell(SetupStage::Done, collection.count);
    Ok(marker.era)
}

fn operations_on(
    plan: &Plan,
    collection: &CollectionPlan,
    kind: impl Fn(&OperationKind) -> bool,
) -> bool {
    plan.operations
        .iter()
        .any(|operation| operation.collection == collection.name && kind(&operation.kind))
}

/// Notes in the marker of a collection that a further step inserts into it, in this era.
pub(crate) async fn begin_era(
    database: &Database,
    plan: &Plan,
    collection: &str,
    era: u64,
) -> Result<(), TargetError> {
    if plan.setup == SetupMode::AsIs || !plan.data.iter().any(|data| data.name == collection) {
        return Ok(());
    }
    let era = i64::try_from(era).unwrap_or(i64::MAX);
    marker::set(database, collection, doc! {"era": era, "inserted": true}).await
}

/// Notes in the markers that a run has ended.
pub(crate) async fn finish(database: &Database, plan: &Plan) -> Result<(), TargetError> {
    if plan.setup == SetupMode::AsIs {
        return Ok(());
    }
    for collection in &plan.data {
        let ended = doc! {"last_run_ended_at": DateTime::now()};
        marker::set(database, &collection.name, ended).await?;
    }
    Ok(())
}
