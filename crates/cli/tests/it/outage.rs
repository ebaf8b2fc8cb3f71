//! Servers that are killed, frozen or replaced in the middle of a run.

use std::thread::sleep;
use std::time::{Duration, Instant};

use docstone_mongo::private::{PrivateServer, ServerOptions};
use mongodb::bson::doc;
use serde_json::Value;

use crate::support::{Docstone, Ran, docstone, onlooker, start, uri_with, whole};

const FILE: &str = "
name: outage
data:
  c: {count: 0, document: {fields: {_id: {$sequence: {}}, n: 1}}}
operations:
  insert: {insert_one: {collection: c}}
load:
  - {name: s, closed: {concurrency: 4}, duration: 14s}
";

/// From here on there is a record of a load that goes on.
const TWO_SECONDS: &str = " 2s/";

fn own_server(members: u32) -> PrivateServer {
    start(&ServerOptions {
        members,
        cache_gb: Some(0.25),
        fast_elections: members > 1,
        ..ServerOptions::default()
    })
}

fn run(server: &PrivateServer, options: &str) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out", "--database", "outage"])
        .file("w.yaml", FILE)
        .args(["--uri", &uri_with(server, options)])
}

fn stored(server: &PrivateServer) -> u64 {
    onlooker(server.uri().expose(), "outage").count("c")
}

/// The trial's longest outage: on a busy machine, a server that has come back may stand still once
/// more for a second.
#[track_caller]
fn longest_outage(trial: &Value) -> &Value {
    let outages = trial["outages"].as_array().expect("a list");
    let length_s = |outage: &&Value| {
        let (from_s, to_s) = span_s(outage);
        to_s - from_s
    };
    let longest = outages
        .iter()
        .max_by(|a, b| length_s(a).total_cmp(&length_s(b)));
    longest.unwrap_or_else(|| panic!("no outage: {trial:#}"))
}

/// From and to, in seconds.
fn span_s(outage: &Value) -> (f64, f64) {
    let seconds = |end: &str| outage[end].as_f64().expect("a time") / 1e9;
    (seconds("from_ns"), seconds("to_ns"))
}

#[track_caller]
fn outage_s(trial: &Value) -> (f64, f64) {
    span_s(longest_outage(trial))
}

fn has_event(trial: &Value, kind: &str) -> bool {
    let events = trial["events"].as_array().expect("a list");
    events.iter().any(|event| event["kind"] == kind)
}

/// Successes in the seconds that began after a time.
fn successes_after(ran: &Ran, from_s: f64) -> u64 {
    let rows = ran.records().series("s");
    let after = rows.iter().filter(|row| {
        let end_s: f64 = row["t_s"].parse().expect("a time");
        row["phase"] == "s" && end_s >= from_s + 1.0
    });
    after
        .map(|row| row["ok"].parse::<u64>().expect("a count"))
        .sum()
}

/// The server dies with SIGKILL for three seconds in the middle of a run.
fn killed_for_three_seconds(options: &str) -> (Ran, u64) {
    let mut server = own_server(1);
    let started = Instant::now();
    let mut run = run(&server, options).start();
    run.wait_for_stderr(TWO_SECONDS);
    server.kill(0).expect("a server that runs");
    sleep(Duration::from_secs(3));
    server.restart(0).expect("a server that starts again");
    let ran = run.wait().ended_with(0);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(35), "{took:?}");

    let trial = ran.records().trial("s");
    assert_eq!(trial["status"], "complete");
    assert_eq!(trial["window_s"], 14.0);
    let (from_s, to_s) = outage_s(&trial);
    assert!((1.0..10.0).contains(&from_s), "from {from_s} s");
    assert!(to_s - from_s >= 2.5, "from {from_s} s to {to_s} s");
    assert!(
        successes_after(&ran, to_s) > 0,
        "the workers did not survive"
    );
    assert!(has_event(&trial, "outage"), "{}", trial["events"]);
    assert!(has_event(&trial, "primary_lost"), "{}", trial["events"]);
    assert!(has_event(&trial, "primary_found"), "{}", trial["events"]);
    assert!(ran.stderr.contains("since"), "{}", ran.stderr);
    assert!(ran.stderr.contains("outage from"), "{}", ran.stderr);
    assert!(ran.stdout.contains("outage from"), "{}", ran.stdout);
    (ran, stored(&server))
}

#[test]
fn an_outage_that_retries_hide_is_named() {
    let (ran, stored) = killed_for_three_seconds("retryWrites=true");
    let insert = ran.records().operation("s", "insert");
    let (ok, errors) = (whole(&insert["ok"]), whole(&insert["errors"]));
    assert!(whole(&insert["retries"]) >= 1, "{insert:#}");
    assert!(
        (ok..=ok + errors).contains(&stored),
        "{stored} stored: {insert:#}"
    );
    assert!(ran.stdout.contains("hid it"), "{}", ran.stdout);
    let max_s = insert["service_ns"]["max"].as_f64().expect("a latency") / 1e9;
    assert!(
        max_s >= 2.5,
        "the hidden wait is the maximum, not {max_s} s"
    );
}

#[test]
fn without_retries_an_outage_is_counted_by_second_and_code() {
    let (ran, stored) = killed_for_three_seconds("retryWrites=false");
    let records = ran.records();
    let insert = records.operation("s", "insert");
    let (ok, errors) = (whole(&insert["ok"]), whole(&insert["errors"]));
    assert_eq!(insert["retries"], 0);
    assert!(errors >= 1, "{insert:#}");
    assert!(
        whole(&insert["errors_by_code"]["network"]) >= 1,
        "{insert:#}"
    );
    let by_code = insert["errors_by_code"].as_object().expect("a map");
    assert_eq!(by_code.values().map(whole).sum::<u64>(), errors);
    assert_eq!(records.series_sum("s", "insert", "errors"), errors);
    let outage_errors = whole(&longest_outage(&records.trial("s"))["errors"]);
    assert!((1..=errors).contains(&outage_errors), "{outage_errors}");
    assert!(
        (ok..=ok + errors).contains(&stored),
        "{stored} stored: {insert:#}"
    );
}

#[test]
fn a_server_frozen_for_five_seconds_is_the_maximum_and_nothing_is_lost() {
    let server = own_server(1);
    let mut run = run(&server, "retryWrites=true").start();
    run.wait_for_stderr(TWO_SECONDS);
    server.freeze(0).expect("a server that runs");
    sleep(Duration::from_secs(5));
    server.thaw(0).expect("a frozen server");
    let ran = run.wait().ended_with(0);
    let insert = ran.records().operation("s", "insert");
    let max_s = insert["service_ns"]["max"].as_f64().expect("a latency") / 1e9;
    assert!((4.5..11.0).contains(&max_s), "{max_s} s");
    assert_eq!(insert["errors"], 0, "{insert:#}");
    assert_eq!(insert["in_flight_at_end"], 0);
    assert_eq!(whole(&insert["ok"]), stored(&server));
    assert_eq!(insert["started"], insert["ok"]);
    let (from_s, to_s) = outage_s(&ran.records().trial("s"));
    assert!(to_s - from_s >= 4.5, "from {from_s} s to {to_s} s");
}

#[test]
fn operations_go_on_after_a_freeze_of_many_timeouts() {
    let server = own_server(1);
    let mut run = run(&server, "retryWrites=true")
        .args(["--set", "load.0.closed.concurrency=64"])
        .args(["--set", "operations.insert.timeout=250ms"])
        .args(["--set", "load.0.duration=12s"])
        .start();
    run.wait_for_stderr(TWO_SECONDS);
    server.freeze(0).expect("a server that runs");
    // A timeout of all workers every 250 ms.
    sleep(Duration::from_secs(4));
    server.thaw(0).expect("a frozen server");
    let ran = run.wait().ended_with(0);
    let insert = ran.records().operation("s", "insert");
    assert!(whole(&insert["timeouts"]) >= 64 * 8, "{insert:#}");
    let (from_s, to_s) = outage_s(&ran.records().trial("s"));
    assert!(to_s < 11.0, "the outage lasted from {from_s} s to {to_s} s");
    let after = successes_after(&ran, to_s);
    assert!(after > 0, "the workers did not survive");
    let (ok, errors) = (whole(&insert["ok"]), whole(&insert["errors"]));
    assert!((ok..=ok + errors).contains(&stored(&server)), "{insert:#}");
}

#[test]
fn workers_survive_that_another_member_becomes_primary() {
    let server = own_server(3);
    let mut run = run(&server, "retryWrites=true").start();
    run.wait_for_stderr(TWO_SECONDS);
    let before = server.primary().expect("a primary");
    let step_down = doc! {"replSetStepDown": 20, "secondaryCatchUpPeriodSecs": 10};
    let _ = onlooker(server.uri().expose(), "admin").admin(step_down);
    let ran = run.wait().ended_with(0);
    assert_ne!(server.primary().expect("a primary"), before);
    let trial = ran.records().trial("s");
    assert_eq!(trial["status"], "complete");
    assert!(has_event(&trial, "primary_lost"), "{}", trial["events"]);
    assert!(has_event(&trial, "primary_found"), "{}", trial["events"]);
    let changed_s = trial["events"][0]["t_s"].as_f64().expect("a time");
    assert!(
        successes_after(&ran, changed_s + 1.0) > 0,
        "the workers did not survive"
    );
    let insert = ran.records().operation("s", "insert");
    let (ok, errors) = (whole(&insert["ok"]), whole(&insert["errors"]));
    let stored = stored(&server);
    assert!(
        (ok..=ok + errors).contains(&stored),
        "{stored} stored: {insert:#}"
    );
}

#[test]
fn a_server_that_is_gone_for_good_does_not_hold_up_the_end() {
    let mut server = own_server(1);
    let mut run = run(&server, "retryWrites=true")
        .args(["--set", "load.0.duration=4s", "--set", "load.0.drain=1s"])
        .start();
    run.wait_for_stderr(TWO_SECONDS);
    server.kill(0).expect("a server that runs");
    let killed = Instant::now();
    let ran = run.wait().ended_with(0);
    let took = killed.elapsed();
    assert!(took < Duration::from_secs(12), "{took:?}");
    let trial = ran.records().trial("s");
    assert_eq!(trial["status"], "complete");
    assert_eq!(
        trial["server"]["version"], "6.0.5",
        "what was known before stays"
    );
    let insert = &trial["operations"]["insert"];
    assert!(whole(&insert["ok"]) > 0, "{insert:#}");
    assert_eq!(insert["in_flight_at_end"], 4, "{insert:#}");
    let (from_s, to_s) = outage_s(&trial);
    assert!(to_s - from_s >= 1.5, "from {from_s} s to {to_s} s");
}
