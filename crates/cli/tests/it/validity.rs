//! What a run says of itself when the load generator, and not the server, is the limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mongodb::bson::doc;
use serde_json::Value;

use crate::support::{FINDS, database, docstone, fail_point, first_core, shell};

/// Keeps all cores busy until it is dropped.
struct BusyMachine {
    stop: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl BusyMachine {
    fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = |_| {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let threads = (0..cores).map(spin).collect();
        Self { stop, threads }
    }
}

impl Drop for BusyMachine {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().expect("a thread that spins");
        }
    }
}

#[test]
fn one_core_with_more_load_than_it_can_send_is_client_limited() {
    let database = database("client_limited");
    let load = "  - {name: s, open: {rate: 20000/s, max_in_flight: 64}, duration: 5s, drain: 1s}\n";
    let ran = shell("exec taskset -c \"$CORE\" \"$docstone\" run w.yaml --out out \"$@\"")
        .arg("docstone")
        .args(database.target())
        .env("CORE", first_core())
        .file("w.yaml", format!("{FINDS}{load}"))
        .run()
        .ended_with(0);
    let trial = ran.records().trial("s");
    assert_eq!(trial["validity"]["verdict"], "client_limited", "{trial:#}");
    let reasons = trial["validity"]["reasons"].to_string();
    assert!(
        reasons.contains("of docstone had work for") || reasons.contains("noticed late"),
        "{reasons}"
    );
    assert!(
        reasons.contains("that were due"),
        "what was not held is said too: {reasons}"
    );
    assert_eq!(trial["client"]["cores"], 1.0, "{}", trial["client"]);
    assert!(
        ran.stdout
            .contains("not valid: the load generator was the limit"),
        "{}",
        ran.stdout
    );
    let warnings = trial["validity"]["warnings"].to_string();
    assert!(warnings.contains("colocated"), "{warnings}");
    assert!(
        ran.stdout
            .contains("warning: the target runs on this machine")
    );
}

#[test]
fn a_modest_rate_on_a_busy_machine_is_valid() {
    let point = fail_point("validity-modest");
    point.set(
        "alwaysOn",
        doc! {"failCommands": ["find"], "blockConnection": true, "blockTimeMS": 100},
    );
    let busy = BusyMachine::start();
    let load = "  - {name: s, open: {rate: 20/s, arrivals: uniform}, duration: 5s}\n";
    let ran = docstone([
        "run",
        "w.yaml",
        "--out",
        "out",
        "--database",
        "validity_modest",
    ])
    .file("w.yaml", format!("{FINDS}{load}"))
    .args(["--uri", &point.uri("")])
    .run()
    .ended_with(0);
    drop(busy);
    let trial = ran.records().trial("s");
    assert_eq!(trial["validity"]["verdict"], "valid", "{trial:#}");
    assert_eq!(trial["validity"]["reasons"], serde_json::json!([]));
    // That the machine was busy, and that the server is on it, is said all the same.
    let warnings = trial["validity"]["warnings"].to_string();
    assert!(warnings.contains("colocated"), "{warnings}");
    let busy = trial["client"]["host_cpu_share"].as_f64();
    assert!(busy.is_some_and(|share| share > 0.5), "{}", trial["client"]);
}

#[test]
fn a_long_step_says_how_precise_and_how_steady_it_was_and_compares_nothing() {
    let database = database("precision");
    let load = "  - {name: s, closed: {concurrency: 2}, duration: 26s}\n";
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .file("w.yaml", format!("{FINDS}{load}"))
        .args(database.target())
        .limit_s(120)
        .run()
        .ended_with(0);
    let trial = ran.records().trial("s");
    let of = |path: &str| {
        let value = trial.pointer(path).and_then(Value::as_f64);
        value.unwrap_or_else(|| panic!("no {path}: {trial:#}"))
    };
    for name in ["throughput_ops_per_s", "operations/find/mean_ns"] {
        // A machine whose load changes on the way leaves too few independent seconds for one.
        if trial
            .pointer(&format!("/precision/{name}"))
            .is_some_and(Value::is_null)
        {
            continue;
        }
        let at = |bound: &str| of(&format!("/precision/{name}/{bound}"));
        assert!(
            at("low") <= at("mean") && at("mean") <= at("high"),
            "{name}"
        );
    }
    let p50 = of("/operations/find/service_ns/p50");
    assert!(of("/precision/operations/find/p50_ns/low") <= p50);
    assert!(of("/precision/operations/find/p50_ns/high") >= p50);
    assert!(of("/steadiness/judged_s") >= 25.0);
    assert!(
        trial["steadiness"]["throughput_ops_per_s"].is_object(),
        "{trial:#}"
    );
    let judged = trial["steadiness"]["median_ns"]["find"].is_object();
    assert!(
        judged || trial["steadiness"]["not_judged"].is_string(),
        "{trial:#}"
    );
    assert!(
        ran.stdout.contains("no basis for a comparison"),
        "{}",
        ran.stdout
    );
    let run = std::fs::read_to_string(ran.path("out/record.json")).expect("a record");
    let run: Value = serde_json::from_str(&run).expect("JSON");
    assert_eq!(run["verdicts"], serde_json::json!([]));
}
