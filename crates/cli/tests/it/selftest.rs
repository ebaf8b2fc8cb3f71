//! `docstone selftest`: what this machine can do as a load generator, without any server.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Docstone, docstone, orders};

/// A step of more than is possible and one of many workers, for a host that there is not.
fn much_and_wide() -> String {
    orders(
        "{uri: \"mongodb+srv://no-such-host.invalid/shop\", compressor: \"zstd:3\"}",
        "  - {name: much, open: {rate: 5_000_000/s}, duration: 1m}
  - {name: wide, closed: {concurrency: 300, think_time: 5s}, duration: 4m}\n",
    )
}

fn of_file(file: &str) -> Docstone {
    docstone([
        "selftest",
        "w.yaml",
        "--json",
        "--quiet",
        "--duration",
        "3s",
    ])
    .file("w.yaml", file)
}

/// What was printed, which is of the published format.
fn json(stdout: &str) -> Value {
    let found: Value =
        serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"));
    let schema = docstone(["schema", "selftest"]).run().ended_with(0).stdout;
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> = validator
        .iter_errors(&found)
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(!validator.is_valid(&serde_json::json!({"format": 1})));
    found
}

fn number(of: &Value, name: &str) -> f64 {
    let value = of[name].as_f64();
    value.unwrap_or_else(|| panic!("`{name}` is no number in {of}"))
}

fn assert_moves(rate: &Value) {
    assert!(number(rate, "rate_ops_per_s") > 0.0, "{rate}");
    assert!(number(rate, "cpu_us_per_op") > 0.0, "{rate}");
    assert!(number(rate, "operations") > 0.0, "{rate}");
    assert_eq!(rate["errors"], 0, "{rate}");
}

#[test]
fn the_machine_is_measured_without_a_file_and_without_a_server() {
    let arguments = ["selftest", "--json", "--quiet", "--duration", "2s"];
    let ran = docstone(arguments).run().ended_with(0);
    assert_eq!(ran.stderr, "");
    let found = json(&ran.stdout);
    assert_eq!(found["format"], "docstone.selftest/1");
    for lag in ["schedule_lag_ns", "sleep_lag_ns"] {
        let lag = &found["timer"][lag];
        let [p50, p99, max] = ["p50", "p99", "max"].map(|name| number(lag, name));
        assert!(number(lag, "count") > 0.0, "{lag}");
        assert!(p50 <= p99 && p99 <= max, "{lag}");
    }
    for path in ["engine", "driver"] {
        let rates = found[path].as_array().expect("a list");
        assert!(!rates.is_empty(), "{found}");
        rates.iter().for_each(assert_moves);
        let last = rates.last().expect("one");
        assert_eq!(last["threads"], found["threads"], "{found}");
    }
    let driver = &found["driver"][0];
    assert!(number(driver, "stub_cpu_us_per_op") > 0.0, "{driver}");
    assert!(found["engine"][0]["stub_cpu_us_per_op"].is_null());
    // The driver's cost is part of what is measured against the wire protocol, and only there.
    let cost = |path: &str| number(&found[path][0], "cpu_us_per_op");
    assert!(cost("driver") > cost("engine"), "{found}");
    assert!(
        !found["open"]["tried_ops_per_s"]
            .as_array()
            .expect("a list")
            .is_empty()
    );
    assert!(found["workload"].is_null());
}

#[test]
fn the_steps_of_a_file_have_their_headroom_and_no_host_is_looked_up() {
    let ran = of_file(&much_and_wide()).run().ended_with(0);
    let found = json(&ran.stdout);
    let steps = found["workload"]["steps"].as_array().expect("a list");
    let names: Vec<_> = steps.iter().map(|step| step["step"].as_str()).collect();
    assert_eq!(names, [Some("much"), Some("wide")]);
    let (much, wide) = (&steps[0], &steps[1]);
    assert_moves(&much["closed"]);
    assert_moves(&wide["closed"]);
    assert_eq!(much["asked_ops_per_s"].to_string(), "5000000.0");
    assert_eq!(much["verdict"], "not_enough", "{much}");
    // On a machine that is busy with other work, it may be that no rate was held.
    if let Some(possible) = much["open"]["rate_ops_per_s"].as_f64() {
        let headroom = number(much, "headroom");
        assert!((headroom - possible / 5_000_000.0).abs() < 1e-9, "{much}");
    } else {
        assert!(much["headroom"].is_null(), "{much}");
    }
    for absent in ["asked_ops_per_s", "open", "headroom", "verdict"] {
        assert!(wide[absent].is_null(), "{wide}");
    }
    assert_eq!(wide["closed"]["concurrency"], 256);
    let notes = found["notes"].to_string();
    for part in ["TLS", "256 workers, not 300"] {
        assert!(notes.contains(part), "no `{part}` in {notes}");
    }
    let needs = number(&found["workload"], "connections");
    assert!(needs > 300.0 && number(&found["workload"], "files") > needs);
}

#[test]
fn a_scenario_of_steps_is_tried_without_its_pauses_and_counted_by_iterations() {
    let file = "
name: steps
target: {uri: \"mongodb://no-such-host.invalid/shop\"}
data:
  c: {count: 10, document: {fields: {_id: {$uuid: {}}, n: 1}}}
  others: {existing: true}
operations:
  find: {find_one: {collection: c, filter: {_id: {$key: {}}}}}
  other: {find_one: {collection: others, filter: {}}}
  insert: {insert_one: {collection: c, document: {_id: {$uuid: {}}, of: {$captured: found}, by: {$captured: who}}}}
scenario:
  steps:
    - parallel: [{run: find, capture: {found: _id}}, {run: other, capture: {who: name.first}}]
    - {run: insert, think_time: {exponential: 10s}}
load:
  - {name: open, open: {rate: 0.5/s}, duration: 1m}
  - {name: closed, closed: {concurrency: 4}, iterations: 100}
";
    let ran = of_file(file).run().ended_with(0);
    let found = json(&ran.stdout);
    let steps = found["workload"]["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 2);
    for step in steps {
        assert_moves(&step["closed"]);
        // With the pauses, not one iteration would end.
        assert!(number(&step["closed"], "rate_ops_per_s") > 4.0, "{step}");
    }
    found["engine"]
        .as_array()
        .expect("a list")
        .iter()
        .for_each(assert_moves);
    assert_eq!(steps[0]["asked_ops_per_s"], 0.5);
    assert_eq!(steps[1]["closed"]["concurrency"], 4);
    let notes = found["notes"].to_string();
    assert!(notes.contains("whole iterations"), "{notes}");
}

#[test]
fn the_text_has_tables_and_no_escape_sequence() {
    let ran = docstone(["selftest", "--duration", "1s"])
        .run()
        .ended_with(0);
    for part in [
        "arrivals of open load",
        "CPU per op",
        "with driver and sockets",
    ] {
        assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains('\u{1b}') && ran.stderr.contains("timer"));
}

#[test]
fn mistakes_of_the_file_and_the_flags_end_with_2_and_name_the_cause() {
    let ran = of_file(&much_and_wide().replace("find_one", "find_won"))
        .run()
        .ended_with(2);
    assert!(ran.stderr.contains("find_won") && ran.stdout.is_empty());
    for (arguments, cause) in [
        (&["selftest", "--set", "seed=1"][..], "--set"),
        (&["selftest", "--duration", "10"], "10s"),
        (&["selftest", "--duration", "10ms"], "1s to 1h"),
        (&["selftest", "--threads", "0"], "--threads"),
    ] {
        let ran = docstone(arguments.iter().copied()).run().ended_with(2);
        assert!(ran.stderr.contains(cause), "{cause}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn a_signal_ends_it_at_once() {
    let mut running = docstone(["selftest", "--duration", "10m"]).start();
    running.wait_for_stderr("timer");
    let signalled = Instant::now();
    running.signal(Signal::INT);
    let ran = running.wait().ended_with(130);
    let took = signalled.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert_eq!(ran.stdout, "");
}
