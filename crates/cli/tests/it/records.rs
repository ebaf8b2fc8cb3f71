//! The folder that a run leaves behind: one run with two groups, hits, misses and failures, read
//! file by file as a stranger would.

mod fields;
mod latency_log;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::{Ran, Records, Row, assert_adds_up, count, database, docstone, file_names};

/// JSON, which is what schemas are checked against. `again` always fails: its `_id` is taken.
const FILE: &str = r#"{
  "name": "whole",
  "data": {"notes": {
    "count": 200,
    "indexes": [{"keys": {"g": 1}}],
    "document": {"fields": {
      "_id": {"$sequence": {}}, "g": {"$int": {"min": 0, "max": 19}}, "at": {"$now": {}}
    }}
  }},
  "operations": {
    "find": {"find_one": {"collection": "notes", "filter": {"_id": {"$int": {"min": 0, "max": 249}}}}},
    "insert": {"insert_one": {"collection": "notes", "document": {"_id": {"$uuid": {}}}}},
    "again": {"insert_one": {"collection": "notes", "document": {"_id": {"$int": {"min": 0, "max": 199}}}}}
  },
  "groups": {
    "readers": {
      "scenario": {"mix": {"find": 1}},
      "load": [
        {"name": "warm", "warmup": true, "closed": {"concurrency": 2}, "duration": "300ms"},
        {"name": "steady", "closed": {"concurrency": 4}, "duration": "2300ms"},
        {"name": "exact", "closed": {"concurrency": 4}, "operations": 300}
      ]
    },
    "writers": {
      "scenario": {"mix": {"insert": 3, "again": 1}},
      "load": [
        {"name": "warm", "warmup": true, "closed": {"concurrency": 1}, "duration": "300ms"},
        {"name": "steady", "closed": {"concurrency": 2}, "duration": "2300ms"},
        {"name": "exact", "closed": {"concurrency": 3}, "operations": 200}
      ]
    }
  }
}"#;

const CELLS: [&str; 2] = ["steady", "exact"];

/// The one run that most tests here read.
static RUN: LazyLock<Ran> = LazyLock::new(|| {
    docstone(["run", "w.json", "--out", "out"])
        .args(database("records").target())
        .file("w.json", FILE)
        .run()
        .ended_with(0)
});

/// Each group's operations in a trial, and their merged form under the group `None`.
fn parts(trial: &Value) -> Vec<(Option<String>, String, Value)> {
    let mut parts = Vec::new();
    let mut add = |group: Option<&String>, operations: &Value| {
        for (name, part) in operations.as_object().expect("operations") {
            parts.push((group.cloned(), name.clone(), part.clone()));
        }
    };
    for (group, of) in trial["groups"].as_object().expect("groups") {
        add(Some(group), &of["operations"]);
    }
    add(None, &trial["operations"]);
    parts
}

#[test]
fn the_folder_holds_the_published_files_and_no_others() {
    let files = file_names(&RUN.path("out"));
    let mut expected = ["plan.json", "record.json"].map(str::to_owned).to_vec();
    for cell in CELLS {
        for file in ["record.json", "latency.hlog", "series.csv", "log.txt"] {
            expected.push(format!("trials/{cell}/01/{file}"));
        }
    }
    expected.sort();
    assert_eq!(files, expected);
    let trials = RUN.records().run["trials"].clone();
    for (at, cell) in CELLS.iter().enumerate() {
        assert_eq!(trials[at]["cell"], *cell);
        assert_eq!(trials[at]["n"], 1);
        assert_eq!(trials[at]["path"], format!("trials/{cell}/01"));
    }
}

#[test]
fn the_files_fit_the_schemas_that_docstone_prints() {
    let records = RUN.records();
    let file: Value = serde_json::from_str(FILE).expect("JSON");
    let mut cases = vec![
        ("workload", file),
        ("plan", records.plan()),
        ("run", records.run.clone()),
    ];
    cases.extend(CELLS.map(|cell| ("trial", records.trial(cell))));
    for (name, value) in cases {
        let schema = docstone(["schema", name]).run().ended_with(0).stdout;
        let schema: Value = serde_json::from_str(&schema).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let faults: Vec<String> = validator
            .iter_errors(&value)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{name}: {faults:#?}");
        // A schema that takes anything would not have noticed.
        assert!(
            !validator.is_valid(&serde_json::json!({"format": 1})),
            "{name}"
        );
    }
}

#[test]
fn every_operation_that_was_intended_is_accounted_for() {
    let records = RUN.records();
    for cell in CELLS {
        let trial = records.trial(cell);
        let mut merged: BTreeMap<(String, &str), u64> = BTreeMap::new();
        for (group, name, part) in parts(&trial) {
            let n = |name| count(&part, name);
            let shown = format!("{cell} {group:?} {name}: {part}");
            assert_adds_up(&part, &format!("{cell} {group:?} {name}"));
            assert_eq!(n("intended"), n("started"), "closed load: {shown}");
            assert!(n("timeouts") <= n("errors"), "{shown}");
            let by_code = part["errors_by_code"].as_object().expect("a map");
            let by_code: u64 = by_code.values().map(|n| n.as_u64().expect("a count")).sum();
            assert_eq!(by_code, n("errors"), "{shown}");
            let service = count(&part["service_ns"], "count");
            assert_eq!(service, n("ok") + n("not_found"), "{shown}");
            assert_eq!(count(&part["error_ns"], "count"), n("errors"), "{shown}");
            for counter in ["intended", "ok", "not_found", "errors", "documents"] {
                let sum = merged.entry((name.clone(), counter)).or_default();
                if group.is_some() {
                    *sum += n(counter);
                } else {
                    assert_eq!(*sum, n(counter), "{shown}");
                }
            }
        }
    }
    let again = records.operation("exact", "again");
    assert_eq!(count(&again, "ok"), 0);
    assert_eq!(again["errors_by_code"]["11000"], again["errors"]);
    assert!(count(&again, "errors") > 10);
    assert!(again["throughput_ops_per_s"].is_null() || again["throughput_ops_per_s"] == 0.0);
    assert!(count(&records.operation("exact", "find"), "not_found") > 10);
}

/// The rows that belong to a step: what follows its own first row.
fn rows_of(records: &Records, cell: &str) -> Vec<Row> {
    let rows = records.series(cell);
    let first = rows.iter().position(|row| row["phase"] == cell);
    rows[first.expect("rows of the step")..].to_vec()
}

#[test]
fn the_rows_of_series_csv_add_up_to_the_record() {
    let records = RUN.records();
    for cell in CELLS {
        let path = records.trial_folder(cell).join("series.csv");
        let text = std::fs::read_to_string(path).expect("series.csv");
        assert_eq!(
            text.lines().next(),
            Some(
                "t_s,phase,group,operation,intended,started,ok,not_found,errors,timeouts,dropped,\
                 in_flight,backlog,service_p50_ns,service_p90_ns,service_p99_ns,service_p99_9_ns,\
                 service_max_ns,response_p50_ns,response_p90_ns,response_p99_ns,\
                 response_p99_9_ns,response_max_ns,schedule_lag_p99_ns"
            )
        );
        let rows = rows_of(&records, cell);
        for (group, name, part) in parts(&records.trial(cell)) {
            let Some(group) = group else { continue };
            let of: Vec<_> = rows
                .iter()
                .filter(|row| row["group"] == group && row["operation"] == name)
                .collect();
            assert!(!of.is_empty(), "{cell} {group} {name}");
            for column in [
                "intended",
                "started",
                "ok",
                "not_found",
                "errors",
                "timeouts",
                "dropped",
            ] {
                let cells = of
                    .iter()
                    .map(|row| row[column].parse::<u64>().expect("a count"));
                assert_eq!(
                    cells.sum::<u64>(),
                    count(&part, column),
                    "{group} {name} {column}"
                );
            }
            let mut in_flight = 0;
            for row in of {
                let n = |column: &str| row[column].parse::<i64>().expect("a count");
                in_flight += n("started") - n("ok") - n("not_found") - n("errors");
                assert_eq!(in_flight, n("in_flight"), "{row:?}");
                let ended = n("ok") + n("not_found");
                assert_eq!(row["service_max_ns"].is_empty(), ended == 0, "{row:?}");
                assert_eq!(row["response_max_ns"], "", "{row:?}");
            }
        }
    }
}

#[test]
fn a_step_of_two_seconds_has_a_row_for_each_second() {
    let rows = rows_of(&RUN.records(), "steady");
    let seconds: Vec<_> = rows
        .iter()
        .filter(|row| row["operation"] == "find" && row["phase"] == "steady")
        .map(|row| row["t_s"].clone())
        .collect();
    assert_eq!(&seconds[..2], ["1", "2"]);
    assert_eq!(seconds.len(), 3, "the last one is short: {seconds:?}");
}

#[test]
fn throughput_is_what_completed_within_the_window() {
    let records = RUN.records();
    let trial = records.trial("steady");
    let window_s = trial["window_s"].as_f64().expect("seconds");
    assert!((2.3..4.0).contains(&window_s), "{window_s}");
    let find = &trial["operations"]["find"];
    let rate = find["throughput_ops_per_s"].as_f64().expect("a rate");
    let ended = count(find, "ok") + count(find, "not_found");
    // At most the workers' last operations end behind the window.
    let most = ended as f64 / window_s;
    let least = (ended - 4) as f64 / window_s;
    assert!(
        (least - 0.01..=most + 0.01).contains(&rate),
        "{least} {rate} {most}"
    );
}
