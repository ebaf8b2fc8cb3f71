//! The cost of documents, ready to send, by one core, beside plain copies of as many bytes: with
//! payload, unique fields and an exact size, and with ten generators of different kinds.
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

/// Documents a second of ten generators.
const LIMIT_PER_S: f64 = 500_000.0;

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

/// Ten generators, of all kinds of work.
const MIXED: &str = "
data:
  c:
    count: 1
    document:
      fields: {_id: {$uuid: {}}, n: {$sequence: {}}, user: {$int: {max: 1_000_000, distribution: zipfian}}, price: {$decimal: {}},
               height: {$double: {decimals: 2}}, at: {$date: {}}, member: {$bool: {}}, code: {$string: {length: 12}},
               name: {$name: {}}, about: {$words: {min: 3, max: 6}}}
operations: {insert: {insert_one: {collection: c}}}
load: [{closed: {concurrency: 1}, operations: 1}]
";

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

/// Medians of the times of a document, and of a copy of as many bytes, in nanoseconds.
struct Times {
    made_ns: f64,
    copied_ns: f64,
    bytes: usize,
}

/// Times the documents of a workload and plain copies, in turns.
fn times(text: &str, source: &[u8], duration: Duration) -> Times {
    let plan = plan(text, "mongodb://127.0.0.1:1");
    let prepared = docstone_mongo::prepare(&plan).expect("the ratio is in reach");
    let mut documents =
        Documents::with_payloads(&plan, &plan.data[0], &prepared.payloads).expect("it fits");
    let (mut document, mut copy) = (RawDocumentBuf::new(), Vec::new());
    documents.write(0, &mut document);
    let bytes = document.as_bytes().len();
    let (mut made_ns, mut copied_ns) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        made_ns.push(time_ns(duration, |number| {
            documents.write(number, &mut document);
            let _ = black_box(&document);
        }));
        copied_ns.push(time_ns(duration, |number| {
            let at = usize::try_from(number).unwrap_or(0) * bytes % (SOURCE_BYTES - bytes);
            copy.clear();
            copy.extend_from_slice(&source[at..at + bytes]);
            let _ = black_box(&copy);
        }));
    }
    Times {
        made_ns: median(&made_ns),
        copied_ns: median(&copied_ns),
        bytes,
    }
}

fn main() {
    let duration = Duration::from_millis(argument(100));
    let source: Vec<u8> = (0..SOURCE_BYTES).map(|at| at.to_le_bytes()[0]).collect();
    let mut worst = 0.0_f64;
    println!("size        a document  plain copy  documents  of the limit");
    for size in SIZES {
        let times = times(&workload(size), &source, duration);
        assert_eq!(times.bytes as u64, size);
        let gb_per_s = size as f64 / times.made_ns;
        let part = if size == LARGE {
            times.made_ns / (LIMIT_US * 1e3)
        } else {
            LIMIT_GB_PER_S / gb_per_s
        };
        worst = worst.max(part);
        println!(
            "{size:>6} B {:>10.0} ns {:>8.0} ns {gb_per_s:>5.1} GB/s {part:>12.2}",
            times.made_ns, times.copied_ns
        );
    }
    let mixed = times(MIXED, &source, duration);
    let per_s = 1e9 / mixed.made_ns;
    worst = worst.max(LIMIT_PER_S / per_s);
    println!(
        "ten generators, {} B: {:.0} ns, plain copy {:.0} ns, {per_s:.0} documents/s",
        mixed.bytes, mixed.made_ns, mixed.copied_ns
    );
    println!(
        "limits: {LIMIT_GB_PER_S} GB/s, {LIMIT_US} us for a document of {LARGE} B, {LIMIT_PER_S} \
         documents/s of ten generators"
    );
    println!("ratio: {worst:.2}");
}
