//! Loading documents of 1 KB: docstone's set-up against bare loops of `insertMany` with batches of the
//! same size, on the same mongod in alternating rounds. An argument gives the megabytes.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bson::{Document, RawDocumentBuf, rawdoc};
use docstone_benchmarks::{argument, median, plan, server};
use docstone_mongo::MongoTarget;
use mongodb::Client;
use tokio::runtime::Builder;

/// docstone's time over that of one bare loop.
const LIMIT: f64 = 1.10;

const DOCUMENT_BYTES: u64 = 1_000;
const BATCH_DOCUMENTS: u64 = 1_000;

/// What a document has besides its text: `_id`, the two names, the lengths.
const AROUND_BYTES: u64 = 34;

const ROUNDS: usize = 3;

fn main() {
    let documents = argument(1_000) * 1_000_000 / DOCUMENT_BYTES;
    let server = server();
    let uri = server.uri();
    let uri = uri.expose();
    let (mut over_one, mut over_four) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        let one_s = bare(uri, documents, 1);
        let four_s = bare(uri, documents, 4);
        let ours_s = docstone(uri, documents);
        let rate = |seconds: f64| documents as f64 / seconds;
        println!(
            "round {round}, {documents} documents of {DOCUMENT_BYTES} B: one bare loop {:.0}/s, four \
             {:.0}/s, docstone {:.0}/s",
            rate(one_s),
            rate(four_s),
            rate(ours_s)
        );
        over_one.push(ours_s / one_s);
        over_four.push(ours_s / four_s);
    }
    println!(
        "docstone's time over one bare loop's: {:.2} (limit {LIMIT}); over four bare loops': {:.2}",
        median(&over_one),
        median(&over_four)
    );
    println!("ratio: {:.2}", median(&over_one) / LIMIT);
}

/// Seconds of docstone's set-up.
fn docstone(uri: &str, documents: u64) -> f64 {
    let length = DOCUMENT_BYTES - AROUND_BYTES;
    let text = format!(
        "name: loading
data:
  ours:
    count: {documents}
    document: {{fields: {{_id: {{$sequence: {{}}}}, text: {{$string: {{length: {length}}}}}}}}}
operations: {{count: {{count: {{collection: ours}}}}}}
load: [{{closed: {{concurrency: 1}}, operations: 1}}]
"
    );
    let mut plan = plan(&text, uri);
    plan.setup = docstone_model::plan::SetupMode::Drop;
    let target = MongoTarget::connect(&plan).expect("the server answers");
    let begun = Instant::now();
    target
        .set_up(&mut |_| {}, &|| false)
        .expect("data is loaded");
    begun.elapsed().as_secs_f64()
}

/// Seconds of loops that do nothing but to insert batches, on as many connections.
fn bare(uri: &str, documents: u64, loops: u64) -> f64 {
    let threads = Builder::new_multi_thread().enable_all().build();
    threads.expect("a runtime").block_on(async {
        let client = Client::with_uri_str(uri).await.expect("a client");
        let database = client.database("docstone");
        let plain = database.collection::<Document>("bare");
        plain.drop().await.expect("dropped");
        let next = Arc::new(AtomicU64::new(0));
        let begun = Instant::now();
        let loops: Vec<_> = (0..loops)
            .map(|_| {
                let target = database.collection::<RawDocumentBuf>("bare");
                let next = Arc::clone(&next);
                tokio::spawn(async move {
                    loop {
                        let from = next.fetch_add(BATCH_DOCUMENTS, Ordering::Relaxed);
                        if from >= documents {
                            return;
                        }
                        let batch: Vec<_> = (from..documents.min(from + BATCH_DOCUMENTS))
                            .map(document)
                            .collect();
                        let _ = target
                            .insert_many(&batch)
                            .ordered(false)
                            .await
                            .expect("inserted");
                    }
                })
            })
            .collect();
        for each in loops {
            each.await.expect("no panic");
        }
        let took_s = begun.elapsed().as_secs_f64();
        plain.drop().await.expect("dropped");
        took_s
    })
}

/// Text of which no two have the same.
fn document(number: u64) -> RawDocumentBuf {
    let length = usize::try_from(DOCUMENT_BYTES - AROUND_BYTES).expect("small");
    let mut text = String::with_capacity(length + 32);
    let mut state = number;
    while text.len() < length {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let _ = write!(text, "{state:016x}");
    }
    text.truncate(length);
    rawdoc! {"_id": number.cast_signed(), "text": text}
}
