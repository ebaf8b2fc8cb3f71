//! Reads the different values of a field.

use bson::{Bson, RawDocumentBuf, doc, rawdoc};
use docstone_model::{OperationKind, OperationPlan};
use docstone_workload::PreparedOperation;
use mongodb::error::Result;

use super::bound::{Bound, Reply, decode};
use super::options::{self, with_options};

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let mut command = rawdoc! {
        "distinct": plan.collection.as_str(),
        "key": field(&plan.kind),
        "query": prepared.filter.clone(),
    };
    options::append(&mut command, &plan.options);
    command
}

fn field(kind: &OperationKind) -> &str {
    match kind {
        OperationKind::Distinct { field, .. } => field,
        _ => "",
    }
}

/// The driver's call, which repeats a failed attempt where retryable reads are on. What it counts as
/// documents are the values.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let filter = decode(&prepared.filter)?;
    let mut distinct = bound.collection.distinct(field(&bound.plan.kind), filter);
    with_options!(distinct, bound; collation, max_time, comment);
    let values = distinct.await?;
    let found = values.len() as u64;
    Ok(Reply {
        bytes_in: encoded_bytes(values)?,
        ..Reply::of(found > 0, found)
    })
}

/// Encoded bytes of the list of the values.
fn encoded_bytes(values: Vec<Bson>) -> Result<u64> {
    let whole = bson::serialize_to_vec(&doc! {"": values})?;
    // Around the list: 5 bytes of document, its type and the end of its name.
    Ok(whole.len() as u64 - 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_list() {
        let empty = encoded_bytes(Vec::new()).expect("it encodes");
        assert_eq!(empty, 5);
        let two = encoded_bytes(vec![Bson::Int32(1), Bson::Int32(2)]).expect("it encodes");
        assert_eq!(two, 5 + 2 * (3 + 4));
    }
}
