//! The rules of a workload file, one by one.

use super::*;

/// A file of small parts; each can be replaced.
struct Parts<'a> {
    data: &'a str,
    operations: &'a str,
    scenario: &'a str,
    load: &'a str,
    more: &'a str,
}

const PARTS: Parts<'static> = Parts {
    data: "{c: {count: 10, document: {fields: {n: 1}}}}",
    operations: "{o: {count: {collection: c}}}",
    scenario: "",
    load: "[{closed: {concurrency: 1}, duration: 1s}]",
    more: "",
};

impl Parts<'_> {
    fn text(&self) -> String {
        let scenario = match self.scenario {
            "" => String::new(),
            scenario => format!("scenario: {scenario}\n"),
        };
        format!(
            "target: private\ndata: {}\noperations: {}\n{scenario}load: {}\n{}\n",
            self.data, self.operations, self.load, self.more
        )
    }

    fn plan(&self) -> Plan {
        plan(&self.text())
    }

    /// The one message that the file gives.
    fn wrong(&self) -> String {
        let messages = messages(&self.text(), &Overrides::default());
        assert_eq!(messages.len(), 1, "{messages:#?}");
        messages[0].clone()
    }
}

fn data(data: &str) -> String {
    Parts { data, ..PARTS }.wrong()
}

fn operation(operation: &str) -> String {
    let operations = &format!("{{o: {operation}}}");
    Parts {
        operations,
        ..PARTS
    }
    .wrong()
}

fn load(load: &str) -> String {
    Parts { load, ..PARTS }.wrong()
}

#[test]
fn what_is_left_out_has_its_default() {
    let plan = PARTS.plan();
    assert_eq!(plan.name, "orders", "from the file's name");
    assert_eq!((plan.seed, plan.threads), (1, None));
    assert_eq!(plan.setup, docstone_model::plan::SetupMode::Guarded);
    assert_eq!(plan.groups[0].name, "main");
    assert_eq!(plan.operations[0].timeout_ns, 30_000_000_000);
    assert_eq!(plan.steps[0].drain_ns, 10_000_000_000);
    let document = plan.data[0].document.as_ref().expect("a form").to_json();
    assert_eq!(
        document,
        serde_json::json!({"_id": {"$object_id": {}}, "n": 1})
    );
}

#[test]
fn collections_need_a_form_for_their_documents() {
    assert!(data("{c: {count: 10}}").contains("nothing says what the documents look like"));
    assert!(data("{c: {count: 10, document: {}}}").contains("missing key `fields`"));
    assert!(data("{c: {count: 1, document: {fields: 5}}}").contains("expected a document"));
    assert!(data("{c: {count: 1, document: {fields: {$int: {}}}}}").contains("whole document"));
    assert!(data("{c: {}, 'a$b': {}}").contains("must not contain `$`"));
    assert!(data("{c: {}, docstone_meta: {}}").contains("its own marks"));
}

#[test]
fn an_id_follows_from_the_documents_number() {
    let form = |id: &str| format!("{{c: {{count: 10, document: {{fields: {{_id: {id}}}}}}}}}");
    assert!(data(&form("{$now: {}}")).contains("does not follow"));
    assert!(data(&form("5")).contains("cannot have the same `_id`"));
    assert!(data(&form("{a: {$now: {}}}")).contains("does not follow"));
    assert!(data(&form("{a: 1}")).contains("cannot have the same `_id`"));
    assert!(data(&form("{$worker: {}}")).contains("no value in documents that are loaded"));
    assert!(data(&form("[{$sequence: {}}]")).contains("cannot be a list"));
    let insert = "{insert_one: {collection: c, document: {_id: [1]}}}";
    assert!(operation(insert).contains("cannot be a list"));
    let far = "{$sequence: {start: 9223372036854775800}}";
    assert!(data(&form(far)).contains("would not fit 64 bits"));
}

#[test]
fn three_thousand_million_documents_are_exact() {
    let data = "{c: {count: 3_000_000_000, document: {fields: {_id: {$sequence: {}}}}}}";
    let load = "[{closed: {concurrency: 1}, operations: 3000000000}]";
    let plan = Parts {
        data,
        load,
        ..PARTS
    }
    .plan();
    assert_eq!(plan.data[0].count, 3_000_000_000);
    assert_eq!(plan.steps[0].loads[0].stop.operations, Some(3_000_000_000));
}

#[test]
fn a_document_over_16_mib_is_refused_with_its_size() {
    let fields = "{a: {$string: {length: 9000000}}, b: {$string: {length: 8000000}}}";
    let message = data(&format!(
        "{{c: {{count: 1, document: {{fields: {fields}}}}}}}"
    ));
    assert!(message.contains("up to 17000038 bytes"), "{message}");
    assert!(message.contains("16777216"), "{message}");
    let message = operation(&format!(
        "{{insert_one: {{collection: c, document: {fields}}}}}"
    ));
    assert!(message.contains("17000038"), "{message}");
}

#[test]
fn indexes_have_known_kinds() {
    let index = |index: &str| data(&format!("{{c: {{indexes: [{index}]}}}}"));
    assert!(index("{keys: {a: 2}}").contains("1, -1, text"));
    assert!(index("{keys: {}}").contains("at least one field"));
    assert!(index("{}").contains("missing key `keys`"));
    assert!(index("{key: {a: 1}}").contains("did you mean `keys`?"));
    assert!(index("~").contains("expected an index"));
    assert!(index("{keys: {a: 1}}, {keys: {a: 1}}").contains("`a_1` stands here twice"));
}

#[test]
fn operations_name_their_kind_and_their_collection() {
    assert!(operation("{timeout: 5s}").contains("says nothing of what it does"));
    assert!(operation("{count: ~}").contains("`count` is empty"));
    assert!(operation("{count: {}}").contains("missing key `collection`"));
    assert!(operation("{count: {colection: c}}").contains("did you mean `collection`?"));
    assert!(operation("{count: {collection: d}}").contains("unknown collection `d`"));
    let two = "{count: {collection: c}, find_one: {collection: c, filter: {}}}";
    assert!(operation(two).contains("stand in one operation"));
    assert!(operation("{find_many: {collection: c, limit: 0}}").contains("at least 1"));
    assert!(operation("{find_many: {collection: c, batch_size: 0}}").contains("`batch_size`"));
    assert!(operation("{find_many: {collection: c, sort: {n: up}}}").contains("1 (up) or -1"));
    assert!(operation("{find_many: {collection: c, sort: 5}}").contains("expected a map"));
    assert!(operation("{count: {collection: c}, timeout: 5}").contains("`5` has no unit"));
}

#[test]
fn a_filter_is_needed_except_by_find_many_and_count() {
    for kind in ["find_one", "delete_one", "delete_many", "replace_one"] {
        let message = operation(&format!("{{{kind}: {{collection: c}}}}"));
        assert!(
            message.contains("missing key `filter`"),
            "{kind}: {message}"
        );
    }
    for kind in ["update_one", "update_many"] {
        let text = format!("{{{kind}: {{collection: c, update: {{$inc: {{n: 1}}}}}}}}");
        assert!(operation(&text).contains("missing key `filter`"), "{kind}");
    }
    for kind in ["find_many", "count"] {
        let operations = &format!("{{o: {{{kind}: {{collection: c}}}}}}");
        let plan = Parts {
            operations,
            ..PARTS
        }
        .plan();
        let filter = plan.operations[0]
            .kind
            .filter()
            .expect("a filter")
            .to_json();
        assert_eq!(filter, serde_json::json!({}));
    }
}

#[test]
fn updates_take_operators_and_replacements_keep_their_id() {
    let update = |update: &str| {
        operation(&format!(
            "{{update_one: {{collection: c, filter: {{}}, update: {update}}}}}"
        ))
    };
    assert!(update("{n: 1}").contains("operators only"));
    assert!(update("{}").contains("operators only"));
    assert!(update("[{$set: {n: 1}}]").contains("not supported yet"));
    assert!(update("{$sett: {n: 1}}").contains("did you mean `$set`?"));
    let replace = "{replace_one: {collection: c, filter: {}, document: {_id: 1}}}";
    assert!(operation(replace).contains("keeps the `_id`"));
    let operations = "{o: {replace_one: {collection: c, filter: {}}}}";
    let plan = Parts {
        operations,
        ..PARTS
    }
    .plan();
    let document = plan.operations[0]
        .kind
        .payload()
        .expect("a document")
        .to_json();
    assert_eq!(document, serde_json::json!({"n": 1}));
}

#[test]
fn an_insert_needs_a_form_from_somewhere() {
    let text = Parts {
        data: "{c: {}}",
        operations: "{o: {insert_one: {collection: c}}}",
        ..PARTS
    };
    assert!(
        text.wrong()
            .contains("nothing says what the document looks like")
    );
}

#[test]
fn keys_are_drawn_from_collections_that_have_documents() {
    let find = |key: &str| {
        operation(&format!(
            "{{find_one: {{collection: c, filter: {{_id: {{$key: {key}}}}}}}}}"
        ))
    };
    assert!(find("{collection: d}").contains("no such collection"));
    assert!(find("{distribution: latest}").contains("not supported yet"));
    assert!(find("{distribution: unifrm}").contains("did you mean `uniform`?"));
    let text = Parts {
        data: "{c: {}}",
        operations: "{o: {find_one: {collection: c, filter: {_id: {$key: {}}}}}}",
        ..PARTS
    };
    assert!(text.wrong().contains("its `count` is 0"));
}

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
    assert!(
        with_scenario("{steps: [o]}")
            .wrong()
            .contains("not supported yet")
    );
    assert!(with_scenario("{}").wrong().contains("missing key `mix`"));
    let plan = with_scenario("{mix: {p: 0.5, o: 1}}").plan();
    let mix: Vec<_> = plan.groups[0]
        .mix
        .iter()
        .map(|e| (e.operation, e.weight))
        .collect();
    assert_eq!(mix, [(1, 0.5), (0, 1.0)]);
}

#[test]
fn steps_say_how_much_and_until_when() {
    assert!(load("[{closed: {concurrency: 1}}]").contains("nothing says when the step ends"));
    assert!(load("[{duration: 1s}]").contains("missing key `closed`"));
    assert!(load("[{closed: {}, duration: 1s}]").contains("missing key `concurrency`"));
    assert!(load("[]").contains("`load` has no step"));
    assert!(load("~").contains("`load` is empty"));
    assert!(load("[~]").contains("expected a load step"));
    assert!(load("{}").contains("expected a list"));
    assert!(load("[5]").contains("expected a map"));
    for concurrency in ["0", "1000001"] {
        let text = format!("[{{closed: {{concurrency: {concurrency}}}, duration: 1s}}]");
        assert!(load(&text).contains("1 to 1000000"), "{concurrency}");
    }
    let negative = load("[{closed: {concurrency: -1}, duration: 1s}]");
    assert!(
        negative.contains("`concurrency`: expected at least 0, found -1"),
        "{negative}"
    );
    assert!(load("[{closed: {concurrency: 1}, operations: 0}]").contains("at least 1"));
    let open = load("[{open: {rate: 5/s}, duration: 1s}]");
    assert!(open.contains("`open` is not supported yet"), "{open}");
    let iterations = load("[{closed: {concurrency: 1}, iterations: 5}]");
    assert!(
        iterations.contains("`iterations` is not supported yet"),
        "{iterations}"
    );
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
        ("seed: -1", "expected at least 0"),
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
