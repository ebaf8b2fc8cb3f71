//! What is drawn besides filter and document: stages and filters of array elements.

use bson::{Document, RawArray, RawBsonRef};
use docstone_workload::PreparedOperation;
use mongodb::error::{Error, Result};
use mongodb::options::UpdateModifications;

use super::bound::decode;

/// The list under a key; `None` where the operation has none.
pub(super) fn list<'a>(prepared: &'a PreparedOperation, key: &str) -> Option<&'a RawArray> {
    match prepared.arguments.get(key) {
        Ok(Some(RawBsonRef::Array(list))) => Some(list),
        _ => None,
    }
}

/// The documents of a list, decoded; `None` where the operation has none.
pub(super) fn documents(prepared: &PreparedOperation, key: &str) -> Result<Option<Vec<Document>>> {
    let Some(list) = list(prepared, key) else {
        return Ok(None);
    };
    let documents = list.into_iter().map(|item| match item? {
        RawBsonRef::Document(document) => decode(document),
        other => Err(Error::custom(format!("{key}: {other:?} is no document"))),
    });
    documents.collect::<Result<_>>().map(Some)
}

/// The update: operators, or stages.
pub(super) fn update(prepared: &PreparedOperation) -> Result<UpdateModifications> {
    Ok(match documents(prepared, "update")? {
        Some(stages) => UpdateModifications::Pipeline(stages),
        None => UpdateModifications::Document(decode(&prepared.payload)?),
    })
}
