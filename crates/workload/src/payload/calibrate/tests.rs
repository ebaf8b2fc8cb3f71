//! What can be reached, and that it is like what compressors make of real documents.

use bson::raw::RawArrayBuf;
use bson::{RawDocumentBuf, rawdoc};

use super::*;
use crate::payload::messages::{batch, body, request};

/// Inserts of documents of one size: a number, a random `_id` and text.
struct Inserts {
    document_bytes: usize,
    documents: u64,
}

impl Inserts {
    fn document(&self, pool: &Pool, number: u64) -> RawDocumentBuf {
        let id = StreamKey::new(5).word(number).digest().cast_signed();
        let number_field = i64::try_from(number).expect("small");
        let empty = rawdoc! {"_id": id, "n": number_field, "text": ""};
        let length = self.document_bytes - empty.as_bytes().len();
        let text = pool.slice(number, 0, length);
        let text = std::str::from_utf8(text).expect("ASCII");
        rawdoc! {"_id": id, "n": number_field, "text": text}
    }

    fn message(&self, pool: &Pool, number: u64) -> Vec<u8> {
        let mut documents = RawArrayBuf::new();
        for document in 0..self.documents {
            documents.push(self.document(pool, number * self.documents + document));
        }
        let command = rawdoc! {"insert": "c", "ordered": true, "documents": documents};
        request(&command, "test", [7; 16], 1)
    }
}

impl Messages for Inserts {
    fn unit_bytes(&self) -> u64 {
        self.document_bytes as u64 * self.documents + 220
    }

    fn payload_bytes(&self) -> u64 {
        self.document_bytes as u64
    }

    fn write(&self, pool: &Arc<Pool>, count: u64, each: &mut dyn FnMut(&[u8])) {
        for number in 0..count {
            each(&self.message(pool, number));
        }
    }
}

fn key(seed: u64) -> StreamKey {
    StreamKey::new(seed).text("payload")
}

fn inserts(document_bytes: usize, unit_bytes: usize) -> Inserts {
    Inserts {
        document_bytes,
        documents: (unit_bytes / document_bytes).max(1) as u64,
    }
}

/// Calibrates, and measures with another seed than those that it was tuned and verified with.
fn reached(messages: &Inserts, target: f64) -> Ratios {
    let found = calibrate(messages, target, key(1));
    let found = found.unwrap_or_else(|error| panic!("{target}: {error}"));
    measure(messages, found.style, key(2))
}

/// What snappy and zlib make of real documents, by what zstd makes of them: from 0.6 to 0.8, and
/// close to 1, more where zstd's ratio is large.
fn check_realism(target: f64, ratios: Ratios) {
    let (snappy, zlib) = (ratios.snappy / ratios.zstd, ratios.zlib / ratios.zstd);
    assert!((0.55..=0.82).contains(&snappy), "{target}: {ratios:?}");
    let most = match target {
        ..=6.0 => 1.14,
        ..=8.0 => 1.35,
        _ => 1.60,
    };
    assert!((0.93..=most).contains(&zlib), "{target}: {ratios:?}");
}

#[test]
fn messages_of_any_size_have_the_ratio_asked_for_and_compress_like_real_ones() {
    let cells: [(usize, usize, &[f64]); 7] = [
        (512, 1, &[1.5, 3.0]),
        (512, 32_768, &[1.5, 6.0]),
        (1_024, 1, &[1.5, 3.0, 4.0]),
        (1_024, 262_144, &[3.0, 12.0]),
        (4_096, 1, &[1.5, 3.0, 6.0, 8.0]),
        (16_384, 1, &[2.0, 12.0]),
        (51_000, 1, &[1.5, 3.0, 6.0]),
    ];
    for (document, unit, targets) in cells {
        for target in targets {
            let ratios = reached(&inserts(document, unit), *target);
            let error = ratios.zstd / target - 1.0;
            assert!(
                error.abs() <= TOLERANCE,
                "{document}, {unit}, {target}: {ratios:?}"
            );
            check_realism(*target, ratios);
        }
    }
}

#[test]
fn what_cannot_be_reached_is_refused_with_what_can() {
    let single = inserts(512, 1);
    for target in [1.05, 6.0] {
        match calibrate(&single, target, key(1)) {
            Err(Unreached::OutOfReach {
                unit_bytes,
                low,
                high,
            }) => {
                assert_eq!(unit_bytes, single.unit_bytes());
                assert!((1.1..1.4).contains(&low) && (2.5..4.5).contains(&high));
            }
            other => panic!("{target}: {other:?}"),
        }
    }
    let error = calibrate(&single, 6.0, key(1)).expect_err("too much");
    let shown = error.to_string();
    assert!(
        shown.starts_with("messages of 732 bytes with these fields reach ratios from 1."),
        "{shown}"
    );
}

#[test]
fn the_same_seed_gives_the_same_text() {
    let messages = inserts(2_000, 1);
    let found = |seed| calibrate(&messages, 2.0, key(seed));
    assert_eq!(found(1), found(1));
    assert_ne!(found(1), found(2));
}

#[test]
fn a_reply_has_the_ratio_of_the_insert_of_its_document() {
    let inserts = inserts(51_000, 1);
    let found = calibrate(&inserts, 3.0, key(1)).expect("in reach");
    let pool = Pool::new(found.style, key(2), 1 << 20, 51_000);
    let (mut raw, mut packed) = (0, 0);
    for number in 0..20 {
        let document = inserts.document(&pool, number);
        let reply = body(&batch("test.c", [&*document].into_iter(), 0, false));
        raw += reply.len();
        packed += compress(Codec::ZSTD, &reply).expect("it fits").len();
    }
    let ratio = raw as f64 / packed as f64;
    assert!((ratio / 3.0 - 1.0).abs() <= TOLERANCE, "{ratio}");
}

/// Messages that are random once many of them are asked for.
struct Unsteady;

impl Messages for Unsteady {
    fn unit_bytes(&self) -> u64 {
        10_000
    }

    fn payload_bytes(&self) -> u64 {
        10_000
    }

    fn write(&self, pool: &Arc<Pool>, count: u64, each: &mut dyn FnMut(&[u8])) {
        let random = Pool::new(Style::Random, key(9), 10_000, 10_000);
        for number in 0..count {
            let from = if count > 50 { &random } else { &**pool };
            each(from.slice(number, 0, 10_000));
        }
    }
}

#[test]
fn a_ratio_that_fresh_messages_do_not_have_is_refused() {
    let error = calibrate(&Unsteady, 3.0, key(1)).expect_err("random messages");
    assert!(
        matches!(error, Unreached::Unsteady { reached, .. } if (0.9..1.1).contains(&reached)),
        "{error:?}"
    );
}
