//! Time from the start of the process to its first operations: a run of eight finds by eight
//! workers, the writing of its records included, on a running server without TLS or
//! authentication.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::process::Command;
use std::time::Instant;

use docstone_benchmarks::{argument, docstone, median, server};

const LIMIT_MS: f64 = 300.0;

fn main() {
    let rounds = argument(11);
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("start.yaml");
    let text = "name: start
data: {perf: {count: 0}}
operations: {find: {find_one: {collection: perf, filter: {_id: 1}}}}
load: [{closed: {concurrency: 8}, operations: 8}]
";
    std::fs::write(&file, text).expect("the file is written");
    let mut times_ms = Vec::new();
    for round in 0..rounds {
        let start = Instant::now();
        let output = Command::new(docstone())
            .args(["run".as_ref(), file.as_os_str(), "--quiet".as_ref()])
            .args(["--uri", server.uri().expose(), "--out"])
            .arg(folder.path().join(format!("{round}")))
            .output()
            .expect("docstone runs");
        times_ms.push(start.elapsed().as_secs_f64() * 1e3);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    times_ms.sort_by(f64::total_cmp);
    let middle_ms = median(&times_ms);
    println!(
        "start, eight finds, end: {:.0} / {middle_ms:.0} / {:.0} ms (minimum, median, maximum of \
         {rounds}), limit {LIMIT_MS} ms from start to first operation",
        times_ms[0],
        times_ms[times_ms.len() - 1]
    );
    println!("ratio: {:.2}", middle_ms / LIMIT_MS);
}
