//! The rules of data and operations, one by one.

use super::parts::{PARTS, Parts, data, operation};
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
fn keys_that_are_drawn_from_too_few_values_are_refused() {
    let form = |count: u64, id: &str| {
        data(&format!(
            "{{c: {{count: {count}, document: {{fields: {{_id: {id}}}}}}}}}"
        ))
    };
    let few = form(100, "{$int: {min: 1, max: 5}}");
    assert!(
        few.contains("can get the same `_id`") && few.contains("5 values"),
        "{few}"
    );
    assert!(few.contains("$sequence") && few.contains("$uuid"), "{few}");
    assert!(form(1000, "{$string: {length: 3}}").contains("can get the same"));
    assert!(form(9, "{$int: {distribution: normal}}").contains("favours some values"));
    assert!(form(2, "{a: {$int: {max: 9}}, b: 1}").contains("from 10 values"));
    let enough = [
        (1, "{$int: {max: 5}}"),
        (1_000_000, "{$string: {}}"),
        (1000, "{a: {$int: {max: 5}}, b: {$sequence: {}}}"),
        (1_000_000, "{$uuid: {}}"),
    ];
    for (count, id) in enough {
        let text = format!("{{c: {{count: {count}, document: {{fields: {{_id: {id}}}}}}}}}");
        let plan = Parts {
            data: &text,
            ..PARTS
        }
        .plan();
        assert_eq!(plan.data[0].count, count);
    }
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
    assert!(find("{distribution: unifrm}").contains("did you mean `uniform`?"));
    let text = Parts {
        data: "{c: {}}",
        operations: "{o: {find_one: {collection: c, filter: {_id: {$key: {}}}}}}",
        ..PARTS
    };
    assert!(text.wrong().contains("its `count` is 0"));
}

#[test]
fn an_existing_collection_is_used_as_it_is() {
    let text = |data: &str| {
        format!(
            "target: mongodb://h\ndata: {{c: {data}}}\noperations: {{find: {{find_one: {{collection: c, \
             filter: {{_id: {{$field_range: {{}}}}}}}}}}}}\nload: [{{closed: {{concurrency: 1}}, \
             operations: 1}}]\n"
        )
    };
    let read = |data| {
        crate::plan_from_text("f.yaml", &text(data), &crate::Overrides::default(), &|_| {
            None
        })
    };
    let plan = read("{existing: true}").expect("a plan");
    assert_eq!(
        (plan.existing, plan.data),
        (vec!["c".to_owned()], Vec::new())
    );
    let fault = read("{existing: true, count: 5}").expect_err("contradiction");
    assert!(
        fault
            .to_string()
            .contains("`count` and `existing: true` contradict"),
        "{fault}"
    );
}

#[test]
fn the_servers_own_databases_are_refused() {
    let text = "operations: {find: {count: {collection: c}}}\ndata: {c: {}}\n\
                load: [{closed: {concurrency: 1}, operations: 1}]\n";
    let read = |uri: &str, database: Option<&str>| {
        let overrides = crate::Overrides {
            uri: Some(uri.to_owned()),
            database: database.map(str::to_owned),
            ..crate::Overrides::default()
        };
        crate::plan_from_text("f.yaml", text, &overrides, &|_| None)
    };
    let fault = read("mongodb://h/admin", None)
        .expect_err("admin")
        .to_string();
    assert!(
        fault.contains("`admin` (uri)") && fault.contains("authSource=admin"),
        "{fault}"
    );
    assert!(read("mongodb://h/", Some("local")).is_err());
    let plan = read("mongodb://h/admin", Some("shop")).expect("a database of its own");
    assert_eq!(plan.target.database, "shop");
}
