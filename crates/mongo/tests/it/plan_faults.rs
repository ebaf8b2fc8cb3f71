//! What the server refuses in set-up because the plan is wrong: the plan is named, not the target.

use docstone_engine::target::{TargetError, TargetErrorKind};
use docstone_model::plan::SetupMode;
use docstone_model::{IndexPlan, Plan};
use docstone_mongo::MongoTarget;
use mongodb::bson::doc;
use serde_json::{Value, json};

use crate::deployment::{on_engine_thread, onlooker, shared};
use crate::plans::{self, numbered, plan, template};

fn loading(database: &str) -> Plan {
    let mut plan = plan(shared().uri().expose(), database, vec![plans::find_one()]);
    plan.data = vec![numbered(10)];
    plan
}

/// The refusal, whose message has all of these words.
fn refusal(plan: &Plan, words: &[&str]) -> TargetError {
    let ended = MongoTarget::connect(plan)
        .and_then(|target| target.set_up(&mut |_| {}, &|| false).map(|()| target));
    let error = ended.map(|_| ()).expect_err("refused");
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    for word in words {
        assert!(error.message.contains(word), "{word}: {error}");
    }
    assert!(error.help.is_some(), "{error}");
    error
}

fn indexed(database: &str, field: &str, direction: Value) -> Plan {
    let mut plan = loading(database);
    plan.data[0].indexes = vec![IndexPlan {
        keys: vec![(field.to_owned(), direction)],
        unique: false,
        ..IndexPlan::default()
    }];
    plan
}

#[test]
fn an_index_that_no_server_builds_is_about_the_plan() {
    let plan = indexed("unknown_index", "n", json!("nosuchkind"));
    let _ = refusal(&plan, &["unknown_index.c", "(67)"]);
}

#[test]
fn an_index_of_places_over_numbers_is_about_the_plan() {
    let plan = indexed("no_places", "n", json!("2dsphere"));
    let _ = refusal(&plan, &["no_places.c", "n_2dsphere"]);
}

#[test]
fn documents_that_a_validator_refuses_are_about_the_plan() {
    on_engine_thread(async {
        let database = onlooker().await.database("validated");
        let creating = database.create_collection("c");
        let validator = doc! {"n": {"$type": "string"}};
        creating.validator(validator).await.expect("created");
    });
    let mut plan = loading("validated");
    plan.setup = SetupMode::Reuse;
    let error = refusal(&plan, &["load validated.c"]);
    assert!(error.help.expect("a cure").contains("validator"));
    plan.data[0].document = Some(template(
        &json!({"_id": {"$sequence": {}}, "n": {"$string": {}}}),
    ));
    let target = MongoTarget::connect(&plan).expect("reached");
    target.set_up(&mut |_| {}, &|| false).expect("they pass");
}
