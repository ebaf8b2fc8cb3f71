//! Operations that fail, hang or are slow: how they are counted, and at what age.

use std::time::{Duration, Instant};

use mongodb::bson::{Document, doc};
use serde_json::{Value, json};

use crate::support::{Database, Docstone, FailPoint, Ran, database, docstone, fail_point, whole};

const FILE: &str = "
name: failures
data:
  c: {count: 0, document: {fields: {_id: {$sequence: {}}, n: 1}}}
operations:
  insert: {insert_one: {collection: c}}
load:
  - {name: s, closed: {concurrency: 4}, operations: 200}
";

/// Inserts into a database of its own, by clients that a fail point means.
struct Case {
    fail_point: FailPoint,
    database: Database,
}

impl Case {
    fn new(name: &'static str) -> Self {
        Self {
            database: database(name),
            fail_point: fail_point(name),
        }
    }

    fn set(&self, mode: Document, mut data: Document) {
        data.insert("failCommands", ["insert"].as_slice());
        self.fail_point.set(mode, data);
    }

    fn always(&self, mut data: Document) {
        data.insert("failCommands", ["insert"].as_slice());
        self.fail_point.set("alwaysOn", data);
    }

    fn run(&self, options: &str, changes: &[&str]) -> Docstone {
        let mut run = docstone(["run", "w.yaml", "--out", "out"])
            .file("w.yaml", FILE)
            .args(["--uri", &self.fail_point.uri(options)])
            .args(["--database", &self.database.name]);
        for change in changes {
            run = run.args(["--set", change]);
        }
        run
    }

    /// Documents that the server holds.
    fn stored(&self) -> u64 {
        self.database.onlooker().count("c")
    }
}

fn inserts(ran: &Ran) -> Value {
    ran.records().operation("s", "insert")
}

fn milliseconds(value: &Value) -> f64 {
    let nanoseconds = value.as_f64();
    nanoseconds.unwrap_or_else(|| panic!("no latency: {value}")) / 1e6
}

#[test]
fn when_every_operation_fails_nothing_is_ok_and_no_throughput_is_claimed() {
    let case = Case::new("every_operation_fails");
    case.always(doc! {"errorCode": 11601});
    let ran = case.run("", &[]).run().ended_with(11);
    let inserts = inserts(&ran);
    assert_eq!(inserts["ok"], 0);
    assert_eq!(inserts["errors"], 200);
    assert_eq!(inserts["errors_by_code"], json!({"11601": 200}));
    assert_eq!(inserts["throughput_ops_per_s"], Value::Null);
    assert_eq!(inserts["service_ns"]["count"], 0);
    assert_eq!(inserts["error_ns"]["count"], 200);
    let validity = &ran.records().trial("s")["validity"];
    assert_eq!(validity["verdict"], "failed", "{validity}");
    assert!(
        ran.stdout.contains("no throughput is claimed"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("code 11601"), "{}", ran.stdout);
    assert_eq!(case.stored(), 0);
}

#[test]
fn failed_operations_are_neither_counted_nor_timed_as_successes() {
    let case = Case::new("half_of_the_operations_fail");
    case.set(
        doc! {"activationProbability": 0.5},
        doc! {"errorCode": 11601},
    );
    let ran = case.run("", &[]).run().ended_with(0);
    let inserts = inserts(&ran);
    let (ok, errors) = (whole(&inserts["ok"]), whole(&inserts["errors"]));
    assert_eq!(ok + errors, 200);
    assert!(ok > 0 && errors > 0, "{ok} ok, {errors} errors");
    assert_eq!(inserts["service_ns"]["count"], ok);
    assert_eq!(inserts["error_ns"]["count"], errors);
    assert_eq!(case.stored(), ok);
    assert_eq!(ran.records().series_sum("s", "insert", "ok"), ok);
    assert_eq!(ran.records().series_sum("s", "insert", "errors"), errors);
}

#[test]
fn a_write_concern_that_is_not_satisfied_is_an_error_though_the_document_is_there() {
    let case = Case::new("write_concern_fails");
    let problem = doc! {"code": 64, "codeName": "WriteConcernFailed", "errmsg": "too few"};
    case.set(doc! {"times": 5}, doc! {"writeConcernError": problem});
    // Of several the server may pass the number by as many as are there at that moment.
    let one_worker = "load.0.closed.concurrency=1";
    let ran = case.run("", &[one_worker]).run().ended_with(0);
    let inserts = inserts(&ran);
    assert_eq!(inserts["errors_by_code"], json!({"64": 5}));
    assert_eq!(inserts["ok"], 195);
    assert_eq!(case.stored(), 200);
}

#[test]
fn an_operation_past_its_timeout_is_counted_at_its_age_and_its_connection_is_replaced() {
    let case = Case::new("operations_time_out");
    case.set(
        doc! {"times": 4},
        doc! {"blockConnection": true, "blockTimeMS": 2000},
    );
    let timeout = "operations.insert.timeout=300ms";
    let ran = case.run("", &[timeout]).run().ended_with(0);
    let inserts = inserts(&ran);
    let timeouts = whole(&inserts["timeouts"]);
    // A busy machine may let others pass their limit too.
    assert!(timeouts >= 4, "{inserts:#}");
    assert_eq!(inserts["errors"], timeouts);
    assert_eq!(inserts["errors_by_code"]["timeout"], timeouts);
    assert_eq!(inserts["ok"], 200 - timeouts);
    let ages = &inserts["error_ns"];
    assert_eq!(ages["count"], timeouts);
    assert!(milliseconds(&ages["min"]) >= 299.0, "{ages}");
    assert!(milliseconds(&ages["max"]) < 1900.0, "{ages}");
    let connections = ran.records().trial("s")["client"]["connections"].clone();
    assert!(whole(&connections["closed"]) >= 4, "{connections}");
    assert!(whole(&connections["opened"]) >= 5, "{connections}");
    assert_eq!(connections["failed"], 0);
}

#[test]
fn one_operation_of_fifteen_seconds_is_the_maximum_and_moves_no_other_figure() {
    let case = Case::new("one_slow_operation");
    case.set(
        doc! {"times": 1},
        doc! {"blockConnection": true, "blockTimeMS": 15_000},
    );
    let ran = case.run("", &[]).run().ended_with(0);
    let inserts = inserts(&ran);
    assert_eq!(inserts["ok"], 200);
    let service = &inserts["service_ns"];
    let (max, p90) = (milliseconds(&service["max"]), milliseconds(&service["p90"]));
    assert!((14_990.0..15_900.0).contains(&max), "{max} ms");
    assert!(p90 < 5_000.0, "{p90} ms");
    assert!(ran.stdout.contains("15."), "{}", ran.stdout);
}

#[test]
fn what_the_driver_repeats_is_counted_as_a_retry_and_not_as_an_error() {
    let case = Case::new("a_connection_breaks");
    case.set(doc! {"times": 1}, doc! {"closeConnection": true});
    let one_worker = "load.0.closed.concurrency=1";
    let ran = case
        .run("retryWrites=true", &[one_worker])
        .run()
        .ended_with(0);
    let inserts = inserts(&ran);
    assert_eq!(inserts["ok"], 200, "{inserts:#}");
    assert_eq!(inserts["errors"], 0);
    assert_eq!(inserts["retries"], 1);
    assert_eq!(case.stored(), 200);
    assert!(
        ran.stdout.contains("1 repeated by the client"),
        "{}",
        ran.stdout
    );
}

#[test]
fn without_retryable_writes_a_broken_connection_is_an_error() {
    let case = Case::new("a_connection_breaks_for_good");
    case.set(doc! {"times": 1}, doc! {"closeConnection": true});
    let one_worker = "load.0.closed.concurrency=1";
    let ran = case
        .run("retryWrites=false", &[one_worker])
        .run()
        .ended_with(0);
    let inserts = inserts(&ran);
    assert_eq!(inserts["ok"], 199, "{inserts:#}");
    assert_eq!(inserts["errors_by_code"], json!({"network": 1}));
    assert_eq!(inserts["retries"], 0);
    assert_eq!(case.stored(), 199);
    let connections = ran.records().trial("s")["client"]["connections"].clone();
    assert!(whole(&connections["opened"]) >= 2, "{connections}");
}

#[test]
fn a_deadline_ends_though_every_operation_hangs() {
    let case = Case::new("operations_hang");
    case.always(doc! {"blockConnection": true, "blockTimeMS": 15_000});
    let run = case
        .run("", &["load.0.duration=2s", "load.0.drain=1s"])
        .limit_s(30);
    let started = Instant::now();
    let ran = run.run().ended_with(11);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(9), "{took:?}");
    let inserts = inserts(&ran);
    assert_eq!(inserts["started"], 4);
    assert_eq!(inserts["in_flight_at_end"], 4);
    assert_eq!(inserts["censored"], 4);
    assert_eq!(inserts["ok"], 0);
    assert_eq!(inserts["errors"], 0);
    let service = &inserts["service_ns"];
    assert_eq!(service["count"], 4);
    assert!(milliseconds(&service["min"]) >= 2_500.0, "{service}");
    assert!(milliseconds(&service["max"]) < 8_000.0, "{service}");
    assert!(ran.stdout.contains(">="), "{}", ran.stdout);
    let rows = ran.records().series("s");
    let last = rows.last().expect("a row");
    assert_eq!(last["in_flight"], "4", "{last:?}");
    let verdict = &ran.records().trial("s")["validity"]["verdict"];
    assert_eq!(verdict, "no_samples");
}
