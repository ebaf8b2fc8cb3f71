//! The rules of operations, kind by kind.

use docstone_model::OperationKind;
use docstone_model::plan::Returned;

use super::parts::{PARTS, Parts, operation};

/// The one operation of a file.
fn kind(text: &str) -> OperationKind {
    let operations = &format!("{{o: {text}}}");
    let mut plan = Parts {
        operations,
        ..PARTS
    }
    .plan();
    plan.operations.remove(0).kind
}

#[test]
fn a_batch_says_how_many_documents_it_has() {
    let OperationKind::InsertMany { count, ordered, .. } =
        kind("{insert_many: {collection: c, count: 100}}")
    else {
        panic!("a batch");
    };
    assert_eq!((count, ordered), (100, true));
    let missing = operation("{insert_many: {collection: c}}");
    assert!(missing.contains("missing key `count`"), "{missing}");
}

#[test]
fn a_batch_that_no_command_can_hold_is_refused_with_what_fits() {
    let many = operation("{insert_many: {collection: c, count: 100001}}");
    assert!(many.contains("1 to 100000 documents, not 100001"), "{many}");
    assert!(operation("{insert_many: {collection: c, count: 0}}").contains("not 0"));
    let of = |count: u32| {
        format!(
            "{{insert_many: {{collection: c, count: {count}, document: {{t: {{$string: {{length: \
             1_000_000}}}}}}}}}}"
        )
    };
    let large = operation(&of(48));
    assert!(large.contains("at most `count: 47`"), "{large}");
    assert!(matches!(
        kind(&of(47)),
        OperationKind::InsertMany { count: 47, .. }
    ));
}

#[test]
fn an_update_may_be_a_list_of_stages_and_name_elements_of_arrays() {
    let stages = kind(
        "{update_one: {collection: c, filter: {}, update: [{$set: {n: {$add: [$n, {$int: {}}]}}}, {$unset: x}]}}",
    );
    let OperationKind::UpdateOne { update, .. } = &stages else {
        panic!("{stages:?}");
    };
    assert!(matches!(update, docstone_model::Template::Array(items) if items.len() == 2));
    let filters = kind(
        "{update_many: {collection: c, filter: {}, update: {$set: {'l.$[x].n': 1}}, array_filters: [{x.n: {$gt: 5}}]}}",
    );
    assert_eq!(filters.parts().arguments[0].0, "array_filters");
    let wrong = |text: &str| {
        operation(&format!(
            "{{update_one: {{collection: c, filter: {{}}, {text}}}}}"
        ))
    };
    assert!(wrong("update: []").contains("a list of stages"));
    let unknown = wrong("update: [{$sett: {n: 1}}]");
    assert!(
        unknown.contains("`$sett` is no stage of an update") && unknown.contains("$set"),
        "{unknown}"
    );
    assert!(wrong("update: [{$match: {}}]").contains("no stage of an update"));
    assert!(wrong("update: {$set: {n: 1}}, array_filters: {}").contains("list of filters"));
}

#[test]
fn the_stages_of_an_aggregation_are_known_and_what_writes_is_the_last() {
    let of = |stages: &str| format!("{{aggregate: {{collection: c, pipeline: {stages}}}}}");
    assert!(
        !kind(&of(
            "[{$match: {n: {$int: {}}}}, {$group: {_id: $n, k: {$sum: 1}}}]"
        ))
        .writes()
    );
    assert!(kind(&of("[{$merge: {into: d}}]")).writes());
    let wrong = |stages: &str| operation(&of(stages));
    assert!(wrong("[{$mach: {}}]").contains("`$mach` is no stage of an aggregation"));
    assert!(wrong("[{$out: d}, {$limit: 1}]").contains("must be the last stage"));
    assert!(wrong("[{$limit: 1, $skip: 1}]").contains("a stage has one name, and this has 2"));
    assert!(operation("{aggregate: {collection: c}}").contains("missing key `pipeline`"));
}

#[test]
fn what_finds_and_modifies_says_which_form_it_returns() {
    let of = |returned: &str| {
        format!(
            "{{find_one_and_update: {{collection: c, filter: {{}}, update: {{$set: {{n: 1}}}}, returned: {returned}}}}}"
        )
    };
    assert!(matches!(
        kind(&of("after")),
        OperationKind::FindOneAndUpdate {
            returned: Returned::After,
            ..
        }
    ));
    assert!(operation(&of("afterwards")).contains("unknown form `afterwards`"));
    let id = operation("{find_one_and_replace: {collection: c, filter: {}, document: {_id: 1}}}");
    assert!(id.contains("keeps the `_id`"), "{id}");
    assert!(operation("{distinct: {collection: c}}").contains("missing key `field`"));
    assert!(operation("{distinct: {collection: c, field: $n}}").contains("no name of a field"));
}

#[test]
fn a_bulk_is_a_list_of_writes_to_one_collection() {
    let of =
        |writes: &str| format!("{{bulk_write: {{writes: {writes}, ordered: false, repeat: 3}}}}");
    let bulk = kind(&of(
        "[{insert_one: {collection: c}}, {update_one: {collection: c, filter: {_id: {$key: {inserted: false}}}, update: {$inc: {n: 1}}}}]",
    ));
    assert!(bulk.writes());
    let OperationKind::BulkWrite {
        writes,
        repeat,
        ordered,
    } = bulk
    else {
        panic!("a bulk");
    };
    assert_eq!((writes.len(), repeat, ordered), (2, 3, false));
    let wrong = |writes: &str| operation(&of(writes));
    assert!(wrong("[]").contains("one operation at least"));
    assert!(
        wrong("[{find_one: {collection: c, filter: {}}}]").contains("cannot be part of a bulk")
    );
    assert!(
        wrong("[{insert_one: {collection: c}, timeout: 1s}]").contains("no `timeout` of its own")
    );
    assert!(wrong("[{insert_one: {collection: cc}}]").contains("unknown collection `cc`"));
    let large = "{bulk_write: {writes: [{insert_one: {collection: c, document: {t: {$string: {length: 100000}}}}}], repeat: 200}}";
    assert!(operation(large).contains("more than the 16777216 of one command"));
    let many = "{bulk_write: {writes: [{insert_one: {collection: c}}], repeat: 100001}}";
    assert!(operation(many).contains("1 to 100000 writes"));
}

#[test]
fn a_transaction_is_a_list_of_operations_that_servers_take_in_one() {
    let of = |operations: &str| {
        format!(
            "{{transaction: {{operations: {operations}, read_concern: snapshot, write_concern: majority}}}}"
        )
    };
    let plan = kind(&of(
        "[{find_one: {collection: c, filter: {}}}, {insert_one: {collection: c}}]",
    ));
    assert!(plan.writes() && plan.parts().calls.len() == 2);
    assert!(!kind(&of("[{find_one: {collection: c, filter: {}}}]")).writes());
    let wrong = |operations: &str| operation(&of(operations));
    assert!(wrong("[{count: {collection: c}}]").contains("cannot be part of a transaction"));
    let out = wrong("[{aggregate: {collection: c, pipeline: [{$out: d}]}}]");
    assert!(out.contains("cannot be part of a transaction"), "{out}");
    let concern =
        "{transaction: {operations: [{insert_one: {collection: c}}], read_concern: linearizable}}";
    assert!(operation(concern).contains("unknown read concern"));
    let unacknowledged =
        "{transaction: {operations: [{insert_one: {collection: c}}], write_concern: 0}}";
    assert!(operation(unacknowledged).contains("without acknowledgement"));
}

#[test]
fn options_stand_beside_the_kind_that_takes_them() {
    let operations = "{o: {find_one: {collection: c, filter: {}}, hint: {n: 1}, collation: {locale: de}, max_time: 2s, comment: why, read_concern: majority, read_preference: nearest}}";
    let plan = Parts {
        operations,
        ..PARTS
    }
    .plan();
    let options = &plan.operations[0].options;
    assert_eq!(options.max_time_ns, Some(2_000_000_000));
    assert_eq!(options.read_preference.as_deref(), Some("nearest"));
    let find = |option: &str| {
        operation(&format!(
            "{{find_one: {{collection: c, filter: {{}}}}, {option}}}"
        ))
    };
    assert!(find("hint: 5").contains("the name of an index or its keys"));
    assert!(find("collation: {strength: 2}").contains("a map with a `locale`"));
    assert!(find("collation: {locale: de, strenght: 2}").contains("did you mean `strength`?"));
    assert!(find("max_time: 1500us").contains("whole milliseconds"));
    assert!(find("read_concern: majorty").contains("did you mean `majority`?"));
    assert!(find("read_preference: secundary").contains("did you mean `secondary`?"));
    let taken = find("write_concern: 1");
    assert!(
        taken.contains("`find_one` takes no `write_concern`"),
        "{taken}"
    );
    assert!(
        operation("{insert_one: {collection: c}, hint: x}")
            .contains("it takes: comment, write_concern")
    );
    let inner = operation("{bulk_write: {writes: [{insert_one: {collection: c}, comment: x}]}}");
    assert!(inner.contains("has no `comment` of its own"), "{inner}");
}

#[test]
fn a_command_is_sent_as_it_stands_and_what_disrupts_must_be_meant() {
    let of = |text: &str| format!("{{command: {{send: {text}}}}}");
    let OperationKind::Command { command, admin } =
        kind("{command: {send: {collStats: c, scale: {$int: {min: 1, max: 9}}}, admin: true}}")
    else {
        panic!("a command");
    };
    assert!(admin && command.field("scale").is_some());
    assert!(operation("{command: {}}").contains("missing key `send`"));
    assert!(operation(&of("{}")).contains("whose first key is its name"));
    let shutdown = operation(&of("{shutdown: 1}"));
    assert!(shutdown.contains("`disruptive: true`"), "{shutdown}");
    assert!(operation(&of("{createUser: u, pwd: x}")).contains("holds secrets"));
    let _ = kind("{command: {send: {compact: c}, disruptive: true}}");
    assert!(
        operation("{command: {send: {ping: 1}, disruptive: true}}").contains("disrupts nothing")
    );
}

#[test]
fn connecting_takes_no_arguments() {
    assert!(matches!(kind("{connect: {}}"), OperationKind::Connect {}));
    assert!(operation("{connect: {collection: c}}").contains("unknown key `collection`"));
}
