//! Counts the documents that match, by the `count` command.
//!
//! The driver has no call for that command with a filter (its `count_documents` is an
//! aggregation), so it goes out as it is, with read preference and read concern, and is repeated
//! here as the driver repeats other reads.

use bson::{Document, RawDocumentBuf, rawdoc};
use docstone_model::OperationPlan;
use docstone_workload::PreparedOperation;
use mongodb::error::{Error, ErrorKind, Result};

use super::bound::{Bound, Reply};
use super::options;
use crate::error;
use crate::number::whole;

/// Errors after which a read may be sent again, from the specification of retryable reads.
const RETRYABLE_CODES: [i32; 13] = [
    11600, 11602, 10107, 13435, 13436, 189, 91, 7, 6, 89, 9001, 134, 262,
];

/// The command.
pub fn command(plan: &OperationPlan, prepared: &PreparedOperation) -> RawDocumentBuf {
    let mut command =
        rawdoc! { "count": plan.collection.as_str(), "query": prepared.filter.clone() };
    options::append(&mut command, &plan.options);
    command
}

/// The driver's call.
pub(super) async fn call(bound: &Bound, prepared: &PreparedOperation) -> Result<Reply> {
    let mut command = command(&bound.plan, prepared);
    if let Some(concern) = &bound.read_concern {
        command.append(
            bson::cstr!("readConcern"),
            bson::serialize_to_raw_document_buf(concern)?,
        );
    }
    let send = || {
        bound
            .database
            .run_raw_command(command.clone())
            .selection_criteria(bound.selection.clone())
    };
    let reply = match send().await {
        Err(error) if bound.retry_reads && is_retryable(&error) => send().await?,
        other => other?,
    };
    let counted = number(&reply)?;
    Ok(Reply::of(counted > 0, counted))
}

fn is_retryable(error: &Error) -> bool {
    match error.kind.as_ref() {
        ErrorKind::Io(_) | ErrorKind::ConnectionPoolCleared { .. } => true,
        _ => error::code(error).is_some_and(|code| RETRYABLE_CODES.contains(&code)),
    }
}

/// `n` of the reply, which is a number of any type.
fn number(reply: &Document) -> Result<u64> {
    let counted = reply.get("n").and_then(whole);
    counted.ok_or_else(|| Error::custom("the reply to `count` has no number `n`".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;

    #[test]
    fn a_count_of_any_number_type_is_read() {
        for reply in [doc! {"n": 3_i32}, doc! {"n": 3_i64}, doc! {"n": 3.0}] {
            assert_eq!(number(&reply).expect("a number"), 3);
        }
        assert!(number(&doc! {"n": -1}).is_err() && number(&doc! {}).is_err());
    }

    #[test]
    fn broken_connections_are_retryable_and_mistakes_are_not() {
        let io = Error::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
        assert!(is_retryable(&io));
        assert!(!is_retryable(&Error::custom("mistake")));
    }
}
