//! The rules of scenarios, load steps, names and variables, one by one.

use super::parts::{PARTS, Parts, data, load};
use docstone_model::plan::Scenario;

use super::*;

#[test]
fn a_scenario_may_be_left_out_with_one_operation_only() {
    let two = "{o: {count: {collection: c}}, p: {count: {collection: c}}}";
    let with_scenario = |scenario| Parts {
        operations: two,
        scenario,
        ..PARTS
    };
    assert!(with_scenario("").wrong().contains("missing key `scenario`"));
    assert!(
        with_scenario("{mix: {}}")
            .wrong()
            .contains("the mix is empty")
    );
    assert!(
        with_scenario("{mix: {o: -1}}")
            .wrong()
            .contains("must be above 0")
    );
    assert!(
        with_scenario("{mix: {q: 1}}")
            .wrong()
            .contains("unknown operation `q`")
    );
    assert!(with_scenario("{}").wrong().contains("missing key `mix`"));
    let plan = with_scenario("{mix: {p: 0.5, o: 1}}").plan();
    let Scenario::Mix(mix) = &plan.groups[0].scenario else {
        panic!("{plan:?}");
    };
    let mix: Vec<_> = mix.iter().map(|e| (e.operation, e.weight)).collect();
    assert_eq!(mix, [(1, 0.5), (0, 1.0)]);
}

#[test]
fn steps_say_how_much_and_until_when() {
    assert!(load("[{closed: {concurrency: 1}}]").contains("nothing says when the step ends"));
    assert!(load("[{duration: 1s}]").contains("missing key `closed` or `open`"));
    assert!(load("[{closed: {}, duration: 1s}]").contains("missing key `concurrency`"));
    assert!(load("[]").contains("`load` has no step"));
    assert!(load("~").contains("`load` is empty"));
    assert!(load("[~]").contains("expected a load step"));
    assert!(load("{}").contains("expected a list"));
    assert!(load("[5]").contains("expected a map"));
    for concurrency in ["0", "100001"] {
        let text = format!("[{{closed: {{concurrency: {concurrency}}}, duration: 1s}}]");
        assert!(load(&text).contains("1 to 100000"), "{concurrency}");
    }
    let negative = load("[{closed: {concurrency: -1}, duration: 1s}]");
    assert!(
        negative.contains("`concurrency`: expected a whole number from 1 to 100000, found -1"),
        "{negative}"
    );
    assert!(load("[{closed: {concurrency: 1}, operations: 0}]").contains("must be 1 to"));
    assert!(load("[{closed: {concurrency: 1}, iterations: 0}]").contains("must be 1 to"));
    let warm = load("[{warmup: true, closed: {concurrency: 1}, duration: 1s}]");
    assert!(warm.contains("nothing would be measured"), "{warm}");
}

#[test]
fn durations_under_100_ms_are_refused() {
    for duration in ["1.25ms", "99ms", "0s", "30", "1250us"] {
        let message = load(&format!(
            "[{{closed: {{concurrency: 1}}, duration: {duration}}}]"
        ));
        assert!(message.contains("duration"), "{duration}: {message}");
    }
    let text = "[{closed: {concurrency: 1}, duration: 100ms}]";
    let plan = Parts {
        load: text,
        ..PARTS
    }
    .plan();
    assert_eq!(plan.steps[0].loads[0].stop.duration_ns, Some(100_000_000));
}

#[test]
fn steps_have_safe_names_of_their_own() {
    let step = |name: &str| format!("{{name: {name}, closed: {{concurrency: 1}}, duration: 1s}}");
    for name in ["a/b", "..", "'a b'", "''"] {
        let message = load(&format!("[{}]", step(name)));
        assert!(message.contains("cannot be used"), "{name}: {message}");
    }
    let twice = load(&format!("[{}, {}]", step("a"), step("a")));
    assert!(twice.contains("two steps have the name `a`"), "{twice}");
    let measured = "{closed: {concurrency: 1}, duration: 1s}";
    let warm = "{warmup: true, closed: {concurrency: 1}, duration: 1s}";
    let text = &format!(
        "[{warm}, {measured}, {}, {warm}, {measured}]",
        step("named")
    );
    let plan = Parts {
        load: text,
        ..PARTS
    }
    .plan();
    let names: Vec<&str> = plan.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["warmup-1", "step-1", "named", "warmup-2", "step-3"]);
}

#[test]
fn names_fit_where_they_stand_later() {
    let text = Parts {
        operations: "{'a b': {count: {collection: c}}}",
        ..PARTS
    };
    assert!(text.wrong().contains("cannot be the name of an operation"));
    let text = Parts {
        more: "name: 'a/b'",
        ..PARTS
    };
    assert!(text.wrong().contains("it names a folder"));
    for (more, expected) in [
        ("threads: 0", "1 to 1024"),
        (
            "seed: -1",
            "expected a whole number from 0 to 18446744073709551615",
        ),
        ("thresholds: []", "not supported yet"),
        ("lod: []", "did you mean `load`?"),
    ] {
        assert!(Parts { more, ..PARTS }.wrong().contains(expected), "{more}");
    }
}

#[test]
fn duplicate_keys_are_errors_at_every_level() {
    let text = Parts {
        more: "seed: 1\nseed: 2",
        ..PARTS
    };
    assert!(text.wrong().contains("`seed` stands here twice"));
    assert!(data("{c: {count: 1, document: {fields: {a: 1, a: 2}}}}").contains("`a` stands"));
}

#[test]
fn anchors_and_merge_keys_are_not_duplicates() {
    let data = "{a: &a {count: 5, document: {fields: {n: 1}}}, c: {<<: *a, count: 7}, b: *a}";
    let plan = Parts { data, ..PARTS }.plan();
    let counts: Vec<_> = plan
        .data
        .iter()
        .map(|c| (c.name.as_str(), c.count))
        .collect();
    assert_eq!(counts, [("a", 5), ("c", 7), ("b", 5)]);
}

#[test]
fn variables_stand_for_text_and_numbers() {
    let env = |name: &str| match name {
        "N" => Some("8".to_owned()),
        "T" => Some("2s".to_owned()),
        _ => None,
    };
    let text = Parts {
        data: "{c: {count: '${N}', document: {fields: {s: '${N}', m: \"${U:-x}\"}}}}",
        load: "[{closed: {concurrency: \"${N}\"}, warmup: '${W:-false}', duration: \"${T}\"}]",
        more: "threads: ${N}",
        ..PARTS
    };
    let plan = plan_from_text("f.yaml", &text.text(), &Overrides::default(), &env)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((plan.data[0].count, plan.threads), (8, Some(8)));
    assert_eq!(plan.steps[0].loads[0].model.concurrency(), 8);
    assert_eq!(plan.steps[0].loads[0].stop.duration_ns, Some(2_000_000_000));
    let document = plan.data[0].document.as_ref().expect("a form").to_json();
    assert_eq!((&document["s"], &document["m"]), (&"8".into(), &"x".into()));
}

#[test]
fn a_number_written_without_quotes_is_one_in_templates_too() {
    let text = "target: private
data:
  c:
    count: 1
    document:
      fields:
        n: ${LOW:-5}
operations: {o: {count: {collection: c}}}
load: [{closed: {concurrency: 1}, duration: 1s}]
";
    let document = plan(text).data[0]
        .document
        .clone()
        .expect("a form")
        .to_json();
    assert_eq!(document["n"], 5);
}

#[test]
fn an_unset_variable_is_named_at_its_place_and_hides_nothing() {
    let text = Parts {
        load: "[{closed: {concurrency: '${N}'}, duration: 5}]",
        ..PARTS
    };
    let messages = messages(&text.text(), &Overrides::default());
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].starts_with("f.yaml:4:") && messages[0].contains("`N` is not set"));
}

#[test]
fn an_empty_file_is_no_workload() {
    for text in ["", "[]", "5", "# nothing\n"] {
        let messages = messages(text, &Overrides::default());
        assert!(
            messages[0].contains("expected a workload"),
            "{text}: {messages:?}"
        );
    }
    let error = plan_from_text("f.yaml", "{}", &Overrides::default(), &no_env);
    insta::assert_snapshot!(error.expect_err("nothing in it"));
    let messages = messages("{}", &Overrides::default());
    for key in ["`operations`", "`load`", "no target"] {
        assert!(
            messages.iter().any(|line| line.contains(key)),
            "{key}: {messages:?}"
        );
    }
}
