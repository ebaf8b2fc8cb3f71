//! The cost of documents, ready to send: with payload, unique fields and an exact size, by one
//! core, beside plain copies of as many bytes.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bson::RawDocumentBuf;
use docstone_benchmarks::{argument, median, plan};
use docstone_workload::Documents;

/// Bytes a second of documents of 256 B to 16 KB.
const LIMIT_GB_PER_S: f64 = 2.0;

/// Time of a document of 51 KB.
const LIMIT_US: f64 = 10.0;

const ROUNDS: usize = 7;

/// The sizes of documents, in bytes.
const SIZES: [u64; 7] = [256, 512, 1_000, 4_000, 10_000, 16_000, 51_000];

/// Those whose limit is a time.
const LARGE: u64 = 51_000;

/// The memory that plain copies are taken from, as large as a pool.
const SOURCE_BYTES: usize = 32 * 1024 * 1024;

/// A workload that inserts documents of this size.
fn workload(size: u64) -> String {
    format!(
        "
data:
  c:
    count: 1
    document:
      size: {size}
      compressibility: low
      fields: {{_id: {{$uuid: {{}}}}, n: {{$sequence: {{}}}}, user: {{$int: {{}}}}, kind: order, text: {{$payload: {{}}}}}}
operations: {{insert: {{insert_one: {{collection: c}}}}}}
load: [{{closed: {{concurrency: 1}}, operations: 1}}]
"
    )
}

/// The time of one, in nanoseconds. `make` is given numbers from 0.
fn time_ns(duration: Duration, mut make: impl FnMut(u64)) -> f64 {
    let started = Instant::now();
    let mut number = 0;
    while started.elapsed() < duration {
        for _ in 0..256 {
            make(number);
            number += 1;
        }
    }
    started.elapsed().as_nanos() as f64 / number as f64
}

fn main() {
    let duration = Duration::from_millis(argument(100));
    let source: Vec<u8> = (0..SOURCE_BYTES).map(|at| at.to_le_bytes()[0]).collect();
    let mut worst = 0.0_f64;
    println!("size        a document  plain copy  documents  of the limit");
    for size in SIZES {
        let plan = plan(&workload(size), "mongodb://127.0.0.1:1");
        let prepared = docstone_mongo::prepare(&plan).expect("the ratio is in reach");
        let mut documents =
            Documents::with_payloads(&plan, &plan.data[0], &prepared.payloads).expect("it fits");
        let mut document = RawDocumentBuf::new();
        let mut copy = Vec::new();
        let bytes = usize::try_from(size).expect("small");
        let (mut made_ns, mut copied_ns) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            made_ns.push(time_ns(duration, |number| {
                documents.write(number, &mut document);
                assert_eq!(black_box(&document).as_bytes().len(), bytes);
            }));
            copied_ns.push(time_ns(duration, |number| {
                let at = usize::try_from(number).unwrap_or(0) * bytes % (SOURCE_BYTES - bytes);
                copy.clear();
                copy.extend_from_slice(&source[at..at + bytes]);
                let _ = black_box(&copy);
            }));
        }
        let (made_ns, copied_ns) = (median(&made_ns), median(&copied_ns));
        let gb_per_s = size as f64 / made_ns;
        let part = if size == LARGE {
            made_ns / (LIMIT_US * 1e3)
        } else {
            LIMIT_GB_PER_S / gb_per_s
        };
        worst = worst.max(part);
        println!(
            "{size:>6} B {made_ns:>10.0} ns {copied_ns:>8.0} ns {gb_per_s:>5.1} GB/s {part:>12.2}"
        );
    }
    println!("limits: {LIMIT_GB_PER_S} GB/s, and {LIMIT_US} us for a document of {LARGE} B");
    println!("ratio: {worst:.2}");
}
