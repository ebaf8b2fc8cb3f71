//! Data set-up: which collections may be touched, loading them, their indexes, and the marker that
//! says which data a collection holds.

mod acknowledged;
mod existing;
mod guard;
mod identity;
mod index;
mod kept;
mod load;
mod marker;
mod missing;
mod options;
mod progress;
mod standing;
mod verify;

use std::collections::BTreeMap;
use std::time::Instant;

use bson::{DateTime, doc};
use docstone_engine::target::TargetError;
use docstone_model::plan::{IndexBuild, SetupMode};
use docstone_model::{CollectionPlan, OperationKind, Plan};
use docstone_workload::Payloads;
use mongodb::Database;

use crate::error::setup_error;
use crate::lookup;
use guard::Decision;
pub(crate) use marker::META;
use marker::Marker;
pub use progress::{SetupProgress, SetupStage};
use verify::Loaded;

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
    (plan, payloads): (&Plan, &Payloads),
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
        decisions.push(guard::decide(database, (plan, payloads), collection).await?);
    }
    for (collection, decision) in plan.data.iter().zip(decisions) {
        if let Decision::Keep(kept) = &decision {
            done.notes.extend(kept.notes.iter().cloned());
        }
        let of = (plan, payloads);
        let one = set_up_one(database, of, (collection, decision), progress, stop).await?;
        done.notes.extend(one.note);
        let _ = done.eras.insert(collection.name.clone(), one.era);
    }
    Ok(done)
}

/// Stands in place of a hash where a collection holds documents of several origins.
const MIXED: &str = "mixed";

/// What the set-up of one collection leaves to know.
struct One {
    era: u64,
    note: Option<String>,
}

/// Sets up one collection.
async fn set_up_one(
    database: &Database,
    (plan, payloads): (&Plan, &Payloads),
    (collection, decision): (&CollectionPlan, Decision),
    progress: &mut dyn FnMut(SetupProgress),
    stop: &dyn Fn() -> bool,
) -> Result<One, TargetError> {
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
    let does = Does::of(plan, collection);
    let (fresh, whole) = match &decision {
        Decision::Make { .. } => (true, false),
        Decision::Keep(kept) => (false, kept.whole),
    };
    let mut marker = begin(database, plan, (collection, &decision), &does).await?;
    let mut there = None;
    if !whole {
        index::create(database, collection, IndexBuild::BeforeLoad).await?;
        let loading = (collection, !fresh);
        load::run(database, (plan, payloads), loading, &mut tell, stop).await?;
        let mut documents = load::documents(plan, payloads, collection)?;
        let loaded = Loaded { collection, fresh };
        there = Some(verify::check(database, &loaded, documents.as_mut()).await?);
    }
    if !collection.indexes.is_empty() {
        tell(SetupStage::Index, collection.count);
    }
    // Those that are there already are none to make. A collection that is kept may lack any.
    index::create(database, collection, IndexBuild::BeforeLoad).await?;
    index::create(database, collection, IndexBuild::AfterLoad).await?;
    marker.complete = true;
    marker.inserted |= does.inserts;
    marker.deleted = does.deletes;
    if !does.changes_number() {
        marker.left = match there {
            Some(there) => Some(there),
            None => Some(lookup::estimate(database, &collection.name).await?),
        };
    }
    marker.save(database).await?;
    tell(SetupStage::Done, collection.count);
    Ok(One {
        era: marker.era,
        note: beside(database, collection, &decision, there),
    })
}

/// Makes the collection where it is to be made, and its marker where documents are to be loaded:
/// a loader that is killed leaves a marker that says so, and the next one goes on.
async fn begin(
    database: &Database,
    plan: &Plan,
    (collection, decision): (&CollectionPlan, &Decision),
    does: &Does,
) -> Result<Marker, TargetError> {
    let mut marker = Marker::new(plan, collection);
    match decision {
        Decision::Make { drop } => {
            if *drop {
                let what = format!("drop {}.{}", database.name(), collection.name);
                let dropped = database.collection::<bson::Document>(&collection.name);
                acknowledged::write(database, &what, dropped.drop()).await?;
            }
            // Whoever is killed between the two leaves an empty collection with a marker of this
            // plan, which is known again although no UUID is noted.
            marker.save(database).await?;
            options::create(database, collection).await?;
            marker.uuid = identity::of(database, &collection.name).await?.uuid();
            marker.save(database).await?;
        }
        Decision::Keep(kept) => {
            marker.uuid = kept.uuid;
            if let Some(before) = &kept.marker {
                // Where the user may not know it, the one that is noted goes on to be compared.
                marker.uuid = kept.uuid.or(before.uuid);
                marker.era = before.era + u64::from(does.inserts && before.inserted);
                marker.inserted = before.inserted;
            }
            if kept.foreign {
                // What is there does not follow from this plan, and what is loaded does not follow
                // from the one before: no plan may take this collection for its own.
                MIXED.clone_into(&mut marker.data_hash);
            }
            if !kept.whole {
                marker.save(database).await?;
            }
        }
    }
    Ok(marker)
}

/// What is to be said of documents that are not docstone's beside those that were loaded.
fn beside(
    database: &Database,
    collection: &CollectionPlan,
    decision: &Decision,
    there: Option<u64>,
) -> Option<String> {
    let (Decision::Keep(kept), Some(there)) = (decision, there) else {
        return None;
    };
    let more = there.saturating_sub(collection.count);
    let of_others = kept.foreign && more > 0 && there != kept.there;
    of_others.then(|| {
        format!(
            "{}.{} holds {there} documents now, {more} more than `count`: there are others beside \
             those of the plan",
            database.name(),
            collection.name
        )
    })
}

/// What the operations of a plan do to the number of documents of a collection.
struct Does {
    inserts: bool,
    upserts: bool,
    deletes: bool,
}

impl Does {
    fn of(plan: &Plan, collection: &CollectionPlan) -> Self {
        Self {
            inserts: operations_on(plan, collection, |kind| kind.inserted().is_some()),
            upserts: operations_on(plan, collection, OperationKind::upserts),
            deletes: operations_on(plan, collection, OperationKind::deletes),
        }
    }

    fn changes_number(&self) -> bool {
        self.inserts || self.upserts || self.deletes
    }
}

fn operations_on(
    plan: &Plan,
    collection: &CollectionPlan,
    kind: impl Fn(&OperationKind) -> bool,
) -> bool {
    plan.calls()
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
        let mut ended = doc! {"last_run_ended_at": DateTime::now()};
        // Whoever may not read it has no number noted, and nothing is said of others then.
        if let Ok(left) = lookup::estimate(database, &collection.name).await {
            let _ = ended.insert(marker::LEFT, marker::long(left));
        }
        marker::set(database, &collection.name, ended).await?;
    }
    Ok(())
}
