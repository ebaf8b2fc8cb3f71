//! Whether a collection holds what was loaded into it: the server takes documents that a capped
//! collection or a TTL index then removes.

use bson::{Bson, Document, doc};
use docstone_engine::target::TargetError;
use docstone_model::CollectionPlan;
use docstone_workload::Documents;
use mongodb::Database;

use super::identity::{self, Identity};
use super::missing;
use crate::error::plan_error;
use crate::lookup;

/// What was loaded, and into what.
pub(super) struct Loaded<'a> {
    pub(super) collection: &'a CollectionPlan,
    /// docstone has just made the collection: it holds nothing else.
    pub(super) fresh: bool,
}

/// Refuses a collection that does not hold what was loaded. Returns how many documents there are.
pub(super) async fn check(
    database: &Database,
    loaded: &Loaded<'_>,
    documents: Option<&mut Documents<'_>>,
) -> Result<u64, TargetError> {
    let Loaded { collection, fresh } = *loaded;
    let planned = collection.count;
    let fits = |there: u64| there == planned || there > planned && !fresh;
    let mut there = lookup::estimate(database, &collection.name).await?;
    if !fits(there) {
        there = lookup::count(database, &collection.name).await?;
    }
    let what = format!("{}.{}", database.name(), collection.name);
    if there > planned && fresh {
        return Err(plan_error(
            format!(
                "{what} holds {there} documents after {planned} were loaded: somebody else inserts \
                 into it"
            ),
            Some(OTHERS_HELP),
        ));
    }
    let some_missing = match documents {
        Some(documents) if !fresh => missing::any(database, collection, documents).await?,
        _ => false,
    };
    if fits(there) && !some_missing {
        return Ok(there);
    }
    let (why, help) = cause(database, &collection.name).await?;
    let holds = if there < planned {
        format!("{what} holds {there} of {planned} documents after they were loaded")
    } else {
        format!(
            "{what} holds {there} documents after {planned} were loaded, and not all of these are \
             among them"
        )
    };
    Err(plan_error(format!("{holds}: {why}"), Some(help)))
}

const OTHERS_HELP: &str =
    "let the other one end first, or give this run another database or collection";

/// Why loaded documents are not there any more, and the cure.
async fn cause(
    database: &Database,
    collection: &str,
) -> Result<(String, &'static str), TargetError> {
    let identity = identity::of(database, collection).await?;
    if let Identity::Shown { capped: true, .. } = identity {
        return Ok((
            "it is capped, so that new documents push old ones out".to_owned(),
            "--drop loads it anew as a collection that is not capped; or use another name",
        ));
    }
    if let Some((index, limit_s)) = ttl(database, collection).await {
        return Ok((
            format!("its index {index} removes documents after {limit_s} s (TTL)"),
            "drop that index, or let --drop load the collection anew; or use another name",
        ));
    }
    Ok(("somebody else deletes from it".to_owned(), OTHERS_HELP))
}

/// An index that removes documents, and after how many seconds; `None` also where the user may
/// not know.
async fn ttl(database: &Database, collection: &str) -> Option<(String, Bson)> {
    let list = doc! {"listIndexes": collection};
    let mut cursor = database.run_cursor_command(list).await.ok()?;
    while cursor.advance().await.ok()? {
        let index: Document = cursor.deserialize_current().ok()?;
        if let Some(limit_s) = index.get("expireAfterSeconds") {
            let name = index.get_str("name").unwrap_or("?").to_owned();
            return Some((name, limit_s.clone()));
        }
    }
    None
}
