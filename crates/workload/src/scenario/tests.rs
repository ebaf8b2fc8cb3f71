//! Tests of `scenario`, and of what a stream draws for its steps.

use std::sync::Arc;

use bson::{Bson, rawdoc};
use docstone_model::Plan;
use serde_json::{Value, json};

use super::{Action, Scenario, Step};
use crate::sample::{decoded, find, insert, plan, workload};
use crate::{Facts, Fault, Stream, Workload};

/// A plan with a find, a replace by what was found, and an insert that refers to it.
fn captured(steps: &Value) -> Plan {
    let mut plan = plan(
        &[("c", 100, json!({"_id": {"$uuid": {}}}))],
        &[
            ("find", "c", find(&json!({"_id": {"$key": {}}}))),
            (
                "replace",
                "c",
                json!({"replace_one": {"filter": {"_id": {"$captured": "id"}},
                    "document": {"n": {"$int": {}}}, "upsert": false}}),
            ),
            (
                "insert",
                "c",
                insert(
                    &json!({"_id": {"$uuid": {}}, "of": {"x": [{"$captured": {"name": "id"}}]}}),
                ),
            ),
        ],
    );
    plan.groups[0].scenario = serde_json::from_value(json!({"steps": steps})).expect("valid");
    plan
}

fn run(name: &str, operation: usize, captures: &Value) -> Value {
    json!({
        "action": {"run": {
            "name": name, "operation": operation, "captures": captures, "on_error": "stop",
        }},
        "probability": 1.0,
        "think_time": "none",
    })
}

fn three() -> Plan {
    captured(&json!([
        run("find", 0, &json!([{"name": "id", "path": "_id"}])),
        run("replace", 1, &json!([])),
        run("insert", 2, &json!([{"name": "new", "path": "_id"}])),
    ]))
}

fn steps(workload: &Workload) -> &[Step] {
    match workload.scenario(0) {
        Scenario::Steps(steps) => steps,
        Scenario::Mix(_) => panic!("a mix"),
    }
}

fn run_of(step: &Step) -> &super::Run {
    match &step.action {
        Action::Run(run) => run,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_captured_value_stands_in_later_filters_and_documents_with_its_type() {
    let workload = workload(&three());
    let steps = steps(&workload);
    let mut stream = Stream::new(&workload, 0, 0, 0);
    let mut captures = workload.captures();
    let (find, replace, insert) = (run_of(&steps[0]), run_of(&steps[1]), run_of(&steps[2]));
    assert!(find.needs.is_empty() && !captures.have(&replace.needs));
    assert!(stream.prepare_step(7, find, &captures).wants_document);
    let read = rawdoc! {"_id": "abc", "n": 1_i32};
    assert!(stream.capture(find, Some(&read), &mut captures));
    assert!(captures.have(&replace.needs) && captures.have(&insert.needs));
    let prepared = stream.prepare_step(7, replace, &captures).clone();
    assert!(!prepared.wants_document);
    assert_eq!(prepared.filter, rawdoc! {"_id": "abc"});
    let prepared = stream.prepare_step(7, insert, &captures).clone();
    let (_, document) = decoded(&prepared);
    let of = document.get_document("of").expect("a document");
    assert_eq!(
        of.get_array("x").expect("an array"),
        &[Bson::String("abc".to_owned())]
    );
    // What is inserted is known without a look at the server.
    assert!(stream.capture(insert, None, &mut captures));
    captures.clear();
    assert!(!stream.capture(find, None, &mut captures));
    assert!(!captures.have(&replace.needs));
}

#[test]
fn a_step_draws_the_same_for_any_worker_and_other_values_than_its_neighbours() {
    let plan = captured(&json!([
        run("find", 0, &json!([])),
        run("find", 0, &json!([])),
        {"action": {"parallel": [run("other", 0, &json!([])), run("find", 0, &json!([]))]},
            "probability": 1.0, "think_time": "none"},
        run("first", 0, &json!([{"name": "id", "path": "_id"}])),
    ]));
    let (one, other) = (workload(&plan), workload(&plan));
    let drawn = |workload: &Arc<Workload>, worker, number| {
        let mut stream = Stream::new(workload, 0, 1, worker);
        let Action::Parallel(branches) = &steps(workload)[2].action else {
            panic!("not parallel");
        };
        let [first, second, ..] = steps(workload) else {
            panic!("too few");
        };
        [first, second, &branches[0], &branches[1]].map(|step| {
            let prepared = stream.prepare_step(number, run_of(step), &workload.captures());
            (prepared.slot, decoded(prepared).0)
        })
    };
    let all = drawn(&one, 0, 5);
    assert_eq!(all, drawn(&other, 9, 5));
    let distinct: std::collections::BTreeSet<_> =
        all.iter().map(|(_, filter)| filter.to_string()).collect();
    assert_eq!(distinct.len(), 4, "{all:?}");
    // Steps with one name share a slot.
    assert_eq!(all.map(|(slot, _)| slot), [0, 0, 1, 0]);
    assert_ne!(drawn(&one, 0, 5), drawn(&one, 0, 6));
}

#[test]
fn a_step_with_a_probability_takes_place_in_that_part_of_the_iterations() {
    let mut plan = three();
    let json = json!([
        {"action": run("find", 0, &json!([{"name": "id", "path": "_id"}]))["action"],
            "probability": 0.3, "think_time": "none"},
        {"action": run("find", 0, &json!([]))["action"], "probability": 0.3, "think_time": "none"},
    ]);
    plan.groups[0].scenario = serde_json::from_value(json!({"steps": json})).expect("valid");
    let workload = workload(&plan);
    let chooser = crate::Chooser::new(&workload, 0, 0);
    let [first, second] = steps(&workload) else {
        panic!("two steps");
    };
    let (mut hits, mut both) = (0.0, 0.0);
    for number in 0..10_000 {
        let (a, b) = (
            chooser.takes_place(first, number),
            chooser.takes_place(second, number),
        );
        hits += f64::from(u8::from(a));
        both += f64::from(u8::from(a && b));
    }
    assert!((2_750.0..3_250.0).contains(&hits), "{hits}");
    // The draws of two steps are independent of each other.
    assert!((750.0..1_050.0).contains(&both), "{both}");
}

#[test]
fn a_captured_value_that_nobody_captures_is_refused() {
    let plan = captured(&json!([run("replace", 1, &json!([]))]));
    let error = Workload::compile(&plan, &Facts::default()).expect_err("unknown");
    assert_eq!(
        error.fault,
        Fault::UnknownCapture {
            name: "id".to_owned()
        }
    );
    assert_eq!(error.field, "filter._id");
    let empty =
        captured(&json!([{"action": {"parallel": []}, "probability": 1.0, "think_time": "none"}]));
    assert!(Workload::compile(&empty, &Facts::default()).is_err());
}
