//! Open load against a real mongod: what a pause of the server and a rate that is too high look
//! like in the records.

use std::thread::sleep;
use std::time::Duration;

use docstone_mongo::private::ServerOptions;
use mongodb::bson::doc;
use serde_json::Value;

use crate::support::{
    FINDS, FailPoint, Ran, assert_adds_up, count, database, docstone, fail_point, first_core,
    shell, start,
};

fn file(steps: &str) -> String {
    format!("{FINDS}{steps}")
}

/// Runs steps on a database of the server that the fail point is for.
#[track_caller]
fn run_steps(point: &FailPoint, database: &str, steps: &str) -> Ran {
    docstone(["run", "w.yaml", "--out", "out", "--database", database])
        .file("w.yaml", file(steps))
        .args(["--uri", &point.uri("")])
        .run()
        .ended_with(0)
}

fn seconds(record: &Value, time: &str, value: &str) -> f64 {
    let ns = record[time][value].as_f64();
    ns.unwrap_or_else(|| panic!("no {time}.{value}: {record:#}")) / 1e9
}

#[test]
fn a_server_frozen_for_five_of_ten_seconds_stands_in_the_response_times() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let steps = "  - {name: s, open: {rate: 100/s, arrivals: uniform, max_in_flight: 16}, \
                 duration: 10s}\n";
    let mut run = docstone(["run", "w.yaml", "--out", "out"])
        .file("w.yaml", file(steps))
        .args(["--uri", server.uri().expose()])
        .start();
    run.wait_for_stderr(" 2s/");
    server.freeze(0).expect("a server that runs");
    sleep(Duration::from_secs(5));
    server.thaw(0).expect("a frozen server");
    let ran = run.wait().ended_with(0);
    let find = ran.records().operation("s", "find");
    assert_adds_up(&find, "find");
    assert_eq!(
        (count(&find, "intended"), count(&find, "ok")),
        (1_000, 1_000)
    );
    // Half of the arrivals met the pause, and waited for half of it in the mean.
    let p75_s = seconds(&find, "response_ns", "p75");
    assert!((1.5..8.0).contains(&p75_s), "p75 {p75_s} s");
    let max_s = seconds(&find, "response_ns", "max");
    assert!((4.0..11.0).contains(&max_s), "max {max_s} s");
    // The service times alone would hide it: no more than 16 operations were in flight.
    let p95_s = seconds(&find, "service_ns", "p95");
    assert!(p95_s < 1.0, "service p95 {p95_s} s");
    assert!(seconds(&find, "service_ns", "max") > 4.0);
    assert!(ran.stdout.contains("response"), "{}", ran.stdout);
    assert!(ran.stdout.contains("service"), "{}", ran.stdout);
}

#[test]
fn a_rate_that_the_server_does_not_reach_is_unsustained_with_offered_and_achieved() {
    let point = fail_point("open-unsustained");
    point.set(
        "alwaysOn",
        doc! {"failCommands": ["find"], "blockConnection": true, "blockTimeMS": 100},
    );
    let steps = "  - {name: s, open: {rate: 200/s, arrivals: uniform, max_in_flight: 4}, \
                 duration: 6s, drain: 1s}\n";
    let ran = run_steps(&point, "unsustained", steps);
    let trial = ran.records().trial("s");
    assert_eq!(trial["validity"]["verdict"], "unsustained", "{trial:#}");
    let reasons = trial["validity"]["reasons"].to_string();
    assert!(reasons.contains("200.0 that were due"), "{reasons}");
    let find = ran.records().operation("s", "find");
    assert_adds_up(&find, "find");
    assert_eq!(count(&find, "intended"), 1_200);
    assert!(count(&find, "backlog_at_end") > 500, "{find:#}");
    assert!(ran.stdout.contains("not valid"), "{}", ran.stdout);
    assert!(ran.stdout.contains(">="), "what waits is at least as old");
}

#[test]
fn a_stall_in_one_step_leaves_no_backlog_in_the_next() {
    let point = fail_point("open-stall");
    point.set(
        doc! {"times": 8},
        // Those of the load alone: the set-up looks for its own documents.
        doc! {
            "failCommands": ["find"], "namespace": "stall.c",
            "blockConnection": true, "blockTimeMS": 4_000,
        },
    );
    let steps = "  - {name: first, open: {rate: 50/s, arrivals: uniform, max_in_flight: 4}, \
                 duration: 2s, drain: 1s}\n  - {name: second, open: {rate: 20/s, arrivals: \
                 uniform, max_in_flight: 4}, duration: 3s}\n";
    let ran = run_steps(&point, "stall", steps);
    let first = ran.records().operation("first", "find");
    assert_adds_up(&first, "first");
    assert!(count(&first, "backlog_at_end") > 50, "{first:#}");
    assert_eq!(count(&first, "in_flight_at_end"), 4);
    let second = ran.records().operation("second", "find");
    assert_adds_up(&second, "second");
    assert_eq!(
        count(&second, "intended"),
        60,
        "no arrival of the first step"
    );
}

#[test]
fn what_finds_no_room_is_dropped_and_counted() {
    let point = fail_point("open-drop");
    point.set(
        "alwaysOn",
        doc! {"failCommands": ["find"], "blockConnection": true, "blockTimeMS": 200},
    );
    let steps = "  - {name: s, open: {rate: 50/s, max_in_flight: 2, when_full: drop}, \
                 duration: 4s}\n";
    let ran = run_steps(&point, "drop", steps);
    let find = ran.records().operation("s", "find");
    assert_adds_up(&find, "find");
    assert!(count(&find, "dropped") > 50, "{find:#}");
    assert_eq!(count(&find, "backlog_at_end"), 0);
    assert_eq!(
        ran.records().series_sum("s", "find", "dropped"),
        count(&find, "dropped")
    );
}

#[test]
fn half_an_operation_a_second_for_four_seconds_is_two_and_valid() {
    let steps = "  - {name: s, open: {rate: 0.5/s, arrivals: uniform}, duration: 4s}\n";
    let ran = run_steps(&fail_point("open-half"), "half", steps);
    let trial = ran.records().trial("s");
    assert_eq!(trial["validity"]["verdict"], "valid", "{trial:#}");
    let find = ran.records().operation("s", "find");
    assert_eq!((count(&find, "intended"), count(&find, "ok")), (2, 2));
    assert_eq!(trial["client"]["schedule_lag_ns"]["count"], 2);
    assert!(
        ran.stderr.contains("at most 64 operations in flight"),
        "{}",
        ran.stderr
    );
}

#[test]
fn threads_that_spin_are_recorded_and_are_not_taken_for_a_limit() {
    let steps = "  - {name: s, open: {rate: 50/s, arrivals: uniform, max_in_flight: 1}, \
                 duration: 4s}\n";
    let database = database("open_spin");
    let run = |out: &str, pacing: &[&str]| {
        docstone(["run", "w.yaml", "--out", out])
            .file("w.yaml", file(steps))
            .args(database.target())
            .args(pacing)
            .run()
            .ended_with(0)
    };
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        let _ = shell("exec $docstone run w.yaml --pacing spin --uri mongodb://127.0.0.1:1")
            .file("w.yaml", file(steps))
            .run()
            .ended_with(2);
        return;
    }
    // One worker, so that one thread spins.
    let ran = run("out", &["--pacing", "spin"]);
    let trial = ran.records().trial("s");
    let client = &trial["client"];
    assert_eq!(client["pacing"], "spin", "{client:#}");
    assert!(client["cpu_us_per_op"].is_null(), "{client:#}");
    assert_eq!(client["schedule_lag_ns"]["count"], 200, "{client:#}");
    let verdict = trial["validity"].to_string();
    for busy in ["of docstone used", "docstone used", "had work for"] {
        assert!(!verdict.contains(busy), "{verdict}");
    }
    assert!(ran.stdout.contains("pacing spin"), "{}", ran.stdout);
    assert!(ran.stderr.contains("1 load thread on"), "{}", ran.stderr);
    let ran = run("out", &[]);
    let client = &ran.records().trial("s")["client"];
    assert_eq!(client["pacing"], "timer", "{client:#}");
    assert!(client["cpu_us_per_op"].is_number(), "{client:#}");
}

#[test]
fn threads_that_would_spin_on_every_core_are_refused_before_anything_is_reached() {
    let steps = "  - {name: s, open: {rate: 50/s}, duration: 4s}\n";
    let one = shell(
        "exec taskset -c $CORE $docstone run w.yaml --out out --pacing spin \
         --uri mongodb://127.0.0.1:1/",
    );
    let ran = one
        .env("CORE", first_core())
        .file("w.yaml", file(steps))
        .run()
        .ended_with(2)
        .says("1 load thread would spin");
    assert!(!ran.path("out").exists());
    let _ = docstone(["run", "w.yaml", "--pacing", "spin", "--threads", "1000"])
        .args(["--uri", "mongodb://127.0.0.1:1/"])
        .file("w.yaml", file(steps))
        .run()
        .ended_with(2)
        .says("1,000 load threads would spin");
}
