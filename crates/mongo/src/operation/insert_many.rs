//! Inserts a batch of documents by one call.

use bson::{RawArrayBuf, RawDocumentBuf, rawdoc};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::{Error, ErrorKind, Result};

use super::bound::{Bound, Partial, Reply};
use super::options::{self, with_options};

/// The command. The driver sends the documents in a section of their own.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let mut documents = RawArrayBuf::new();
    for document in prepared.documents() {
        documents.push(document.clone());
    }
    let mut command = rawdoc! {
        "insert": plan.collection.as_str(),
        "ordered": is_ordered(&plan.kind),
        "documents": documents,
    };
    options::append_comment(&mut command, &plan.options);
    command
}

fn is_ordered(kind: &OperationKind) -> bool {
    !matches!(kind, OperationKind::InsertMany { ordered: false, .. })
}

/// The driver's call, which repeats a failed attempt where retryable writes are on: with its
/// statements numbered, so that the server inserts none of them twice.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let ordered = is_ordered(&bound.plan.kind);
    let documents = prepared.documents();
    let mut insert = bound.collection.insert_many(documents).ordered(ordered);
    with_options!(insert, bound; comment);
    match insert.await {
        Ok(result) => Ok(Reply::of(true, result.inserted_ids.len() as u64)),
        Err(error) => failed(error, 1 + prepared.batch.len(), ordered),
    }
}

/// A failure, with the documents that were inserted all the same.
fn failed(error: Error, documents: usize, ordered: bool) -> Result<Reply> {
    let ErrorKind::InsertMany(many) = error.kind.as_ref() else {
        return Err(error);
    };
    let refused: Vec<usize> = many
        .write_errors
        .iter()
        .flatten()
        .map(|error| error.index)
        .collect();
    // What was inserted was not acknowledged as it was asked.
    if many.write_concern_error.is_some() || refused.is_empty() {
        return Err(error);
    }
    let inserted = inserted(documents, &refused, ordered);
    Ok(Reply::failed(error, Partial::inserts(inserted)))
}

/// The positions of the documents that were inserted: of an ordered batch those before the first
/// that was refused, of another all but those.
fn inserted(documents: usize, refused: &[usize], ordered: bool) -> Vec<u32> {
    let end = if ordered {
        refused.iter().min().copied().unwrap_or(documents)
    } else {
        documents
    };
    let positions = (0..end).filter(|position| !refused.contains(position));
    positions.filter_map(|at| u32::try_from(at).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordered_batch_ends_at_its_first_refusal_and_another_leaves_out_the_refused() {
        assert_eq!(inserted(5, &[2], true), [0, 1]);
        assert_eq!(inserted(5, &[2, 4], false), [0, 1, 3]);
        assert_eq!(inserted(5, &[0], true), [0; 0]);
    }
}
