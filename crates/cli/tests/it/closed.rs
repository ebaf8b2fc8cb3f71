//! Closed load against a real mongod: workers that come, go and pause, and drawn think times.

use crate::support::{Ran, assert_adds_up, database, docstone};

const FILE: &str = "
name: closed
data:
  c: {count: 100, document: {fields: {_id: {$sequence: {}}, n: 1}}}
operations:
  find: {find_one: {collection: c, filter: {_id: {$key: {}}}}}
load:
";

/// Runs steps on a database of the test's own.
#[track_caller]
fn run_steps(test: &str, steps: &str) -> Ran {
    docstone(["run", "w.yaml", "--out", "out"])
        .args(database(test).target())
        .file("w.yaml", format!("{FILE}{steps}"))
        .run()
        .ended_with(0)
}

#[test]
fn workers_rise_pause_and_come_again_and_the_record_shows_it() {
    let ran = run_steps(
        "closed_stages",
        "  - name: s
    closed:
      stages:
        - {duration: 2s, concurrency: {from: 0, to: 4}}
        - {duration: 3s, concurrency: 0}
        - {duration: 1s, concurrency: 2}
      think_time: 10ms
",
    );
    let records = ran.records();
    let find = records.operation("s", "find");
    assert_adds_up(&find, "find");
    assert_eq!(find["errors"], 0, "{find:#}");
    let trial = records.trial("s");
    assert_eq!(trial["window_s"], 6.0);
    let closed = &trial["load"]["loads"][0]["model"]["closed"];
    assert_eq!(closed["concurrency"], 4, "{closed:#}");
    assert_eq!(closed["stages"].as_array().map(Vec::len), Some(3));
    assert_eq!(trial["client"]["connections"]["opened"], 4);
    let series = records.series("s");
    let of = |row: usize, column: &str| series[row][column].parse::<u64>().expect("a count");
    // The third second may have an operation that the workers were late with.
    assert_eq!(of(3, "started") + of(4, "started"), 0, "{series:#?}");
    assert!(of(1, "started") > 0 && of(5, "started") > 0, "{series:#?}");
    let shown = "at most 4 workers";
    assert!(ran.stdout.contains(shown), "{}", ran.stdout);
    let words = "0 to 4 for 2s, a pause for 3s, 2 for 1s";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);
}

#[test]
fn drawn_think_times_keep_an_exact_number_and_lower_the_rate() {
    let ran = run_steps(
        "closed_think_time",
        "  - {name: s, closed: {concurrency: 4, think_time: {exponential: 50ms}}, operations: 100}\n",
    );
    let records = ran.records();
    let find = records.operation("s", "find");
    assert_eq!(find["ok"], 100, "{find:#}");
    // A hundred pauses of 50 ms in the mean, shared by four workers, are 1.25 s.
    let window_s = records.trial("s")["window_s"].as_f64().expect("seconds");
    assert!(window_s > 0.6, "{window_s}");
}
