//! Scenarios of steps.

use docstone_model::plan::{OnError, Scenario, StepAction, ThinkTime};

use super::*;

fn file(steps: &str) -> String {
    format!(
        "target: private
data:
  orders: {{count: 10, document: {{fields: {{_id: {{$uuid: {{}}}}, customer: {{name: x}}}}}}}}
  others: {{existing: true}}
operations:
  find: {{find_one: {{collection: orders, filter: {{_id: {{$key: {{}}}}}}}}}}
  other: {{find_many: {{collection: others, filter: {{n: {{$int: {{}}}}}}}}}}
  replace: {{replace_one: {{collection: orders, filter: {{_id: {{$captured: id}}}}}}}}
  insert: {{insert_one: {{collection: orders}}}}
  count: {{count: {{collection: orders}}}}
scenario:
  steps: {steps}
load: [{{closed: {{concurrency: 4}}, duration: 1s}}]
"
    )
}

fn wrong(steps: &str) -> String {
    let messages = messages(&file(steps), &Overrides::default());
    assert_eq!(messages.len(), 1, "{messages:#?}");
    messages[0].clone()
}

const CAPTURES: &str = "{run: find, capture: {id: _id}}";

#[test]
fn steps_become_a_plan_in_their_order_and_to_any_depth() {
    let plan = plan(&file(
        "[{run: find, name: lookup, capture: {id: _id, c: customer.name}, on_error: continue,
          probability: 0.5, think_time: 10ms}, {parallel: [find, {sequence: [insert, replace]},
          {parallel: [count, count]}]}, replace]",
    ));
    let Scenario::Steps(steps) = &plan.groups[0].scenario else {
        panic!("{plan:?}");
    };
    assert_eq!(
        (steps[0].think_time, steps[1].think_time),
        (ThinkTime::Constant { ns: 10_000_000 }, ThinkTime::None)
    );
    assert!((steps[0].probability - 0.5).abs() < 1e-9);
    let StepAction::Run(run) = &steps[0].action else {
        panic!("{steps:?}");
    };
    assert_eq!(
        (run.name.as_str(), run.on_error),
        ("lookup", OnError::Continue)
    );
    let captures: Vec<_> = run
        .captures
        .iter()
        .map(|c| (c.name.as_str(), c.path.as_str()))
        .collect();
    assert_eq!(captures, [("id", "_id"), ("c", "customer.name")]);
    let names: Vec<_> = plan.group_slots(0).iter().map(|slot| slot.name).collect();
    assert_eq!(names, ["lookup", "find", "insert", "replace", "count"]);
    // find, one of the sequence, and two counts at once, by four workers.
    assert_eq!(plan.max_connections(), 16);
}

#[test]
fn a_captured_value_must_be_captured_before() {
    let late = wrong(&format!("[replace, {CAPTURES}]"));
    assert!(late.contains("no step before it captures"), "{late}");
    let nobody = wrong("[replace]");
    assert!(nobody.contains("which no step captures"), "{nobody}");
    let misspelt = messages(
        &file("[{run: find, capture: {ids: _id}}, replace]"),
        &Overrides::default(),
    );
    assert!(misspelt[0].contains("`id`"), "{misspelt:?}");
    let beside = wrong(&format!("[{{parallel: [{CAPTURES}, replace]}}]"));
    assert!(
        beside.contains("another branch of the same `parallel`"),
        "{beside}"
    );
    let within = wrong(&format!(
        "[{{parallel: [{CAPTURES}, {{sequence: [find, replace]}}]}}]"
    ));
    assert!(within.contains("another branch"), "{within}");
    let _ = plan(&file(&format!(
        "[{CAPTURES}, {{parallel: [replace, replace]}}]"
    )));
    let _ = plan(&file(&format!(
        "[{{parallel: [{{sequence: [{CAPTURES}, replace]}}, find]}}, replace]"
    )));
}

#[test]
fn no_branch_uses_a_value_that_another_one_captures_again() {
    let again = wrong(&format!(
        "[{CAPTURES}, {{parallel: [{CAPTURES}, {{sequence: [find, replace]}}]}}]"
    ));
    assert!(
        again.contains("captures again") && again.contains("under another name"),
        "{again}"
    );
    let outside = wrong(&format!(
        "[{CAPTURES}, {{parallel: [{CAPTURES}, {{parallel: [find, replace]}}]}}]"
    ));
    assert!(outside.contains("captures again"), "{outside}");
    // After both have ended there is one value, and in the branch that captures it as well.
    let _ = plan(&file(&format!(
        "[{CAPTURES}, {{parallel: [{{sequence: [{CAPTURES}, replace]}}, find]}}, replace]"
    )));
    // Twice at the same time is one mistake, whoever uses it.
    let twice = wrong(&format!(
        "[{CAPTURES}, {{parallel: [{CAPTURES}, {{sequence: [{CAPTURES}, replace]}}]}}]"
    ));
    assert!(twice.contains("in two branches"), "{twice}");
}

#[test]
fn a_capture_of_a_field_that_the_projection_leaves_out_is_refused() {
    let projected = |projection: &str| {
        let shown = format!("find: {{find_one: {{projection: {projection}, ");
        file(&format!("[{CAPTURES}, replace]")).replacen("find: {find_one: {", &shown, 1)
    };
    let text = messages(&projected("{_id: 0}"), &Overrides::default()).join("\n");
    let expected = "the projection of `find` leaves out `_id`";
    assert!(text.contains(expected), "{text}");
    let _ = plan(&projected("{customer: 1}"));
}

#[test]
fn a_capture_must_be_of_a_document_that_holds_it() {
    let count = wrong(&format!(
        "[{CAPTURES}, replace, {{run: count, capture: {{n: n}}}}]"
    ));
    assert!(count.contains("`count` returns no document"), "{count}");
    let missing = wrong(&format!(
        "[{CAPTURES}, replace, {{run: find, capture: {{n: customer.age}}}}]"
    ));
    assert!(
        missing.contains("no document of `orders` holds `customer.age`"),
        "{missing}"
    );
    let id = wrong(&format!(
        "[{CAPTURES}, {{run: replace, capture: {{again: _id}}}}]"
    ));
    assert!(id.contains("holds `_id`"), "{id}");
    let path = wrong(&format!(
        "[{CAPTURES}, replace, {{run: other, capture: {{n: a..b}}}}]"
    ));
    assert!(path.contains("`a..b` is no field"), "{path}");
    let twice = wrong(&format!("[{{parallel: [{CAPTURES}, find]}}, replace, {{parallel: [{{run: find, capture: {{x: _id}}}}, {{run: other, capture: {{x: _id}}}}]}}]")
        .replace("{{", "{"));
    assert!(twice.contains("two branches"), "{twice}");
    // Of a collection that is not docstone's nobody knows what its documents hold.
    let _ = plan(&file(&format!(
        "[{CAPTURES}, replace, {{run: other, capture: {{n: any.thing}}}}, {{run: insert, capture: {{new: _id}}}}]"
    )));
}

#[test]
fn a_step_that_is_repeated_is_a_sequence_of_itself_with_the_probability_of_all_of_them() {
    let plan = plan(&file(
        "[{run: find, capture: {id: _id}}, {run: replace, name: again, repeat: 3, probability: 0.5, think_time: 10ms},
          {parallel: [insert, count], repeat: 2}]",
    ));
    let Scenario::Steps(steps) = &plan.groups[0].scenario else {
        panic!("{plan:?}");
    };
    assert!((steps[1].probability - 0.5).abs() < 1e-9);
    assert_eq!(steps[1].think_time, ThinkTime::None);
    let StepAction::Sequence(runs) = &steps[1].action else {
        panic!("{steps:?}");
    };
    assert_eq!(runs.len(), 3);
    for run in runs {
        assert!((run.probability - 1.0).abs() < 1e-9);
        assert_eq!(run.think_time, ThinkTime::Constant { ns: 10_000_000 });
        assert_eq!(run.run_steps()[0].name, "again");
    }
    assert_eq!(steps[2].run_steps().len(), 4);
}

#[test]
fn steps_that_mean_nothing_are_refused() {
    let with = |step: &str| wrong(&format!("[{CAPTURES}, replace, {step}]"));
    assert!(with("fnd").contains("unknown operation `fnd`"));
    assert!(with("{run: fnd}").contains("unknown operation `fnd`"));
    assert!(with("{}").contains("says nothing of what it does"));
    assert!(with("{name: x}").contains("says nothing of what it does"));
    assert!(with("{run: find, parallel: [find, find]}").contains("stand in one step"));
    assert!(with("{parallel: [find]}").contains("one step alone is not parallel"));
    assert!(with("{parallel: []}").contains("no step in it"));
    assert!(with("{sequence: []}").contains("no step in it"));
    assert!(with("{parallel: [find, find], on_error: stop}").contains("is for a step that runs"));
    assert!(with("{run: find, probability: 0}").contains("above 0 and at most 1"));
    assert!(with("{run: find, probability: 1.5}").contains("above 0 and at most 1"));
    assert!(with("{run: find, repeat: 0}").contains("`repeat` must be 1 to 1,000, not 0"));
    assert!(with("{run: find, repeat: 1001}").contains("not 1001"));
    assert!(with("{run: find, on_error: ignore}").contains("`ignore`"));
    assert!(with("{run: find, name: iterations}").contains("`iterations` cannot be the name"));
    assert!(with("{run: find, name: insert}").contains("counted for the operation `insert`"));
    assert!(with("{run: find, retry: 3}").contains("unknown key `retry`"));
    assert!(with("null").contains("a step"));
    assert!(wrong("[]").contains("no step in it"));
    let both = file("[find]").replace("  steps: ", "  mix: {find: 1}\n  steps: ");
    let both = messages(
        &both.replace("$captured: id", "$key: {}"),
        &Overrides::default(),
    );
    assert!(
        both[0].contains("`mix` and `steps` exclude each other"),
        "{both:?}"
    );
}

#[test]
fn a_captured_value_may_have_a_name_that_the_results_use_and_must_be_a_word() {
    for name in ["all", "drain", "iterations", "schedule_lag"] {
        let steps = format!("[{{run: find, capture: {{{name}: _id}}}}, replace]");
        let text = file(&steps).replace("$captured: id", &format!("$captured: {name}"));
        let Scenario::Steps(steps) = &plan(&text).groups[0].scenario else {
            panic!("{text}");
        };
        let runs: Vec<_> = steps.iter().flat_map(|step| step.run_steps()).collect();
        assert_eq!(runs[0].captures[0].name, name);
    }
    let dotted = wrong(&format!(
        "[{CAPTURES}, replace, {{run: find, capture: {{a.b: _id}}}}]"
    ));
    assert!(dotted.contains("`a.b` cannot be the name"), "{dotted}");
}

#[test]
fn a_mix_has_no_captured_values() {
    let text = file("[]").replace("steps: []", "mix: {replace: 1}");
    let messages = messages(&text, &Overrides::default());
    assert!(
        messages.iter().any(|m| m.contains("no step captures")),
        "{messages:?}"
    );
    assert!(
        messages.iter().any(|m| m.contains("a mix captures none")),
        "{messages:?}"
    );
}

#[test]
fn the_limit_of_workers_counts_all_operations_that_their_iterations_have_in_flight() {
    let with = |branches: &str, load: &str| {
        file(&format!(
            "[{CAPTURES}, {{parallel: [{branches}]}}, replace]"
        ))
        .replace("closed: {concurrency: 4}", load)
    };
    for load in [
        "closed: {concurrency: 50_000}",
        "open: {rate: 1/s, max_in_flight: 50_000}",
    ] {
        assert_eq!(plan(&with("find, count", load)).max_connections(), 100_000);
        let message = messages(&with("find, find, count", load), &Overrides::default());
        assert!(
            message[0].contains("150000 operations in flight")
                && message[0].contains("times the operations that one iteration has"),
            "{message:?}"
        );
    }
}

#[test]
fn steps_end_by_iterations_and_not_by_operations() {
    let by = |stop: &str| file("[find, count]").replace("duration: 1s", stop);
    let text = by("operations: 5").replace("$captured: id", "$key: {}");
    let message = messages(&text, &Overrides::default());
    assert!(message[0].contains("`iterations: 1000`"), "{message:?}");
    let nothing = by("drain: 1s").replace("$captured: id", "$key: {}");
    let nothing = messages(&nothing, &Overrides::default());
    assert!(nothing[0].contains("`iterations: 1000`"), "{nothing:?}");
    let plan = plan(&by("iterations: 5").replace("$captured: id", "$key: {}"));
    assert_eq!(plan.steps[0].loads[0].stop.operations, Some(5));
    let both = by("operations: 9, iterations: 5").replace("steps: [find, count]", "mix: {find: 1}");
    let plan = super::plan(&both.replace("$captured: id", "$key: {}"));
    assert_eq!(plan.steps[0].loads[0].stop.operations, Some(5));
}

#[test]
fn the_pause_after_a_step_is_constant_exponential_or_even() {
    let of = |think_time: &str| {
        let plan = plan(&file(&format!(
            "[{{run: find, capture: {{id: _id}}, think_time: {think_time}}}, replace]"
        )));
        match &plan.groups[0].scenario {
            Scenario::Steps(steps) => steps[0].think_time,
            Scenario::Mix(_) => panic!("{plan:?}"),
        }
    };
    assert_eq!(
        of("{exponential: 10ms}"),
        ThinkTime::Exponential {
            mean_ns: 10_000_000
        }
    );
    assert_eq!(
        of("{min: 5ms, max: 15ms}"),
        ThinkTime::Uniform {
            min_ns: 5_000_000,
            max_ns: 15_000_000
        }
    );
    assert_eq!(of("0s"), ThinkTime::None);
    for (wrong_one, message) in [
        ("{exponential: 0s}", "must be above 0"),
        ("{min: 5ms, max: 1ms}", "`min` is above `max`"),
        ("{min: 5ms}", "`max`"),
        ("5", "`5` has no unit"),
    ] {
        let said = wrong(&format!(
            "[{{run: find, capture: {{id: _id}}, think_time: {wrong_one}}}, replace]"
        ));
        assert!(said.contains(message), "{wrong_one}: {said}");
    }
}

#[test]
fn mistakes_about_captures_are_said_beside_those_of_the_load_and_of_operations() {
    let load = "closed: {concurrency: 4}";
    for (right, wrong) in [
        (load, "open: {rate: -5/s}"),
        (load, "open: {rate: 1/s, max_in_flight: 0}"),
        (load, "open: {rate: 1/s, arrivals: evenly}"),
        (
            load,
            "closed: {concurrency: 4, think_time: {min: 5ms, max: 1ms}}",
        ),
        ("collection: others", "collection: nocoll"),
        (
            "replace_one: {collection: orders",
            "replace_one: {collection: nocoll",
        ),
        ("run: find,", "run: find, probability: 2,"),
        ("run: find,", "run: find, think_time: {min: 5ms, max: 1ms},"),
    ] {
        for (steps, said) in [
            (
                "[{run: find, capture: {x: _id}}, replace]",
                "which no step captures",
            ),
            (
                "[replace, {run: find, capture: {id: _id}}]",
                "no step before it captures",
            ),
            (
                "[{parallel: [{run: find, capture: {id: _id}}, replace]}]",
                "another branch",
            ),
        ] {
            let text = file(steps).replace(right, wrong);
            let messages = messages(&text, &Overrides::default());
            assert_eq!(messages.len(), 2, "{wrong}: {messages:#?}");
            assert!(messages.iter().any(|m| m.contains(said)), "{messages:#?}");
        }
    }
}

#[test]
fn a_step_that_cannot_be_read_may_capture_what_others_use() {
    for step in [
        "~",
        "{run: find, captur: {id: _id}}",
        "{run: find, capture: 5}",
        "{run: find, capture: {id: 5}}",
        "{run: fnd, capture: {id: _id}}",
        "{parallel: []}",
        "{sequence: [find], run: find}",
    ] {
        let _ = wrong(&format!("[{step}, replace]"));
    }
}
