//! Collections that are kept from a run before: what somebody else changed in them is seen.

use docstone_engine::target::{Target, TargetError, TargetErrorKind};
use docstone_model::plan::SetupMode;
use docstone_model::{IndexPlan, Plan};
use docstone_mongo::MongoTarget;
use mongodb::bson::{Document, doc};
use mongodb::{Collection, IndexModel};
use serde_json::json;

use crate::deployment::{documents, on_engine_thread, onlooker, shared};
use crate::plans::{self, numbered, plan};

fn loading(database: &str, count: u64) -> Plan {
    let mut plan = plan(shared().uri().expose(), database, vec![plans::insert()]);
    plan.data = vec![numbered(count)];
    plan
}

/// Sets up and returns the notes.
fn set_up(plan: &Plan) -> Result<Vec<String>, TargetError> {
    let target = MongoTarget::connect(plan)?;
    target.set_up(&mut |_| {}, &|| false)?;
    Ok(target.describe().notes)
}

fn change(database: &str, change: impl AsyncFnOnce(Collection<Document>)) {
    on_engine_thread(async {
        change(onlooker().await.database(database).collection("c")).await;
    });
}

fn base(database: &str, count: i64) -> usize {
    let all = on_engine_thread(documents(database, "c"));
    let of_base = all
        .iter()
        .filter_map(|document| document.get_i64("_id").ok());
    of_base.filter(|id| (0..count).contains(id)).count()
}

#[test]
fn a_collection_that_was_emptied_and_filled_by_others_is_loaded_again_and_that_is_said() {
    let plan = loading("emptied", 20_000);
    assert!(set_up(&plan).expect("loaded").is_empty());
    assert!(set_up(&plan).expect("kept").is_empty());
    change("emptied", async |collection| {
        let _ = collection.delete_many(doc! {}).await.expect("emptied");
        let others: Vec<Document> = (0..20_000)
            .map(|at| doc! {"_id": format!("x{at}")})
            .collect();
        let _ = collection.insert_many(others).await.expect("filled");
    });
    assert_eq!(base("emptied", 20_000), 0);
    let notes = set_up(&plan).expect("loaded again");
    assert!(
        notes.iter().any(|note| note.contains("lacked documents")),
        "{notes:?}"
    );
    assert_eq!(base("emptied", 20_000), 20_000);
}

#[test]
fn one_missing_document_of_a_small_collection_is_seen_behind_an_inserted_one() {
    let plan = loading("one_gone", 500);
    let _ = set_up(&plan).expect("loaded");
    change("one_gone", async |collection| {
        let _ = collection
            .delete_one(doc! {"_id": 77})
            .await
            .expect("deleted");
        let _ = collection
            .insert_one(doc! {"_id": 600_i64})
            .await
            .expect("inserted");
    });
    let _ = set_up(&plan).expect("loaded again");
    assert_eq!(base("one_gone", 500), 500);
}

#[test]
fn reuse_with_another_count_than_the_data_have_is_said() {
    let _ = set_up(&loading("other_count", 100)).expect("loaded");
    for (count, more) in [(40, "`count` is 40"), (150, "what is missing is loaded")] {
        let mut plan = loading("other_count", count);
        plan.setup = SetupMode::Reuse;
        let notes = set_up(&plan).expect("kept");
        let said = notes
            .iter()
            .find(|note| note.contains("--reuse"))
            .expect("said");
        assert!(
            said.contains("about 100 documents") && said.contains(more),
            "{said}"
        );
    }
    assert_eq!(base("other_count", 150), 150);
}

#[test]
fn an_index_that_conflicts_is_refused_before_anything_is_loaded() {
    change("index_conflict", async |collection| {
        let index = IndexModel::builder().keys(doc! {"n": 1}).build();
        let _ = collection.create_index(index).await.expect("index");
        let _ = collection
            .insert_one(doc! {"_id": 3_i64})
            .await
            .expect("inserted");
    });
    let mut plan = loading("index_conflict", 10);
    plan.setup = SetupMode::Reuse;
    plan.data[0].indexes = vec![IndexPlan {
        keys: vec![("n".to_owned(), json!(1))],
        unique: true,
        ..IndexPlan::default()
    }];
    let error = set_up(&plan).expect_err("a conflict");
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    assert!(error.message.contains("n_1"), "{error}");
    assert!(error.help.expect("a cure").contains("drop that index"));
    assert_eq!(base("index_conflict", 10), 1);
    plan.data[0].indexes[0].unique = false;
    let _ = set_up(&plan).expect("the same index");
    assert_eq!(base("index_conflict", 10), 10);
}

/// What the server itself says of an index on `n` besides one that is there.
fn server_takes(database: &str, form: &Document) -> bool {
    on_engine_thread(async {
        let database = onlooker().await.database(database);
        let mut index = doc! {"key": {"n": 1}, "name": "n_1"};
        index.extend(form.clone());
        let command = doc! {"createIndexes": "c", "indexes": [index]};
        database.run_command(command).await.is_ok()
    })
}

/// The index of a plan on `n`, and how the server is asked for it.
fn planned() -> Vec<(IndexPlan, Document)> {
    let plain = IndexPlan {
        keys: vec![("n".to_owned(), json!(1))],
        ..IndexPlan::default()
    };
    let partial = json!({"n": {"$gt": 1}});
    let collation = json!({"locale": "de"});
    vec![
        (plain.clone(), doc! {}),
        (
            IndexPlan {
                unique: true,
                ..plain.clone()
            },
            doc! {"unique": true},
        ),
        (
            IndexPlan {
                sparse: true,
                ..plain.clone()
            },
            doc! {"sparse": true},
        ),
        (
            IndexPlan {
                expire_after_s: Some(60),
                ..plain.clone()
            },
            doc! {"expireAfterSeconds": 60},
        ),
        (
            IndexPlan {
                partial: Some(partial),
                ..plain.clone()
            },
            doc! {"partialFilterExpression": {"n": {"$gt": 1}}},
        ),
        (
            IndexPlan {
                collation: Some(collation),
                ..plain
            },
            doc! {"collation": {"locale": "de"}},
        ),
    ]
}

/// One index of each form is there, under the name that docstone gives it and under another, and
/// each form is asked for.
#[test]
fn which_indexes_conflict_is_what_the_server_says() {
    let others = [doc! {"hidden": true}, doc! {"expireAfterSeconds": 61}];
    let forms = planned().into_iter().map(|(_, form)| form).chain(others);
    for (at, form) in forms.enumerate() {
        for name in ["n_1", "mine"] {
            let mut there = doc! {"key": {"n": 1}, "name": name};
            there.extend(form.clone());
            for (number, (index, asked)) in planned().into_iter().enumerate() {
                let database = format!("index_forms_{at}_{name}_{number}");
                change(&database, async |collection| {
                    let _ = collection.insert_one(doc! {"_id": 0_i64}).await;
                });
                on_engine_thread(async {
                    let database = onlooker().await.database(&database);
                    let command = doc! {"createIndexes": "c", "indexes": [there.clone()]};
                    let _ = database.run_command(command).await.expect("an index");
                });
                let mut plan = loading(&database, 1);
                plan.setup = SetupMode::Reuse;
                plan.data[0].indexes = vec![index];
                let ours = set_up(&plan).map(drop);
                let refused_before = ours
                    .as_ref()
                    .is_err_and(|error| error.message.contains("like n_1 of the plan"));
                // What docstone takes, the server has taken already.
                assert_eq!(
                    refused_before,
                    !server_takes(&database, &asked),
                    "{there}, {asked}: {ours:?}"
                );
            }
        }
    }
}
