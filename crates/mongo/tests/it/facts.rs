//! What is read before a step: ranges of fields, the largest `_id`, empty collections, and where
//! inserts go on.

use std::sync::Arc;

use docstone_engine::target::{Target, TargetError, TargetErrorKind};
use docstone_model::plan::{Limits, SetupMode};
use docstone_model::{OperationKind, Plan};
use docstone_mongo::MongoTarget;
use docstone_workload::{Facts, Stream, Workload};
use mongodb::bson::{Document, doc};
use serde_json::json;

use crate::deployment::{on_engine_thread, onlooker, shared};
use crate::plans::{self, plan, template};

fn ranged(field: &str) -> OperationKind {
    let filter = template(&json!({field: {"$field_range": {"field": field}}}));
    OperationKind::FindMany {
        filter,
        options: Limits::default(),
    }
}

fn as_is(database: &str, kinds: Vec<OperationKind>) -> Plan {
    let mut plan = plan(shared().uri().expose(), database, kinds);
    plan.setup = SetupMode::AsIs;
    plan
}

fn prepare(plan: &Plan) -> Result<Facts, TargetError> {
    let target = MongoTarget::connect(plan).unwrap_or_else(|error| panic!("{error}"));
    target
        .set_up(&mut |_| {}, &|| false)
        .expect("nothing to set up");
    target.prepare(&plan.steps[0])
}

fn fill(database: &str, documents: Vec<Document>) {
    on_engine_thread(async {
        let collection = onlooker()
            .await
            .database(database)
            .collection::<Document>("c");
        let _ = collection.insert_many(documents).await.expect("insert");
    });
}

fn index_names(database: &str) -> Vec<String> {
    on_engine_thread(async {
        let collection = onlooker()
            .await
            .database(database)
            .collection::<Document>("c");
        let mut names = collection.list_index_names().await.expect("exists");
        names.sort();
        names
    })
}

#[test]
fn ranges_are_read_of_any_numeric_type_and_the_index_is_made() {
    fill(
        "ranges",
        vec![
            doc! {"_id": 5, "n": 2_i64},
            doc! {"_id": 7_i64, "n": 9.0},
            doc! {"_id": 9.0, "other": 1},
        ],
    );
    let facts = prepare(&as_is("ranges", vec![ranged("_id"), ranged("n")])).expect("numbers");
    assert_eq!(
        facts.field_ranges[&("c".to_owned(), "_id".to_owned())],
        (5, 9)
    );
    assert_eq!(
        facts.field_ranges[&("c".to_owned(), "n".to_owned())],
        (2, 9)
    );
    assert_eq!(index_names("ranges"), ["_id_", "n_1"]);
}

#[test]
fn an_empty_collection_is_refused_unless_the_step_inserts() {
    let error = prepare(&as_is("empty", vec![ranged("_id")])).expect_err("empty");
    assert_eq!(error.kind, TargetErrorKind::Plan);
    assert!(error.message.contains("empty.c is empty"), "{error}");
    let facts = prepare(&as_is("filling", vec![ranged("_id"), plans::insert()])).expect("fills");
    assert_eq!(
        facts.field_ranges[&("c".to_owned(), "_id".to_owned())],
        (0, 0)
    );
    assert_eq!(facts.collections["c"].max_id, None);
}

#[test]
fn a_step_finds_the_collection_made_that_it_inserts_or_upserts_into_and_one_that_reads_makes_none()
{
    let made = |database: &'static str, kind| {
        let _ = prepare(&as_is(database, vec![kind])).expect("prepared");
        on_engine_thread(async move {
            let database = onlooker().await.database(database);
            database.list_collection_names().await.expect("a list")
        })
    };
    assert_eq!(made("made_by_insert", plans::insert()), ["c"]);
    assert_eq!(made("made_by_upsert", plans::update_one(true)), ["c"]);
    assert_eq!(made("made_by_insert", plans::insert()), ["c"], "twice");
    assert!(made("read_only", plans::find_one()).is_empty());
    assert!(made("matched_only", plans::update_one(false)).is_empty());
}

#[test]
fn ids_that_are_no_numbers_have_no_range() {
    fill("texts", vec![doc! {"_id": "a"}, doc! {"_id": 3}]);
    let error = prepare(&as_is("texts", vec![ranged("_id")])).expect_err("texts");
    assert_eq!(error.kind, TargetErrorKind::Plan);
    assert!(error.message.contains("`_id`"), "{error}");
    let error = prepare(&as_is("texts", vec![ranged("n")])).expect_err("no numbers");
    assert!(
        error.message.contains("no document has a number in `n`"),
        "{error}"
    );
}

#[test]
fn inserts_go_on_after_the_largest_number() {
    fill(
        "growing",
        vec![
            doc! {"_id": 41_i64},
            doc! {"_id": 7.0},
            doc! {"_id": "text"},
        ],
    );
    let facts = prepare(&as_is("growing", vec![plans::insert()])).expect("facts");
    assert_eq!(facts.collections["c"].max_id, Some(41));
    assert_eq!(facts.collections["c"].next_document, 3);
}

/// The documents that a step inserts from these facts.
fn inserts(plan: &Plan, facts: &Facts, count: u64) -> Vec<Document> {
    let workload = Arc::new(Workload::compile(plan, facts).expect("compiles"));
    let mut stream = Stream::new(&workload, 0, 0, 0);
    let document = |number| Document::try_from(&*stream.prepare(number).payload).expect("BSON");
    (0..count).map(document).collect()
}

#[test]
fn keys_of_an_existing_collection_never_repeat_where_documents_were_deleted_between_runs() {
    let ids = [
        ("grown_object_id", json!({"_id": {"$object_id": {}}})),
        ("grown_uuid", json!({"_id": {"$uuid": {}}})),
        ("grown_default", json!({"n": 1})),
    ];
    for (database, document) in ids {
        fill(database, vec![doc! {"_id": "mine"}]);
        let document = template(&document);
        let kind = OperationKind::InsertOne { document };
        let mut plan = plan(shared().uri().expose(), database, vec![kind]);
        plan.existing = vec!["c".to_owned()];
        for run in 0..3 {
            let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
            target.set_up(&mut |_| {}, &|| false).expect("it exists");
            for step in 0..2 {
                let facts = target.prepare(&plan.steps[0]).expect("facts");
                let documents = inserts(&plan, &facts, 200);
                on_engine_thread(async {
                    let database = onlooker().await.database(database);
                    let collection = database.collection::<Document>("c");
                    let inserted = collection.insert_many(documents).await;
                    assert!(inserted.is_ok(), "run {run}, step {step}: {inserted:?}");
                    // The number of documents is then one that was there before.
                    let mut cursor = collection.find(doc! {}).limit(150).await.expect("find");
                    let mut gone = Vec::new();
                    while cursor.advance().await.expect("next") {
                        gone.push(cursor.deserialize_current().expect("BSON")["_id"].clone());
                    }
                    let gone = doc! {"_id": {"$in": gone}};
                    let _ = collection.delete_many(gone).await.expect("deleted");
                });
            }
        }
    }
}
