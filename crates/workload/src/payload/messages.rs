//! Messages as they go over the wire, without the header of 16 bytes: what a compressor gets.
//!
//! Compressors work on the flags and sections of an `OP_MSG`, so a ratio is that of all of it:
//! the command, what the driver adds to it, and the documents. Sizes are those of a replica set,
//! where the driver and the server add more than elsewhere, some 200 bytes; with a standalone
//! server small messages are that much smaller.

use bson::raw::{RawArrayBuf, RawBson};
use bson::{Binary, RawDocument, RawDocumentBuf, Timestamp, cstr, rawdoc, spec::BinarySubtype};

/// Flags and the kind of the first section, all 0: the command follows.
const BEFORE_COMMAND: [u8; 5] = [0; 5];

/// The time of the cluster, as every message of a replica set without authentication carries it.
fn cluster_time() -> RawDocumentBuf {
    let hash = Binary {
        subtype: BinarySubtype::Generic,
        bytes: vec![0; 20],
    };
    rawdoc! {
        "clusterTime": operation_time(),
        "signature": {"hash": hash, "keyId": 0_i64},
    }
}

fn operation_time() -> Timestamp {
    Timestamp {
        time: 1,
        increment: 1,
    }
}

/// Appends what a server appends to each of its replies.
pub fn end_reply(reply: &mut RawDocumentBuf) {
    reply.append(cstr!("ok"), 1.0);
    reply.append(cstr!("$clusterTime"), cluster_time());
    reply.append(cstr!("operationTime"), operation_time());
}

/// A batch of documents that a server answers: the first of its cursor, or a `next` one. `left`
/// is the number of the cursor, 0 where it is read to its end.
pub fn batch<'a>(
    namespace: &str,
    documents: impl Iterator<Item = &'a RawDocument>,
    left: i64,
    next: bool,
) -> RawDocumentBuf {
    let mut batch = RawArrayBuf::new();
    for document in documents {
        batch.push(document.to_owned());
    }
    let mut cursor = rawdoc! {"id": left, "ns": namespace};
    let name = if next {
        cstr!("nextBatch")
    } else {
        cstr!("firstBatch")
    };
    cursor.append(name, RawBson::Array(batch));
    let mut reply = rawdoc! {"cursor": cursor};
    end_reply(&mut reply);
    reply
}

/// The body of a message with nothing but a command or a reply in it.
pub fn body(document: &RawDocument) -> Vec<u8> {
    [&BEFORE_COMMAND, document.as_bytes()].concat()
}

/// The body of a request: a command, as operations write it, with what the driver adds. The
/// documents of an insert stand in a section of their own behind it.
///
/// `session` makes the 16 random bytes that name the session, and `number` is that of the request
/// within it.
pub fn request(command: &RawDocument, database: &str, session: [u8; 16], number: i64) -> Vec<u8> {
    let mut sent = RawDocumentBuf::new();
    let mut documents = None;
    let mut writes = false;
    for (at, element) in command.iter().flatten().enumerate() {
        let (name, value) = element;
        if at == 0 {
            writes = ["insert", "update", "delete", "findAndModify"].contains(&name.as_str());
        }
        match value.as_array() {
            Some(array) if name.as_str() == "documents" => documents = Some(array),
            _ => sent.append(name, value),
        }
    }
    sent.append(cstr!("$db"), database);
    let id = Binary {
        subtype: BinarySubtype::Uuid,
        bytes: session.to_vec(),
    };
    sent.append(cstr!("lsid"), rawdoc! {"id": id});
    sent.append(cstr!("$clusterTime"), cluster_time());
    if writes {
        sent.append(cstr!("txnNumber"), number);
    }
    let mut message = body(&sent);
    if let Some(documents) = documents {
        sequence(b"documents\0", documents, &mut message);
    }
    message
}

/// Appends a section of kind 1: documents back to back.
fn sequence(name: &[u8], documents: &bson::RawArray, message: &mut Vec<u8>) {
    message.push(1);
    let begin = message.len();
    message.extend_from_slice(&[0; 4]);
    message.extend_from_slice(name);
    for document in documents.into_iter().flatten() {
        if let Some(document) = document.as_document() {
            message.extend_from_slice(document.as_bytes());
        }
    }
    let length = u32::try_from(message.len() - begin).unwrap_or(u32::MAX);
    message[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_of_an_insert_stand_in_a_section_of_their_own() {
        let command = rawdoc! {"insert": "c", "ordered": true, "documents": [{"_id": 1_i32}]};
        let message = request(&command, "t", [7; 16], 3);
        assert_eq!(message[..5], BEFORE_COMMAND);
        // As in the protocol's own example: kind, length, name, documents.
        let section = b"\x01\x1c\0\0\0documents\0\x0e\0\0\0\x10_id\0\x01\0\0\0\0";
        let (head, tail) = message.split_at(message.len() - section.len());
        assert_eq!(tail, section);
        let sent = RawDocument::from_bytes(&head[5..]).expect("a document");
        let names: Vec<&str> = sent
            .iter()
            .map(|element| element.expect("valid").0.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "insert",
                "ordered",
                "$db",
                "lsid",
                "$clusterTime",
                "txnNumber"
            ]
        );
    }

    #[test]
    fn a_read_has_no_number_of_its_own() {
        let message = request(&rawdoc! {"find": "c", "filter": {}}, "t", [7; 16], 3);
        let sent = RawDocument::from_bytes(&message[5..]).expect("one section");
        assert!(sent.get("txnNumber").expect("valid").is_none());
        assert_eq!(sent.get_str("$db").expect("text"), "t");
    }

    #[test]
    fn a_batch_is_what_a_server_answers() {
        let documents = [rawdoc! {"_id": 1_i32}, rawdoc! {"_id": 2_i32}];
        let reply = batch("t.c", documents.iter().map(|document| &**document), 5, true);
        let cursor = reply.get_document("cursor").expect("a cursor");
        let count = cursor
            .get_array("nextBatch")
            .expect("a batch")
            .into_iter()
            .count();
        assert_eq!((count, cursor.get_i64("id").expect("a number")), (2, 5));
        assert!(reply.get_document("$clusterTime").is_ok());
        assert_eq!(body(&reply).len(), 5 + reply.as_bytes().len());
    }
}
