//! Data set-up: which collections may be touched, loading them, their indexes, and the marker that
//! says which data a collection holds.

mod guard;
mod index;
mod load;
mod marker;

use std::collections::BTreeMap;
use std::time::Instant;

use docstone_engine::target::{TargetError, TargetErrorKind};
use docstone_model::plan::SetupMode;
use docstone_model::{CollectionPlan, OperationKind, Plan};
use mongodb::Database;

use crate::error::setup_error;
use guard::Decision;
use marker::Marker;

/// How far the set-up of one collection is.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupProgress {
    /// The collection.
    pub collection: String,
    /// What is going on.
    pub stage: SetupStage,
    /// Documents of the plan that are known to be there.
    pub loaded: u64,
    /// Documents of the plan.
    pub total: u64,
    /// Seconds since the loading of this collection began.
    pub elapsed_s: f64,
}

/// Stages of the set-up of one collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupStage {
    /// Documents are inserted; those that are there already are left alone.
    Load,
    /// Indexes are built.
    Index,
    /// The collection is ready.
    Done,
}

/// Sets up the collections of a plan and returns their eras.
pub(crate) async fn run(
    database: &Database,
    plan: &Plan,
    progress: &mut dyn FnMut(SetupProgress),
    stop: &dyn Fn() -> bool,
) -> Result<BTreeMap<String, u64>, TargetError> {
    let mut eras = BTreeMap::new();
    match plan.setup {
        SetupMode::AsIs => return Ok(eras),
        SetupMode::DropDatabase => {
            let dropping = database.drop().await;
            let what = format!("drop database {}", database.name());
            dropping.map_err(|problem| setup_error(&what, &problem))?;
        }
        SetupMode::Guarded | SetupMode::Drop | SetupMode::Reuse => {}
    }
    if plan.data.is_empty() {
        return Ok(eras);
    }
    // All refusals come before the first change: nothing is dropped for a run that will not be.
    let mut decisions = Vec::new();
    for collection in &plan.data {
        decisions.push(guard::decide(database, plan, collection).await?);
    }
    for (collection, decision) in plan.data.iter().zip(decisions) {
        let era = set_up_one(database, plan, (collection, decision), progress, stop).await?;
        let _ = eras.insert(collection.name.clone(), era);
    }
    Ok(eras)
}

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
    tell(SetupStage::Index, collection.count);
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

/// Notes in the markers that a run has ended.
pub(crate) async fn finish(database: &Database, plan: &Plan) -> Result<(), TargetError> {
    if plan.setup == SetupMode::AsIs {
        return Ok(());
    }
    for collection in &plan.data {
        marker::touch(database, &collection.name).await?;
    }
    Ok(())
}

/// The set-up was stopped by the user.
fn interrupted() -> TargetError {
    TargetError {
        kind: TargetErrorKind::Setup,
        message: "interrupted".to_owned(),
        help: Some("the same command goes on where it stopped".to_owned()),
    }
}
