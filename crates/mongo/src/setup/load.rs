//! Loads the documents of a collection, or those that are missing.
//!
//! Several batches are on their way at once. Where documents may be there already, each batch
//! first asks which: so a loader that was killed leaves nothing double and nothing out.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use bson::{Document, RawArrayBuf, RawBson, RawDocumentBuf, doc, rawdoc};
use docstone_engine::target::{TargetError, TargetErrorKind};
use docstone_model::{CollectionPlan, Plan};
use docstone_workload::{Documents, Payloads};
use mongodb::error::Error;
use mongodb::options::ReadPreference;
use mongodb::{Collection, Database};
use tokio::task::JoinSet;

use super::acknowledged;
use super::progress::SetupStage;
use crate::error::{self, plan_error, setup_error};

/// Batches on their way at the same time.
const LOADERS: usize = 4;

/// Documents of one batch.
const BATCH_DOCUMENTS: usize = 1000;

/// Bytes of one batch, of which the last document may pass the mark.
const BATCH_BYTES: usize = 8_000_000;

/// How often a stop is looked for while batches are on their way.
const STOP_INTERVAL: Duration = Duration::from_millis(100);

/// Loads all documents of the collection that are not there yet.
pub(super) async fn run(
    database: &Database,
    (plan, payloads): (&Plan, &Payloads),
    (collection, look_before): (&CollectionPlan, bool),
    tell: &mut dyn FnMut(SetupStage, u64),
    stop: &dyn Fn() -> bool,
) -> Result<(), TargetError> {
    let Some(mut source) = documents(plan, payloads, collection)? else {
        return Ok(());
    };
    let target = database.collection::<RawDocumentBuf>(&collection.name);
    let what = format!("load {}.{}", database.name(), collection.name);
    // Dropping the set ends what is on its way: nothing is loaded after an error.
    let mut on_their_way = JoinSet::new();
    let (mut next, mut loaded) = (0, 0);
    let mut last = Instant::now();
    tell(SetupStage::Load, 0);
    loop {
        if stop() {
            return Err(interrupted());
        }
        while on_their_way.len() < LOADERS && next < collection.count {
            let batch = batch(&mut source, &mut next, collection.count);
            let _ = on_their_way.spawn(send(target.clone(), batch, look_before));
        }
        match tokio::time::timeout(STOP_INTERVAL, on_their_way.join_next()).await {
            Err(_) => {
                if let Some(overdue) = acknowledged::overdue(database, &what, last.elapsed()) {
                    return Err(overdue);
                }
            }
            Ok(None) => return Ok(()),
            Ok(Some(Ok(Ok(documents)))) => {
                loaded += documents;
                last = Instant::now();
                tell(SetupStage::Load, loaded);
            }
            Ok(Some(Ok(Err(problem)))) => return Err(load_error(&what, collection, &problem)),
            Ok(Some(Err(problem))) => {
                return Err(TargetError {
                    kind: TargetErrorKind::Setup,
                    message: format!("{what}: a loader ended early: {problem}"),
                    help: None,
                });
            }
        }
    }
}

/// The documents of a collection; `None` where the plan has none for it.
pub(super) fn documents<'a>(
    plan: &'a Plan,
    payloads: &Payloads,
    collection: &'a CollectionPlan,
) -> Result<Option<Documents<'a>>, TargetError> {
    if collection.count == 0 {
        return Ok(None);
    }
    Documents::with_payloads(plan, collection, payloads)
        .map(Some)
        .map_err(|fault| plan_error(fault.to_string(), None))
}

/// A document that the server did not take. A key that is there already is another writer's only
/// where the documents of the plan cannot share it among themselves.
fn load_error(what: &str, collection: &CollectionPlan, problem: &Error) -> TargetError {
    if error::code(problem) != Some(error::DUPLICATE_KEY) {
        return setup_error(what, problem);
    }
    let message = error::message(problem);
    if !message.contains("index: _id_ ") {
        return plan_error(
            format!("{what}: a unique index does not take two documents: {message}"),
            Some("drop that index, or let the documents of the plan differ in its fields"),
        );
    }
    if has_distinct_ids(collection) {
        return setup_error(what, problem);
    }
    plan_error(
        format!(
            "{what}: two documents have the same `_id`, which the plan draws at random: {message}"
        ),
        Some("use $sequence, $object_id or $uuid in `_id`"),
    )
}

/// True if no two documents of the plan can have the same `_id`.
fn has_distinct_ids(collection: &CollectionPlan) -> bool {
    let id = collection.document.as_ref().and_then(|of| of.field("_id"));
    let Some(id) = id else {
        return true; // an `ObjectId` made from the number
    };
    let mut distinct = false;
    id.for_each_generator(&mut |generator| distinct |= generator.is_distinct());
    distinct
}

/// The next documents, from `next` on.
fn batch(source: &mut Documents<'_>, next: &mut u64, count: u64) -> Vec<RawDocumentBuf> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while *next < count && batch.len() < BATCH_DOCUMENTS && bytes < BATCH_BYTES {
        let mut document = RawDocumentBuf::new();
        source.write(*next, &mut document);
        bytes += document.as_bytes().len();
        batch.push(document);
        *next += 1;
    }
    batch
}

/// Inserts those of a batch that are missing; returns how many are there now.
async fn send(
    target: Collection<RawDocumentBuf>,
    mut batch: Vec<RawDocumentBuf>,
    look_before: bool,
) -> mongodb::error::Result<u64> {
    let documents = batch.len() as u64;
    if look_before {
        let there = ids_there(&target, &batch).await?;
        batch.retain(|document| id_key(document).is_none_or(|key| !there.contains(&key)));
    }
    if !batch.is_empty() {
        let _ = target.insert_many(&batch).ordered(false).await?;
    }
    Ok(documents)
}

async fn ids_there(
    target: &Collection<RawDocumentBuf>,
    batch: &[RawDocumentBuf],
) -> mongodb::error::Result<HashSet<Vec<u8>>> {
    let mut ids = RawArrayBuf::new();
    for document in batch {
        if let Some(id) = document.get("_id")? {
            ids.push(RawBson::from(id));
        }
    }
    let filter = rawdoc! { "_id": { "$in": ids } };
    let mut cursor = target
        .find(Document::try_from(&*filter)?)
        .projection(doc! {"_id": 1})
        .selection_criteria(ReadPreference::Primary.into())
        .await?;
    let mut there = HashSet::new();
    while cursor.advance().await? {
        there.extend(id_key(cursor.current()));
    }
    Ok(there)
}

/// The `_id` in a form that is equal where the server finds it equal: numbers compare by value,
/// whatever their type.
fn id_key(document: &bson::RawDocument) -> Option<Vec<u8>> {
    let id = RawBson::from(document.get("_id").ok()??);
    let id = match id {
        RawBson::Int32(number) => RawBson::Int64(i64::from(number)),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number of less than 2^53"
        )]
        RawBson::Double(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => {
            RawBson::Int64(number as i64)
        }
        other => other,
    };
    Some(rawdoc! { "": id }.into_bytes())
}

/// The set-up was stopped by the user.
fn interrupted() -> TargetError {
    TargetError {
        kind: TargetErrorKind::Setup,
        message: "interrupted".to_owned(),
        help: Some("the same command goes on where it stopped".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_equal_keys_whatever_their_type() {
        let key = |document: &RawDocumentBuf| id_key(document).expect("has an _id");
        let long = key(&rawdoc! {"_id": 5_i64});
        assert_eq!(long, key(&rawdoc! {"_id": 5_i32}));
        assert_eq!(long, key(&rawdoc! {"_id": 5.0}));
        assert_ne!(long, key(&rawdoc! {"_id": 5.5}));
        assert_ne!(long, key(&rawdoc! {"_id": "5"}));
        assert_eq!(id_key(&rawdoc! {"n": 5}), None);
    }
}
