//! The range of a field, as the primary knows it.

use bson::{Bson, Document, doc};
use docstone_engine::target::TargetError;
use mongodb::Database;

use crate::error::plan_error;
use crate::lookup::first;
use crate::number::integer;

/// Smallest and largest value of a field; `None` where the collection is empty.
pub(super) async fn field_range(
    database: &Database,
    collection: &str,
    field: &str,
) -> Result<Option<(i64, i64)>, TargetError> {
    let filter = with_number(field);
    let first = extreme(database, collection, field, &filter, 1).await?;
    let last = extreme(database, collection, field, &filter, -1).await?;
    match (first, last) {
        (Some(first), Some(last)) => match (integer(&first), integer(&last)) {
            (Some(first), Some(last)) => Ok(Some((first, last))),
            _ => Err(plan_error(
                format!(
                    "{}.{collection}: `{field}` holds values that are not numbers, so no range can \
                     be drawn from it",
                    database.name()
                ),
                Some("use a collection whose `_id` values are numbers"),
            )),
        },
        _ => has_range(database, collection, field).await.map(|_| None),
    }
}

/// The documents that a field is drawn of. An `_id` that is no number would never be drawn, though the
/// plan means all documents.
fn with_number(field: &str) -> Document {
    if field == "_id" {
        doc! {}
    } else {
        doc! {field: {"$type": "number"}}
    }
}

/// Whether a field has a range that can be read; false where the collection is empty. Needs no index.
pub(super) async fn has_range(
    database: &Database,
    collection: &str,
    field: &str,
) -> Result<bool, TargetError> {
    let stages = [doc! {"$match": with_number(field)}, doc! {"$limit": 1}];
    if first(database, collection, stages).await?.is_some() {
        return Ok(true);
    }
    if field == "_id" || is_empty(database, collection).await? {
        return Ok(false);
    }
    Err(plan_error(
        format!(
            "{}.{collection}: no document has a number in `{field}`",
            database.name()
        ),
        Some("use a field that holds numbers, or insert documents that have it"),
    ))
}

/// The first value of a field in one direction.
pub(super) async fn extreme(
    database: &Database,
    collection: &str,
    field: &str,
    filter: &Document,
    direction: i32,
) -> Result<Option<Bson>, TargetError> {
    let keep_id = i32::from(field == "_id");
    let mut projection = doc! {field: 1};
    let _ = projection.insert("_id", keep_id);
    let stages = [
        doc! {"$match": filter.clone()},
        doc! {"$sort": {field: direction}},
        doc! {"$limit": 1},
        doc! {"$project": projection},
    ];
    let found = first(database, collection, stages).await?;
    Ok(found.map(|document| value_at(&document, field).unwrap_or(Bson::Null)))
}

/// The value of a field, whose name may be a path with dots.
fn value_at(document: &Document, field: &str) -> Option<Bson> {
    let path: Vec<&str> = field.split('.').collect();
    crate::number::at(document, &path).cloned()
}

async fn is_empty(database: &Database, collection: &str) -> Result<bool, TargetError> {
    let found = first(database, collection, [doc! {"$limit": 1}]).await?;
    Ok(found.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_may_be_a_path() {
        assert_eq!(value_at(&doc! {"a": {"b": 3}}, "a.b"), Some(Bson::Int32(3)));
        assert_eq!(value_at(&doc! {"a": 3}, "a.b"), None);
    }
}
