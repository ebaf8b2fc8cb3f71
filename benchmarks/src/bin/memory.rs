//! Peak resident memory of a run with 64 workers, after one, two and four million operations.
//! An argument divides the numbers of operations, for a quick look.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::process::Command;

use docstone_benchmarks::{argument, docstone, server};
use docstone_mongo::private::PrivateServer;

const LIMIT_MIB: f64 = 64.0;
const GROWTH_LIMIT: f64 = 1.05;

fn main() {
    let divisor = argument(1);
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    let mut peaks = Vec::new();
    for millions in [1, 2, 4] {
        let peak_mib = peak_mib(&server, folder.path(), millions * 1_000_000 / divisor);
        println!("{millions} million operations / {divisor}: peak {peak_mib:.1} MiB");
        peaks.push(peak_mib);
    }
    let growth = peaks[2] / peaks[0];
    println!(
        "after 2 million: {:.1} MiB, limit {LIMIT_MIB} MiB",
        peaks[1]
    );
    println!("4 million over 1 million: {growth:.3}, limit {GROWTH_LIMIT}");
    println!(
        "ratio: {:.2}",
        (peaks[1] / LIMIT_MIB).max(growth / GROWTH_LIMIT)
    );
}

fn peak_mib(server: &PrivateServer, folder: &std::path::Path, operations: u64) -> f64 {
    let file = folder.join("memory.yaml");
    let text = format!(
        "name: memory
data: {{perf: {{count: 10000, document: {{fields: {{_id: {{$sequence: {{}}}}, text: {{$string: {{length: 100}}}}}}}}}}}}
operations:
  find: {{find_one: {{collection: perf, filter: {{_id: {{$key: {{}}}}}}}}}}
  update: {{update_one: {{collection: perf, filter: {{_id: {{$key: {{}}}}}}, update: {{$set: {{n: {{$int: {{}}}}}}}}}}}}
scenario: {{mix: {{find: 90, update: 10}}}}
load: [{{closed: {{concurrency: 64}}, operations: {operations}}}]
"
    );
    std::fs::write(&file, text).expect("the file is written");
    let out = folder.join(format!("{operations}"));
    let status = Command::new(docstone())
        .args([
            "run".as_ref(),
            file.as_os_str(),
            "--quiet".as_ref(),
            "--json".as_ref(),
        ])
        .args(["--uri", server.uri().expose(), "--out"])
        .arg(&out)
        .output()
        .expect("docstone runs");
    assert!(
        status.status.success(),
        "{}",
        String::from_utf8_lossy(&status.stderr)
    );
    let record = std::fs::read(out.join("trials/step-1/01/record.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
    record["client"]["max_rss_bytes"]
        .as_f64()
        .expect("memory was read")
        / f64::from(1 << 20)
}
