//! One document of a collection, read without being counted among the load's queries.

use bson::Document;
use docstone_engine::target::TargetError;
use mongodb::Database;
use mongodb::options::ReadPreference;

use crate::error::setup_error;

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
