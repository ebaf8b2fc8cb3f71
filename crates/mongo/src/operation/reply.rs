//! Replies to raw commands: what they say of documents, and the errors within them.

use bson::{Bson, Document};
use mongodb::error::{Error, ErrorKind, Result, WriteFailure};

use crate::number::whole;

/// What a reply to a write says.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Documents that matched, were inserted or deleted.
    pub(super) matched: u64,
    /// Documents inserted, changed or deleted.
    pub(super) documents: u64,
    /// The positions of the statements that were refused, rising.
    pub(super) refused: Vec<usize>,
    /// The first of these errors, or that of the write concern.
    pub(super) error: Option<Error>,
}

/// Reads the reply to an insert, an update or a delete.
pub(super) fn written(reply: &Document) -> Result<Written> {
    let number = |key: &str| reply.get(key).and_then(whole);
    let list = |key: &str| reply.get_array(key).map_or(&[][..], Vec::as_slice);
    let matched = number("n").unwrap_or(0);
    let upserted = list("upserted").len() as u64;
    let mut written = Written {
        matched,
        documents: number("nModified").map_or(matched, |modified| modified + upserted),
        ..Written::default()
    };
    for error in list("writeErrors").iter().filter_map(Bson::as_document) {
        let position = error.get("index").and_then(whole).unwrap_or(0);
        written.refused.push(usize::try_from(position).unwrap_or(0));
        if written.error.is_none() {
            let error = bson::deserialize_from_document(error.clone())?;
            let failure = WriteFailure::WriteError(error);
            written.error = Some(ErrorKind::Write(failure).into());
        }
    }
    if let (Ok(error), None) = (reply.get_document("writeConcernError"), &written.error) {
        let error = bson::deserialize_from_document(error.clone())?;
        let failure = WriteFailure::WriteConcernError(error);
        written.error = Some(ErrorKind::Write(failure).into());
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;

    use crate::error;

    #[test]
    fn an_update_counts_what_it_changed_and_inserted() {
        let reply = doc! {"n": 3, "nModified": 1, "upserted": [{"index": 1, "_id": 7}], "ok": 1.0};
        let written = written(&reply).expect("a reply");
        assert_eq!((written.matched, written.documents), (3, 2));
        assert!(written.error.is_none());
    }

    #[test]
    fn refused_statements_are_errors_under_the_code_of_the_first() {
        let reply = doc! {"n": 1, "writeErrors": [
            {"index": 1, "code": 11000, "errmsg": "E11000 duplicate"},
            {"index": 3, "code": 121, "errmsg": "no"},
        ]};
        let written = written(&reply).expect("a reply");
        assert_eq!((written.documents, written.refused), (1, vec![1, 3]));
        assert_eq!(written.error.as_ref().and_then(error::code), Some(11000));
    }
}
