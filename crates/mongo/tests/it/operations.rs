//! What each operation does to the data, what it reports, and what it sends.

use docstone_engine::target::{OperationResult, Outcome, Pool, Session};
use docstone_model::plan::{Limits, Returned, WriteConcern};
use docstone_model::{ErrorClass, OperationKind, Plan};
use docstone_mongo::MongoTarget;
use docstone_workload::PreparedOperation;
use mongodb::bson::{RawDocumentBuf, doc, rawdoc};

use crate::deployment::{close, documents, on_engine_thread, open, shared, uri_with};
use crate::plans::{self, plan};

pub(crate) fn prepared(
    operation: usize,
    filter: RawDocumentBuf,
    payload: RawDocumentBuf,
) -> PreparedOperation {
    PreparedOperation {
        operation,
        slot: operation,
        filter,
        payload,
        ..PreparedOperation::default()
    }
}

/// Executes prepared operations one after the other.
pub(crate) fn execute(plan: &Plan, operations: &[PreparedOperation]) -> Vec<Outcome> {
    let target = MongoTarget::connect(plan).unwrap_or_else(|error| panic!("{error}"));
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        let mut outcomes = Vec::new();
        for operation in operations {
            outcomes.push(session.execute(operation).await);
        }
        drop(session);
        close(pool).await;
        outcomes
    })
}

pub(crate) fn shown(outcome: &Outcome) -> (&'static str, Option<u64>) {
    let result = match &outcome.result {
        OperationResult::Ok => "ok",
        OperationResult::NotFound => "not_found",
        OperationResult::Error(error) => panic!("{}", error.message),
    };
    (result, outcome.documents)
}

pub(crate) fn none() -> RawDocumentBuf {
    RawDocumentBuf::new()
}

#[test]
fn each_operation_reports_what_it_did() {
    let kinds = vec![
        plans::insert(),
        plans::find_one(),
        plans::find_many(Limits {
            batch_size: Some(2),
            ..Limits::default()
        }),
        plans::count(),
        plans::update_one(false),
        plans::update_many(),
        plans::replace_one(false),
        plans::delete_one(),
        plans::delete_many(),
    ];
    let plan = plan(shared().uri().expose(), "each_operation", kinds);
    let id = |id: i64| rawdoc! {"_id": id};
    let mut operations: Vec<_> = (1..=5_i64)
        .map(|number| prepared(0, none(), rawdoc! {"_id": number, "a": 1_i32}))
        .collect();
    operations.extend([
        prepared(1, id(1), none()),
        prepared(1, id(99), none()),
        prepared(2, rawdoc! {}, none()),
        prepared(2, id(99), none()),
        prepared(3, rawdoc! {"a": 1_i32}, none()),
        prepared(3, id(99), none()),
        prepared(4, id(1), rawdoc! {"$set": {"b": 2_i32}}),
        prepared(4, id(1), rawdoc! {"$set": {"b": 2_i32}}),
        prepared(4, id(99), rawdoc! {"$set": {"b": 2_i32}}),
        prepared(5, rawdoc! {}, rawdoc! {"$inc": {"c": 1_i32}}),
        prepared(6, id(2), rawdoc! {"z": 1_i32}),
        prepared(7, id(5), none()),
        prepared(7, id(5), none()),
        prepared(8, rawdoc! {"_id": {"$gte": 3_i64}}, none()),
    ]);
    let outcomes = execute(&plan, &operations);
    let expected = [
        ("ok", Some(1)), // five inserts
        ("ok", Some(1)),
        ("ok", Some(1)),
        ("ok", Some(1)),
        ("ok", Some(1)),
        ("ok", Some(1)), // find_one
        ("not_found", Some(0)),
        ("ok", Some(5)), // find_many
        ("not_found", Some(0)),
        ("ok", Some(5)), // count
        ("not_found", Some(0)),
        ("ok", Some(1)), // update_one
        ("ok", Some(0)), // matched, but nothing to change
        ("not_found", Some(0)),
        ("ok", Some(5)), // update_many
        ("ok", Some(1)), // replace_one
        ("ok", Some(1)), // delete_one
        ("not_found", Some(0)),
        ("ok", Some(2)), // delete_many
    ];
    assert_eq!(outcomes.iter().map(shown).collect::<Vec<_>>(), expected);
    assert!(outcomes.iter().all(|outcome| outcome.retries == 0));
    let left = on_engine_thread(documents("each_operation", "c"));
    assert_eq!(
        left,
        [
            doc! {"_id": 1_i64, "a": 1, "b": 2, "c": 1},
            doc! {"_id": 2_i64, "z": 1}
        ]
    );
}

#[test]
fn bytes_are_those_of_the_encoded_documents() {
    let kinds = vec![plans::insert(), plans::find_many(Limits::default())];
    let plan = plan(shared().uri().expose(), "bytes", kinds);
    let document = rawdoc! {"_id": 1_i64, "text": "x".repeat(1000)};
    let size = document.as_bytes().len() as u64;
    let filter = rawdoc! {"_id": 1_i64};
    let filter_size = filter.as_bytes().len() as u64;
    let outcomes = execute(
        &plan,
        &[prepared(0, none(), document), prepared(1, filter, none())],
    );
    assert_eq!((outcomes[0].bytes_out, outcomes[0].bytes_in), (size, 0));
    assert_eq!(
        (outcomes[1].bytes_out, outcomes[1].bytes_in),
        (filter_size, size)
    );
}

#[test]
fn an_upsert_counts_the_document_that_it_makes() {
    let kinds = vec![plans::update_one(true), plans::replace_one(true)];
    let plan = plan(shared().uri().expose(), "upserts", kinds);
    let outcomes = execute(
        &plan,
        &[
            prepared(0, rawdoc! {"_id": 1_i64}, rawdoc! {"$set": {"a": 1_i32}}),
            prepared(1, rawdoc! {"_id": 2_i64}, rawdoc! {"a": 1_i32}),
        ],
    );
    assert_eq!(
        outcomes.iter().map(shown).collect::<Vec<_>>(),
        [("ok", Some(1)); 2]
    );
}

#[test]
fn a_duplicate_key_is_an_error_with_its_code() {
    let plan = plan(shared().uri().expose(), "duplicates", vec![plans::insert()]);
    let insert = prepared(0, none(), rawdoc! {"_id": 1_i64});
    let outcomes = execute(&plan, &[insert.clone(), insert]);
    let OperationResult::Error(error) = &outcomes[1].result else {
        panic!("the second insert must fail");
    };
    assert_eq!(error.class, ErrorClass::Server(11000));
    assert!(error.message.contains("E11000"), "{}", error.message);
    assert!(
        !error.message.contains('\n') && !error.message.contains("Kind:"),
        "{}",
        error.message
    );
}

#[test]
fn write_concern_0_succeeds_with_an_unknown_number() {
    let kinds = vec![
        plans::insert(),
        plans::update_one(false),
        plans::delete_many(),
        plans::count(),
    ];
    let mut plan = plan(shared().uri().expose(), "unacknowledged", kinds);
    plan.target.write_concern = Some(WriteConcern::Members(0));
    let outcomes = execute(
        &plan,
        &[
            prepared(0, none(), rawdoc! {"_id": 1_i64}),
            prepared(0, none(), rawdoc! {"_id": 2_i64}),
            prepared(1, rawdoc! {"_id": 1_i64}, rawdoc! {"$set": {"a": 1_i32}}),
            prepared(2, rawdoc! {"_id": 2_i64}, none()),
            prepared(3, rawdoc! {}, none()),
        ],
    );
    let shown: Vec<_> = outcomes.iter().map(shown).collect();
    assert_eq!(shown[..4], [("ok", None); 4]);
    assert_eq!(shown[4], ("ok", Some(1)));
    let left = on_engine_thread(documents("unacknowledged", "c"));
    assert_eq!(left, [doc! {"_id": 1_i64, "a": 1}]);
}

#[test]
fn the_database_of_the_plan_is_used_and_not_that_of_the_connection_string() {
    let uri = uri_with("w=1").replace("/?", "/elsewhere?");
    let plan = plan(&uri, "database_of_plan", vec![plans::insert()]);
    let _ = execute(&plan, &[prepared(0, none(), rawdoc! {"_id": 1_i64})]);
    assert_eq!(
        on_engine_thread(documents("database_of_plan", "c")).len(),
        1
    );
    assert!(on_engine_thread(documents("elsewhere", "c")).is_empty());
}

fn with(operation: PreparedOperation, arguments: RawDocumentBuf) -> PreparedOperation {
    PreparedOperation {
        arguments,
        ..operation
    }
}

#[test]
fn reads_of_more_than_documents_report_what_they_found() {
    let kinds = vec![
        plans::insert(),
        plans::count_documents(),
        OperationKind::EstimatedCount {},
        plans::distinct("a"),
        plans::aggregate(&serde_json::json!([]), Some(2)),
        plans::find_many(Limits {
            skip: Some(3),
            ..Limits::default()
        }),
    ];
    let plan = plan(shared().uri().expose(), "further_reads", kinds);
    let none_matches = || rawdoc! {"_id": 99_i64};
    let stages = |matched: RawDocumentBuf| rawdoc! {"pipeline": [{"$match": matched}]};
    let mut operations: Vec<_> = (1..=5_i64)
        .map(|number| prepared(0, none(), rawdoc! {"_id": number, "a": number % 2}))
        .collect();
    operations.extend([
        prepared(1, rawdoc! {}, none()),
        prepared(1, none_matches(), none()),
        prepared(2, none(), none()),
        prepared(3, rawdoc! {}, none()),
        prepared(3, none_matches(), none()),
        with(prepared(4, none(), none()), stages(rawdoc! {"a": 1_i64})),
        with(prepared(4, none(), none()), stages(none_matches())),
        prepared(5, rawdoc! {}, none()),
    ]);
    let outcomes = execute(&plan, &operations);
    let expected = [
        ("ok", Some(5)), // count_documents
        ("not_found", Some(0)),
        ("ok", Some(5)), // estimated_count
        ("ok", Some(2)), // distinct
        ("not_found", Some(0)),
        ("ok", Some(3)), // aggregate, in two batches
        ("not_found", Some(0)),
        ("ok", Some(2)), // two are left behind three
    ];
    let reads = &outcomes[5..];
    assert_eq!(reads.iter().map(shown).collect::<Vec<_>>(), expected);
    assert!(reads.iter().all(|outcome| outcome.retries == 0));
    let document = rawdoc! {"_id": 1_i64, "a": 1_i64}.as_bytes().len() as u64;
    assert_eq!(reads[5].bytes_in, 3 * document);
}

#[test]
fn what_finds_and_modifies_returns_the_document_as_it_was_or_is() {
    let kinds = vec![
        plans::insert(),
        plans::find_one_and_update(false, Returned::Before),
        plans::find_one_and_update(true, Returned::After),
        plans::find_one_and_update(true, Returned::Before),
        plans::find_one_and_replace(),
        plans::find_one_and_delete(),
    ];
    let plan = plan(shared().uri().expose(), "find_and_modify", kinds);
    let id = |id: i64| rawdoc! {"_id": id};
    let add = || rawdoc! {"$inc": {"a": 1_i32}, "$set": {"b": 1_i32}};
    let mut operations = vec![
        prepared(0, none(), rawdoc! {"_id": 1_i64, "a": 1_i32}),
        prepared(1, id(1), add()),
        prepared(1, id(99), add()),
        prepared(2, id(1), add()),
        prepared(3, id(2), add()),
        prepared(4, id(2), rawdoc! {"z": 1_i32}),
        prepared(4, id(99), rawdoc! {"z": 1_i32}),
        prepared(5, id(2), none()),
        prepared(5, id(2), none()),
    ];
    for operation in &mut operations {
        operation.wants_document = true;
    }
    let outcomes = execute(&plan, &operations);
    let expected = [
        ("ok", Some(1)),
        ("ok", Some(1)),
        ("not_found", Some(0)),
        ("ok", Some(1)),
        ("ok", Some(1)), // inserted, and nothing was there before
        ("ok", Some(1)),
        ("not_found", Some(0)),
        ("ok", Some(1)),
        ("not_found", Some(0)),
    ];
    assert_eq!(outcomes.iter().map(shown).collect::<Vec<_>>(), expected);
    let document = |at: usize| outcomes[at].document.clone();
    assert_eq!(document(1), Some(rawdoc! {"_id": 1_i64, "a": 1_i32}));
    assert_eq!(document(3), Some(rawdoc! {"_id": 1_i64, "a": 3_i32}));
    assert_eq!(document(4), None);
    assert_eq!(document(5), Some(rawdoc! {"_id": 2_i64, "z": 1_i32}));
    assert_eq!(
        on_engine_thread(documents("find_and_modify", "c")),
        [doc! {"_id": 1_i64, "a": 3, "b": 1}]
    );
}

#[test]
fn updates_take_stages_and_name_the_elements_of_arrays() {
    let filtered = OperationKind::UpdateOne {
        filter: plans::template(&serde_json::json!({})),
        update: plans::template(&serde_json::json!({})),
        upsert: false,
        array_filters: Some(plans::template(&serde_json::json!([]))),
    };
    let kinds = vec![
        plans::insert(),
        plans::update_one(false),
        plans::update_many(),
        filtered,
    ];
    let plan = plan(shared().uri().expose(), "stages", kinds);
    let stages = || rawdoc! {"update": [{"$set": {"sum": {"$sum": "$l"}}}]};
    let outcomes = execute(
        &plan,
        &[
            prepared(0, none(), rawdoc! {"_id": 1_i64, "l": [1_i32, 2_i32]}),
            prepared(0, none(), rawdoc! {"_id": 2_i64, "l": [5_i32]}),
            with(prepared(1, rawdoc! {"_id": 1_i64}, none()), stages()),
            with(prepared(2, rawdoc! {}, none()), stages()),
            with(
                prepared(
                    3,
                    rawdoc! {"_id": 1_i64},
                    rawdoc! {"$inc": {"l.$[big]": 10_i32}},
                ),
                rawdoc! {"array_filters": [{"big": {"$gt": 1_i32}}]},
            ),
        ],
    );
    let shown: Vec<_> = outcomes.iter().skip(2).map(shown).collect();
    assert_eq!(shown, [("ok", Some(1)); 3]);
    assert_eq!(
        on_engine_thread(documents("stages", "c")),
        [
            doc! {"_id": 1_i64, "l": [1, 12], "sum": 3},
            doc! {"_id": 2_i64, "l": [5], "sum": 5}
        ]
    );
}

#[test]
fn the_options_of_an_operation_hold_for_it_alone() {
    let kinds = vec![
        plans::insert(),
        plans::insert(),
        plans::find_one(),
        plans::find_one(),
    ];
    let mut plan = plan(shared().uri().expose(), "options", kinds);
    plan.operations[1].options.write_concern = Some(WriteConcern::Members(0));
    plan.operations[2].options.collation = Some(serde_json::json!({"locale": "en", "strength": 2}));
    plan.operations[2].options.read_concern = Some("majority".to_owned());
    plan.operations[3].options.hint = Some(serde_json::json!("no such index"));
    let filter = || rawdoc! {"name": "ANNE"};
    let outcomes = execute(
        &plan,
        &[
            prepared(0, none(), rawdoc! {"_id": 1_i64, "name": "anne"}),
            prepared(1, none(), rawdoc! {"_id": 2_i64}),
            prepared(2, filter(), none()),
            prepared(3, filter(), none()),
        ],
    );
    let first: Vec<_> = outcomes[..3].iter().map(shown).collect();
    assert_eq!(first, [("ok", Some(1)), ("ok", None), ("ok", Some(1))]);
    let OperationResult::Error(error) = &outcomes[3].result else {
        panic!("there is no such index: {:?}", outcomes[3]);
    };
    assert_eq!(error.class, ErrorClass::Server(2));
}

#[test]
fn a_command_goes_to_the_database_that_it_names() {
    let command = |admin| OperationKind::Command {
        command: plans::template(&serde_json::json!({"ping": 1})),
        admin,
    };
    let kinds = vec![command(false), command(true)];
    let plan = plan(shared().uri().expose(), "commands", kinds);
    let send = |operation, command: RawDocumentBuf| {
        with(
            prepared(operation, none(), none()),
            rawdoc! {"command": command},
        )
    };
    let insert = || rawdoc! {"insert": "c", "documents": [{"_id": 1_i64}, {"_id": 2_i64}]};
    let outcomes = execute(
        &plan,
        &[
            send(1, rawdoc! {"replSetGetStatus": 1_i32}),
            send(0, insert()),
            send(0, insert()),
            send(0, rawdoc! {"replSetGetStatus": 1_i32}),
        ],
    );
    assert_eq!(shown(&outcomes[0]), ("ok", Some(0)));
    assert_eq!(shown(&outcomes[1]), ("ok", Some(2)));
    let code = |at: usize| match &outcomes[at].result {
        OperationResult::Error(error) => error.class,
        other => panic!("{other:?}"),
    };
    assert_eq!(code(2), ErrorClass::Server(11000));
    assert_eq!(code(3), ErrorClass::Server(13), "it is for `admin` only");
}

#[test]
fn each_connect_opens_a_connection_of_its_own() {
    async fn connections(key: &str) -> i64 {
        let admin = crate::deployment::onlooker().await.database("admin");
        let status = admin
            .run_command(doc! {"serverStatus": 1})
            .await
            .expect("a status");
        let connections = status.get_document("connections").expect("connections");
        let number = connections.get(key).expect("a number");
        number
            .as_i64()
            .or(number.as_i32().map(i64::from))
            .expect("whole")
    }
    let plan = plan(
        shared().uri().expose(),
        "connects",
        vec![OperationKind::Connect {}],
    );
    let before = on_engine_thread(connections("totalCreated"));
    let outcomes = execute(&plan, &vec![prepared(0, none(), none()); 5]);
    assert_eq!(
        outcomes.iter().map(shown).collect::<Vec<_>>(),
        [("ok", Some(0)); 5]
    );
    let opened = on_engine_thread(connections("totalCreated")) - before;
    assert!(opened >= 5, "{opened}");
}
