//! Data set-up: guards, loading, going on after an interruption, indexes.

use std::cell::Cell;

use docstone_engine::target::{Pool, Session, Target, TargetErrorKind};
use docstone_model::plan::SetupMode;
use docstone_model::{IndexPlan, Plan};
use docstone_mongo::{MongoTarget, SetupProgress, SetupStage};
use docstone_workload::PreparedOperation;
use mongodb::bson::{Bson, Document, doc, rawdoc};
use serde_json::json;

use crate::deployment::{close, documents, on_engine_thread, onlooker, open, shared};
use crate::plans::{self, numbered, plan, template};

fn loading(database: &str, count: u64) -> Plan {
    let mut plan = plan(shared().uri().expose(), database, vec![plans::find_one()]);
    plan.data = vec![numbered(count)];
    plan
}

fn set_up(plan: &Plan) -> Result<MongoTarget, docstone_engine::target::TargetError> {
    let target = MongoTarget::connect(plan).unwrap_or_else(|error| panic!("{error}"));
    target.set_up(&mut |_| {}, &|| false).map(|()| target)
}

fn must_set_up(plan: &Plan) -> MongoTarget {
    set_up(plan).unwrap_or_else(|error| panic!("{error}"))
}

fn ids(database: &str) -> Vec<i64> {
    let documents = on_engine_thread(documents(database, "c"));
    documents
        .iter()
        .map(|document| document.get_i64("_id").expect("a long"))
        .collect()
}

fn run(
    database: &'static str,
    collection: &'static str,
    change: impl AsyncFnOnce(mongodb::Collection<Document>),
) {
    on_engine_thread(async {
        change(onlooker().await.database(database).collection(collection)).await;
    });
}

#[test]
fn a_collection_is_loaded_completely_and_its_marker_says_so() {
    let plan = loading("load_all", 3210);
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    let mut seen: Vec<SetupProgress> = Vec::new();
    target
        .set_up(&mut |progress| seen.push(progress), &|| false)
        .expect("loaded");
    assert_eq!(ids("load_all"), (0..3210).collect::<Vec<_>>());
    let stages: Vec<SetupStage> = seen.iter().map(|progress| progress.stage).collect();
    assert_eq!(stages.first(), Some(&SetupStage::Load));
    assert_eq!(stages.last(), Some(&SetupStage::Done));
    assert!(
        seen.iter()
            .any(|progress| progress.loaded == 3210 && progress.total == 3210)
    );
    let marker = &on_engine_thread(documents("load_all", "docstone_meta"))[0];
    assert_eq!(marker.get_str("_id").expect("a name"), "c");
    assert!(marker.get_bool("complete").expect("a flag"));
    assert_eq!(marker.get_i64("count").expect("a long"), 3210);
    target.finish().expect("finished");
    let marker = &on_engine_thread(documents("load_all", "docstone_meta"))[0];
    assert!(marker.contains_key("last_run_ended_at"));
}

#[test]
fn a_collection_of_somebody_else_is_refused_and_left_alone() {
    run("foreign", "c", async |foreign| {
        let _ = foreign
            .insert_one(doc! {"_id": "mine"})
            .await
            .expect("insert");
    });
    let error = set_up(&loading("foreign", 10))
        .map(|_| ())
        .expect_err("refused");
    assert_eq!(error.kind, TargetErrorKind::Plan);
    assert!(error.message.contains("foreign.c exists"), "{error}");
    let help = error.help.expect("help");
    assert!(
        help.contains("--drop") && help.contains("--reuse"),
        "{help}"
    );
    let left = on_engine_thread(documents("foreign", "c"));
    assert_eq!(left, [doc! {"_id": "mine"}]);
}

#[test]
fn the_same_data_plan_is_used_again_and_another_is_refused() {
    let plan = loading("again", 20);
    let _ = must_set_up(&plan);
    let _ = must_set_up(&plan);
    assert_eq!(ids("again").len(), 20);
    let mut other_seed = plan.clone();
    other_seed.seed = 2;
    let error = set_up(&other_seed).map(|_| ()).expect_err("another seed");
    assert!(error.message.contains("another data plan"), "{error}");
    other_seed.setup = SetupMode::Drop;
    let _ = must_set_up(&other_seed);
    assert_eq!(ids("again").len(), 20);
}

#[test]
fn loading_goes_on_where_it_was_stopped() {
    let plan = loading("stopped", 50_000);
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    let loaded = Cell::new(0);
    let stopped = target.set_up(&mut |progress| loaded.set(progress.loaded), &|| {
        loaded.get() >= 5_000
    });
    let error = stopped.expect_err("stopped");
    assert_eq!(
        (error.kind, error.message.as_str()),
        (TargetErrorKind::Setup, "interrupted")
    );
    let part = ids("stopped").len();
    assert!((5_000..50_000).contains(&part), "{part}");
    let _ = must_set_up(&plan);
    assert_eq!(ids("stopped"), (0..50_000).collect::<Vec<_>>());
}

#[test]
fn documents_that_a_run_deleted_are_loaded_again() {
    let mut plan = loading("deleted", 100);
    plan.operations[0].kind = plans::delete_one();
    let target = must_set_up(&plan);
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        let delete = PreparedOperation {
            filter: rawdoc! {"_id": 7_i64},
            ..Default::default()
        };
        assert_eq!(session.execute(&delete).await.documents, Some(1));
        drop(session);
        close(pool).await;
    });
    assert_eq!(ids("deleted").len(), 99);
    let _ = must_set_up(&plan);
    assert_eq!(ids("deleted"), (0..100).collect::<Vec<_>>());
}

#[test]
fn reuse_keeps_what_fits_and_loads_what_is_missing() {
    run("reused", "c", async |given| {
        let some = [
            doc! {"_id": 3, "mine": true},
            doc! {"_id": 8.0, "mine": true},
        ];
        let _ = given.insert_many(some).await.expect("insert");
    });
    let mut plan = loading("reused", 10);
    plan.setup = SetupMode::Reuse;
    let _ = must_set_up(&plan);
    let documents = on_engine_thread(documents("reused", "c"));
    assert_eq!(documents.len(), 10);
    let mine = documents
        .iter()
        .filter(|document| document.contains_key("mine"))
        .count();
    assert_eq!(mine, 2);
}

#[test]
fn reuse_refuses_another_kind_of_id_and_too_many_documents() {
    run("unfit_ids", "c", async |given| {
        let _ = given
            .insert_one(doc! {"_id": "text"})
            .await
            .expect("insert");
    });
    let mut plan = loading("unfit_ids", 10);
    plan.setup = SetupMode::Reuse;
    let error = set_up(&plan).map(|_| ()).expect_err("another kind");
    assert!(
        error.message.contains("a string") && error.message.contains("a number"),
        "{error}"
    );
    run("unfit_count", "c", async |given| {
        let many: Vec<Document> = (0..11).map(|id| doc! {"_id": id}).collect();
        let _ = given.insert_many(many).await.expect("insert");
    });
    let mut plan = loading("unfit_count", 10);
    plan.setup = SetupMode::Reuse;
    let error = set_up(&plan).map(|_| ()).expect_err("too many");
    assert!(
        error.message.contains("11") && error.message.contains("10"),
        "{error}"
    );
}

#[test]
fn a_refusal_of_one_collection_leaves_the_others_untouched() {
    run("all_or_none", "foreign", async |foreign| {
        let _ = foreign.insert_one(doc! {}).await.expect("insert");
    });
    let mut plan = loading("all_or_none", 10);
    let mut second = numbered(10);
    second.name = "foreign".to_owned();
    plan.data.push(second);
    assert!(set_up(&plan).is_err());
    assert!(ids("all_or_none").is_empty());
}

#[test]
fn drop_database_drops_all_once_before_loading() {
    run("dropped", "other", async |other| {
        let _ = other.insert_one(doc! {}).await.expect("insert");
    });
    let mut plan = loading("dropped", 5);
    plan.setup = SetupMode::DropDatabase;
    let _ = must_set_up(&plan);
    assert_eq!(ids("dropped").len(), 5);
    assert!(on_engine_thread(documents("dropped", "other")).is_empty());
}

#[test]
fn indexes_and_empty_collections_are_created() {
    let mut plan = loading("indexed", 0);
    plan.data[0].indexes = vec![IndexPlan {
        keys: vec![("a".to_owned(), json!(1)), ("b".to_owned(), json!(-1))],
        unique: true,
        ..IndexPlan::default()
    }];
    let _ = must_set_up(&plan);
    let _ = must_set_up(&plan);
    on_engine_thread(async {
        let collection = onlooker()
            .await
            .database("indexed")
            .collection::<Document>("c");
        let mut names = collection.list_index_names().await.expect("exists");
        names.sort();
        assert_eq!(names, ["_id_", "a_1_b_-1"]);
    });
}

#[test]
fn a_document_that_cannot_be_encoded_is_refused_before_anything_is_dropped() {
    let mut plan = loading("too_large", 3);
    let _ = must_set_up(&plan);
    plan.setup = SetupMode::Drop;
    let text = json!({"_id": {"$sequence": {}}, "a": {"$string": {"length": 16_000_000}},
                      "b": {"$string": {"length": 16_000_000}}});
    plan.data[0].document = Some(template(&text));
    let error = set_up(&plan).map(|_| ()).expect_err("too large");
    assert_eq!(error.kind, TargetErrorKind::Plan);
    assert_eq!(ids("too_large").len(), 3);
}

#[test]
fn each_run_that_inserts_has_an_era_of_its_own() {
    let mut plan = loading("eras", 4);
    plan.operations[0].kind = plans::insert();
    let mut eras = Vec::new();
    for run in 0..3_i64 {
        let target = must_set_up(&plan);
        let facts = target
            .prepare(&plan.steps[0])
            .unwrap_or_else(|error| panic!("{error}"));
        eras.push(facts.collections["c"]);
        let id = Bson::Int64(100 + run);
        run_insert(id);
    }
    assert_eq!(
        eras.iter().map(|facts| facts.era).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    let next: Vec<u64> = eras.iter().map(|facts| facts.next_document).collect();
    assert_eq!(next, [4, 5, 6]);
    let largest: Vec<Option<i64>> = eras.iter().map(|facts| facts.max_id).collect();
    assert_eq!(largest, [Some(3), Some(100), Some(101)]);
}

fn run_insert(id: Bson) {
    run("eras", "c", async move |grown| {
        let _ = grown.insert_one(doc! {"_id": id}).await.expect("insert");
    });
}

#[test]
fn steps_of_one_run_draw_from_eras_of_their_own_and_the_next_run_goes_on() {
    let mut plan = loading("step_eras", 4);
    plan.operations[0].kind = plans::insert();
    let era = |target: &MongoTarget| {
        let facts = target.prepare(&plan.steps[0]);
        facts.unwrap_or_else(|error| panic!("{error}")).collections["c"].era
    };
    let first = must_set_up(&plan);
    assert_eq!([era(&first), era(&first), era(&first)], [0, 1, 2]);
    assert_eq!(era(&must_set_up(&plan)), 3);
}
