//! Whether a collection exists and what it holds, read without being counted among the load's
//! queries.

use bson::{Document, doc};
use docstone_engine::target::TargetError;
use mongodb::Database;
use mongodb::options::ReadPreference;

use crate::error::setup_error;
use crate::number::whole;

/// The first document of an aggregation. Not a find: the server's counter of queries on the
/// collection is left to the load.
pub(crate) async fn first(
    database: &Database,
    collection: &str,
    stages: impl IntoIterator<Item = Document>,
) -> Result<Option<Document>, TargetError> {
    let failed = |problem: mongodb::error::Error| {
        setup_error(&format!("read {}.{collection}", database.name()), &problem)
    };
    let mut cursor = database
        .collection::<Document>(collection)
        .aggregate(stages)
        .selection_criteria(ReadPreference::Primary.into())
        .await
        .map_err(failed)?;
    if !cursor.advance().await.map_err(failed)? {
        return Ok(None);
    }
    cursor.deserialize_current().map(Some).map_err(failed)
}

/// True if the collection exists.
pub(crate) async fn exists(database: &Database, collection: &str) -> Result<bool, TargetError> {
    let names = database
        .list_collection_names()
        .filter(doc! {"name": collection})
        // A user of this collection alone may ask for no others.
        .authorized_collections(true)
        .await;
    let what = format!("list the collection {}.{collection}", database.name());
    names
        .map(|names| !names.is_empty())
        .map_err(|problem| setup_error(&what, &problem))
}

/// About how many documents the collection holds, by the server's own figure.
pub(crate) async fn estimate(database: &Database, collection: &str) -> Result<u64, TargetError> {
    let counting = database
        .collection::<Document>(collection)
        .estimated_document_count()
        .selection_criteria(ReadPreference::Primary.into())
        .await;
    counting.map_err(|problem| {
        setup_error(&format!("count {}.{collection}", database.name()), &problem)
    })
}

/// How many documents the collection holds, one by one: the server's own figure may be wrong
/// after it was killed.
pub(crate) async fn count(database: &Database, collection: &str) -> Result<u64, TargetError> {
    let counted = first(database, collection, [doc! {"$count": "there"}]).await?;
    Ok(counted
        .and_then(|counted| whole(counted.get("there")?))
        .unwrap_or(0))
}
