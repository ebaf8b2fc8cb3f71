//! What the stub answers to which command.
//!
//! It looks nothing up: each write touches one document, or
//! as many as it inserts, each read finds as many as it asks for,
//! all of them the first document of the collection's data plan. It stands as the primary of a
//! replica set of one, so that the driver does what it does with a real one: sessions, retryable
//! writes, cluster times.

use std::collections::BTreeMap;
use std::io::Result;

use bson::{RawBsonRef, RawDocument, RawDocumentBuf, rawdoc};
use docstone_workload::payload::{Codec, messages};

use super::wire;

/// The documents of a batch where the command names no number, as with a server.
const FIRST_BATCH: i64 = 101;

/// The bytes of documents in one batch.
const BATCH_BYTES: i64 = 16_000_000;

/// Different replies that are kept; the rest are made anew each time.
const KEPT: usize = 64;

/// The documents that reads are answered with, by collection.
pub(super) type Samples = BTreeMap<String, RawDocumentBuf>;

/// The replies of one thread of the stub.
pub(super) struct Replies {
    samples: Samples,
    address: String,
    kept: BTreeMap<Key, Vec<u8>>,
}

/// What a reply depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    codec: Codec,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A batch of so many documents, and so many that are left.
    Batch {
        database: String,
        collection: String,
        next: bool,
        documents: i64,
        left: i64,
    },
    /// So many documents were written or counted.
    Written(i64),
    /// One value was found.
    Value,
    /// A document of this collection was changed and is returned.
    Changed(String),
    /// Done.
    Fine,
}

impl Replies {
    pub(super) fn new(samples: Samples, address: String) -> Self {
        Self {
            samples,
            address,
            kept: BTreeMap::new(),
        }
    }

    /// Appends the answer to a request to `out`.
    pub(super) fn answer(&mut self, request: &wire::Request, out: &mut Vec<u8>) -> Result<()> {
        let command = request.command()?;
        let name = command.iter().next().and_then(std::result::Result::ok);
        let (name, of) = name.map_or(("", None), |(name, of)| (name.as_str(), Some(of)));
        let from = out.len();
        if matches!(name, "hello" | "isMaster" | "ismaster") {
            out.extend(wire::reply(request.codec, &hello(command, &self.address))?);
        } else {
            let what = match (name, of.and_then(RawBsonRef::as_str)) {
                ("find", Some(collection)) => self.batch(command, collection, wanted(command)),
                ("getMore", _) => {
                    let collection = command.get_str("collection").unwrap_or_default();
                    let left = of.and_then(RawBsonRef::as_i64).unwrap_or(0);
                    self.batch(command, collection, left)
                }
                ("insert", _) => {
                    What::Written(i64::try_from(request.sequence()?.max(1)).unwrap_or(1))
                }
                ("aggregate", Some(collection)) => self.batch(command, collection, 1),
                ("distinct", _) => What::Value,
                ("findAndModify", Some(collection)) => What::Changed(collection.to_owned()),
                ("update" | "delete" | "count", _) => What::Written(1),
                _ => What::Fine,
            };
            let codec = request.codec;
            self.append(Key { codec, what }, out)?;
        }
        wire::answer(&mut out[from..], request.id);
        Ok(())
    }

    /// The batch of a command that still wants so many documents.
    fn batch(&self, command: &RawDocument, collection: &str, wanted: i64) -> What {
        let next = command.get("getMore").is_ok_and(|value| value.is_some());
        let asked = whole(command, "batchSize").filter(|size| *size > 0);
        let sample = self.sample(collection);
        let bytes = i64::try_from(sample.as_bytes().len()).unwrap_or(i64::MAX);
        let fit = (BATCH_BYTES / bytes).max(1);
        let most = asked
            .unwrap_or(if next { fit } else { FIRST_BATCH })
            .min(fit);
        let documents = wanted.min(most);
        What::Batch {
            database: command.get_str("$db").unwrap_or_default().to_owned(),
            collection: collection.to_owned(),
            next,
            documents,
            left: wanted - documents,
        }
    }

    fn sample(&self, collection: &str) -> RawDocumentBuf {
        let sample = self.samples.get(collection).cloned();
        sample.unwrap_or_else(|| rawdoc! {"_id": 1_i32})
    }

    fn append(&mut self, key: Key, out: &mut Vec<u8>) -> Result<()> {
        if let Some(message) = self.kept.get(&key) {
            out.extend_from_slice(message);
            return Ok(());
        }
        let message = wire::reply(key.codec, &self.document(&key.what))?;
        out.extend_from_slice(&message);
        if self.kept.len() < KEPT {
            let _ = self.kept.insert(key, message);
        }
        Ok(())
    }

    fn document(&self, what: &What) -> RawDocumentBuf {
        let mut reply = match what {
            What::Fine => RawDocumentBuf::new(),
            What::Written(documents) => rawdoc! {"n": *documents, "nModified": *documents},
            What::Value => rawdoc! {"values": [1_i32]},
            What::Changed(collection) => rawdoc! {"value": self.sample(collection)},
            What::Batch {
                database,
                collection,
                next,
                documents,
                left,
            } => {
                let sample = self.sample(collection);
                let documents = usize::try_from(*documents).unwrap_or(0);
                let documents = std::iter::repeat_n(&*sample, documents);
                let namespace = format!("{database}.{collection}");
                // The number of the cursor is what is left of it, so that nothing is kept.
                return messages::batch(&namespace, documents, *left, *next);
            }
        };
        messages::end_reply(&mut reply);
        reply
    }
}

/// How many documents a find wants. How many its filter matches is not known here: one, where the
/// command has no limit.
fn wanted(command: &RawDocument) -> i64 {
    whole(command, "limit").map_or(1, |limit| limit.saturating_abs().max(1))
}

fn whole(command: &RawDocument, name: &str) -> Option<i64> {
    let value = command.get(name).ok()??;
    value.as_i64().or_else(|| value.as_i32().map(i64::from))
}

/// A primary that shares every compressor which the client has.
fn hello(command: &RawDocument, address: &str) -> RawDocumentBuf {
    let mut reply = rawdoc! {
        "helloOk": true,
        "ismaster": true,
        "isWritablePrimary": true,
        "setName": "stub",
        "setVersion": 1_i32,
        "me": address,
        "primary": address,
        "hosts": [address],
        "maxBsonObjectSize": 16_777_216_i32,
        "maxMessageSizeBytes": 48_000_000_i32,
        "maxWriteBatchSize": 100_000_i32,
        "logicalSessionTimeoutMinutes": 30_i32,
        "connectionId": 1_i32,
        "minWireVersion": 0_i32,
        "maxWireVersion": 21_i32,
        "ok": 1.0,
    };
    if let Ok(compression) = command.get_array("compression") {
        reply.append(bson::cstr!("compression"), compression.to_owned());
    }
    reply
}
