//! Which of many documents are there, by their `_id`.
//!
//! Read from the primary with read concern majority, not before the primary's own last write is
//! majority-committed: a write that was acknowledged by a primary that has lost its office since
//! is neither hidden by an old snapshot nor shown by the old primary.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use bson::{Bson, Document, Timestamp, doc};
use docstone_engine::LookedUp;
use mongodb::Database;
use mongodb::options::ReadPreference;

use crate::error;

/// Documents that are looked up at a time.
const BATCH: usize = 1_000;

/// How long one look may take, on the server and here.
const ONE_LOOK: Duration = Duration::from_secs(10);

/// How long the deployment may give no answer: elections and restarts take less.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(200);

/// How many of the missing are named.
const NAMED: usize = 10;

/// Looks all of them up and adds what it finds to `found`.
pub(super) async fn look_up(
    database: &Database,
    collection: &str,
    mut ids: impl Iterator<Item = bson::RawBson>,
    found: &mut LookedUp,
) -> Result<(), String> {
    let mut committed = None;
    loop {
        let batch: Result<Vec<Bson>, _> = ids.by_ref().take(BATCH).map(Bson::try_from).collect();
        let batch = batch.map_err(|problem| problem.to_string())?;
        if batch.is_empty() {
            return Ok(());
        }
        let there = patiently(database, collection, &batch, &mut committed).await?;
        found.looked_up += batch.len() as u64;
        for id in batch {
            if !there.contains(&key(&id)) {
                found.missing += 1;
                if found.missing_ids.len() < NAMED {
                    found
                        .missing_ids
                        .push(id.into_relaxed_extjson().to_string());
                }
            }
        }
    }
}

/// The keys of those that are there. Tried again while the deployment has no primary.
async fn patiently(
    database: &Database,
    collection: &str,
    batch: &[Bson],
    committed: &mut Option<Committed>,
) -> Result<HashSet<String>, String> {
    let since = Instant::now();
    loop {
        let looking = look(database, collection, batch, committed);
        let problem = match tokio::time::timeout(2 * ONE_LOOK, looking).await {
            Ok(Ok(there)) => return Ok(there),
            Ok(Err(problem)) => error::one_line(&error::message(&problem)),
            Err(_) => "no answer".to_owned(),
        };
        // Perhaps asked of a primary that is none any more.
        *committed = None;
        if since.elapsed() >= PATIENCE {
            return Err(problem);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// What the primary had last done when it was asked; none where there is no replica set.
#[derive(Clone, Copy)]
struct Committed(Option<Timestamp>);

async fn look(
    database: &Database,
    collection: &str,
    batch: &[Bson],
    committed: &mut Option<Committed>,
) -> Result<HashSet<String>, mongodb::error::Error> {
    let Committed(time) = match *committed {
        Some(known) => known,
        None => *committed.insert(last_done(database).await?),
    };
    let mut command = doc! {
        "aggregate": collection,
        "pipeline": [
            {"$match": {"_id": {"$in": batch.to_vec()}}},
            {"$project": {"_id": 1}},
        ],
        // One reply holds all of them, and says so.
        "cursor": {"batchSize": i32::try_from(BATCH + 1).expect("a small number")},
        "maxTimeMS": i64::try_from(ONE_LOOK.as_millis()).expect("a short time"),
    };
    if let Some(time) = time {
        let concern = doc! {"level": "majority", "afterClusterTime": time};
        let _ = command.insert("readConcern", concern);
    }
    let reply = database
        .run_command(command)
        .selection_criteria(ReadPreference::Primary.into())
        .await?;
    let documents = reply
        .get_document("cursor")
        .and_then(|cursor| cursor.get_array("firstBatch"));
    let documents = documents.map_err(mongodb::error::Error::custom)?;
    let id = |document: &Bson| document.as_document()?.get("_id").map(key);
    Ok(documents.iter().filter_map(id).collect())
}

async fn last_done(database: &Database) -> Result<Committed, mongodb::error::Error> {
    let reply: Document = database
        .run_command(doc! {"ping": 1})
        .selection_criteria(ReadPreference::Primary.into())
        .await?;
    Ok(Committed(reply.get_timestamp("operationTime").ok()))
}

/// What tells values apart: as Extended JSON with their types.
fn key(id: &Bson) -> String {
    id.clone().into_canonical_extjson().to_string()
}
