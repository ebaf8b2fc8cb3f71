//! Scenarios of steps against a real mongod: what overlaps, what is captured, and what is counted.

use mongodb::bson::doc;
use serde_json::Value;

use crate::support::{assert_adds_up, count, database, docstone, fail_point, onlooker, server};

const DATA: &str = "
name: steps
data:
  c: {count: 100, document: {fields: {_id: {$uuid: {}}, n: 0}}}
operations:
  find: {find_one: {collection: c, filter: {_id: {$key: {}}}}}
  insert: {insert_one: {collection: c, document: {_id: {$uuid: {}}, n: 1, of: {$captured: found}}}}
  replace: {replace_one: {collection: c, filter: {_id: {$captured: made}}, document: {n: 2, of: {$captured: found}}}}
";

/// The iterations of the only group of a step.
fn iterations(trial: &Value) -> Value {
    trial["groups"]["main"]["iterations"].clone()
}

#[test]
fn what_steps_capture_is_what_later_steps_use_and_all_counts_agree() {
    let database = database("steps_capture");
    let file = format!(
        "{DATA}scenario:
  steps:
    - {{run: find, capture: {{found: _id}}}}
    - {{run: insert, capture: {{made: _id}}}}
    - {{parallel: [replace, {{run: find, name: again}}]}}
load:
  - {{name: s, closed: {{concurrency: 6}}, iterations: 300}}
"
    );
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", file)
        .run()
        .ended_with(0);
    let records = ran.records();
    let trial = records.trial("s");
    for step in ["find", "insert", "replace", "again"] {
        let of = records.operation("s", step);
        assert_adds_up(&of, step);
        assert_eq!(count(&of, "ok"), 300, "{step}: {of:#}");
        assert_eq!(records.series_sum("s", step, "ok"), 300, "{step}");
    }
    let iterations = iterations(&trial);
    assert_adds_up(&iterations, "iterations");
    assert_eq!(
        (count(&iterations, "ok"), count(&iterations, "documents")),
        (300, 1_200)
    );
    assert_eq!(records.series_sum("s", "iterations", "ok"), 300);
    assert!(iterations["response_ns"].is_null());
    // Two at once for each worker.
    assert_eq!(trial["client"]["connections"]["opened"], 12);
    // Each replacement found the document of its own iteration, and each refers to a loaded one.
    let onlooker = database.onlooker();
    assert_eq!(onlooker.count("c"), 400);
    assert_eq!(
        onlooker.count_where("c", doc! {"n": 2, "of": {"$type": "binData"}}),
        300
    );
    assert_eq!(onlooker.count_where("c", doc! {"n": 1}), 0);
    assert!(ran.stdout.contains("iterations"), "{}", ran.stdout);
}

#[test]
fn steps_in_parallel_overlap_and_steps_in_sequence_do_not() {
    let point = fail_point("steps-overlap");
    let slow = doc! {"failCommands": ["find"], "blockConnection": true, "blockTimeMS": 1_000};
    let p50_s = |name: &str, steps: &str| {
        let file = format!(
            "name: overlap
data: {{c: {{existing: true}}}}
operations:
  find: {{find_one: {{collection: c, filter: {{}}}}}}
  other: {{find_one: {{collection: c, filter: {{}}}}}}
scenario: {{steps: {steps}}}
load:
  - {{name: s, closed: {{concurrency: 1}}, iterations: 3}}
"
        );
        let ran = docstone(["run", "w.yaml", "--out", name])
            .args(["--uri", &point.uri(""), "--database", "steps_overlap"])
            .file("w.yaml", file)
            .run()
            .ended_with(0);
        let record = std::fs::read(ran.path(&format!("{name}/trials/s/01/record.json")));
        let trial: Value = serde_json::from_slice(&record.expect("a record")).expect("JSON");
        let iterations = iterations(&trial);
        assert_eq!(count(&iterations, "started"), 3, "{iterations:#}");
        iterations["service_ns"]["p50"].as_f64().expect("a median") / 1e9
    };
    let onlooker = onlooker(server().uri().expose(), "steps_overlap");
    onlooker.insert("c", vec![doc! {"_id": 1}]);
    point.set("alwaysOn", slow);
    let parallel_s = p50_s("parallel", "[{parallel: [find, other]}]");
    let sequence_s = p50_s("sequence", "[find, other]");
    assert!((1.0..1.9).contains(&parallel_s), "{parallel_s} s");
    assert!(sequence_s >= 2.0, "{sequence_s} s");
}
