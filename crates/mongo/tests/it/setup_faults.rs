//! What goes wrong at the server while data are set up: one line with host, cause and cure.

use std::time::{Duration, Instant};

use docstone_engine::target::{Target, TargetError, TargetErrorKind};
use docstone_model::plan::{SetupMode, WriteConcern};
use docstone_model::{IndexPlan, Plan};
use docstone_mongo::MongoTarget;
use docstone_mongo::private::ServerOptions;
use mongodb::IndexModel;
use mongodb::bson::{Document, doc};
use mongodb::options::IndexOptions;
use serde_json::json;

use crate::deployment::{on_engine_thread, onlooker, shared, start, three_members, uri_with};
use crate::plans::{self, numbered, plan, template};

fn loading(uri: &str, database: &str, count: u64) -> Plan {
    let mut plan = plan(uri, database, vec![plans::find_one()]);
    plan.data = vec![numbered(count)];
    plan
}

fn hosts(uri: &str) -> &str {
    let rest = uri.split_once("//").expect("a scheme").1;
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    rest.split(['/', ',']).next().expect("hosts")
}

/// A failure that is about the plan's data.
fn data_fault(plan: &Plan) -> TargetError {
    let ended = MongoTarget::connect(plan)
        .and_then(|target| target.set_up(&mut |_| {}, &|| false).map(|()| target));
    ended.map(|_| ()).expect_err("refused")
}

fn failure(plan: &Plan) -> TargetError {
    let error = data_fault(plan);
    let hosts = hosts(plan.target.uri.expose());
    assert!(error.message.starts_with(hosts), "{error}");
    assert!(!error.message.contains('\n') && !error.message.contains("Kind:"));
    error
}

#[test]
fn a_write_concern_for_more_members_than_there_are_is_refused_before_anything_is_written() {
    let uri = shared().uri().expose().to_owned();
    let mut plan = loading(&uri, "concern_members", 10);
    plan.target.write_concern = Some(WriteConcern::Members(3));
    let error = failure(&plan);
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    assert!(error.message.contains("w: 3"), "{error}");
    assert!(error.help.expect("a cure").contains("`write_concern`"));

    let tagged = loading(&uri_with("w=nosuchtag"), "concern_tag", 10);
    let error = failure(&tagged);
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    assert!(error.message.contains("nosuchtag"), "{error}");
    let names = on_engine_thread(async {
        let databases = onlooker().await.list_database_names().await;
        databases.expect("a list")
    });
    assert!(
        !names.iter().any(|name| name.starts_with("concern_")),
        "{names:?}"
    );
}

#[test]
fn a_write_concern_that_members_do_not_satisfy_in_time_is_about_the_target() {
    let server = three_members();
    let uri = server.uri();
    let uri = format!("{}&wtimeoutMS=500", uri.expose());
    let secondary = (server.primary().expect("a primary") + 1) % 3;
    server.freeze(secondary).expect("frozen");
    let mut plan = loading(&uri, "concern_time", 10);
    plan.target.write_concern = Some(WriteConcern::Members(3));
    let error = failure(&plan);
    server.thaw(secondary).expect("thawed");
    assert_eq!(error.kind, TargetErrorKind::Unreachable, "{error}");
    assert!(error.message.contains("concern_time."), "{error}");
    assert!(error.help.expect("a cure").contains("`write_concern`"));
}

#[test]
fn a_document_of_another_writer_is_named_as_such() {
    let uri = shared().uri().expose().to_owned();
    let plan = loading(&uri, "two_writers", 20_000);
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    let mut intruded = false;
    let ended = target.set_up(
        &mut |_| {
            if !std::mem::replace(&mut intruded, true) {
                std::thread::spawn(|| {
                    on_engine_thread(async {
                        let database = onlooker().await.database("two_writers");
                        let document = doc! {"_id": 19_999_i64};
                        let _ = database.collection("c").insert_one(document).await;
                    });
                })
                .join()
                .expect("inserted");
            }
        },
        &|| false,
    );
    let error = ended.expect_err("a duplicate");
    assert_eq!(error.kind, TargetErrorKind::Unreachable, "{error}");
    assert!(error.message.starts_with(hosts(&uri)), "{error}");
    assert!(error.message.contains("load two_writers.c"), "{error}");
    assert!(
        error.message.contains("another run or program writes"),
        "{error}"
    );
    assert!(error.help.is_some());
}

/// How a set-up ends where somebody else changes `c` once documents have been loaded.
fn disturbed(
    plan: &Plan,
    disturb: impl AsyncFnOnce(mongodb::Collection<Document>) + Send,
) -> TargetError {
    let target = MongoTarget::connect(plan).unwrap_or_else(|error| panic!("{error}"));
    let name = plan.target.database.as_str();
    let mut disturb = Some(disturb);
    let ended = target.set_up(
        &mut |progress| {
            if progress.loaded < 5_000 {
                return;
            }
            if let Some(disturb) = disturb.take() {
                std::thread::scope(|scope| {
                    let _ = scope.spawn(|| {
                        on_engine_thread(async {
                            disturb(onlooker().await.database(name).collection("c")).await;
                        });
                    });
                });
            }
        },
        &|| false,
    );
    let error = ended.expect_err("refused");
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    assert!(error.help.is_some(), "{error}");
    error
}

#[test]
fn a_document_of_another_beside_those_that_were_just_loaded_is_refused_with_the_figures() {
    let plan = loading(shared().uri().expose(), "beside_loaded", 20_000);
    let error = disturbed(&plan, async |collection| {
        let other = doc! {"_id": 77_777_i64};
        let _ = collection.insert_one(other).await.expect("inserted");
    });
    let message = error.message;
    assert!(message.contains("20001 documents after 20000"), "{message}");
    assert!(message.contains("somebody else inserts"), "{message}");
}

#[test]
fn documents_that_go_while_others_are_loaded_are_missed_and_the_likely_cause_is_named() {
    let plan = loading(shared().uri().expose(), "gone_while_loading", 20_000);
    let delete = async |collection: mongodb::Collection<Document>| {
        let one = collection.delete_one(doc! {"_id": {"$gte": 0}}).await;
        assert_eq!(one.expect("deleted").deleted_count, 1);
    };
    let message = disturbed(&plan, delete).message;
    assert!(message.contains("19999 of 20000"), "{message}");
    assert!(message.contains("somebody else deletes"), "{message}");

    let mut kept = loading(shared().uri().expose(), "gone_from_kept", 10_000);
    kept.setup = SetupMode::Reuse;
    on_engine_thread(async {
        let collection = onlooker().await.database("gone_from_kept").collection("c");
        let limit = Duration::from_hours(1);
        let options = IndexOptions::builder().expire_after(limit).build();
        let index = IndexModel::builder().keys(doc! {"at": 1}).options(options);
        let _ = collection.create_index(index.build()).await.expect("index");
        // It hides the one that goes from the count.
        let other = doc! {"_id": -1_i64};
        let _ = collection.insert_one(other).await.expect("inserted");
    });
    let message = disturbed(&kept, delete).message;
    assert!(message.contains("not all of these"), "{message}");
    assert!(
        message.contains("at_1") && message.contains("TTL"),
        "{message}"
    );
}

#[test]
fn keys_of_the_plan_that_collide_are_about_the_plan_and_no_other_writer() {
    let uri = shared().uri().expose().to_owned();
    let mut plan = loading(&uri, "own_keys", 100);
    plan.data[0].document = Some(template(&json!({"_id": {"$int": {"min": 1, "max": 5}}})));
    let error = data_fault(&plan);
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    assert!(error.message.contains("same `_id`"), "{error}");
    assert!(!error.message.contains("another run"), "{error}");
    assert!(error.help.expect("a cure").contains("$sequence"));
}

#[test]
fn a_unique_index_that_is_there_already_is_named_when_documents_do_not_fit_it() {
    let uri = shared().uri().expose().to_owned();
    on_engine_thread(async {
        let collection = onlooker().await.database("unique_there").collection("c");
        let options = IndexOptions::builder().unique(true).build();
        let index = IndexModel::builder().keys(doc! {"n": 1}).options(options);
        let _ = collection.create_index(index.build()).await.expect("index");
        let _ = collection.insert_one(doc! {"_id": 0}).await.expect("one");
    });
    let mut plan = loading(&uri, "unique_there", 100);
    plan.setup = SetupMode::Reuse;
    let error = data_fault(&plan);
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    assert!(error.message.contains("n_1"), "{error}");
}

#[test]
fn a_unique_index_over_equal_documents_is_about_the_plan() {
    let uri = shared().uri().expose().to_owned();
    let mut plan = loading(&uri, "not_unique", 100);
    plan.data[0].indexes = vec![IndexPlan {
        keys: vec![("n".to_owned(), json!(1))],
        unique: true,
        ..IndexPlan::default()
    }];
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    let error = target.set_up(&mut |_| {}, &|| false).expect_err("refused");
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    assert!(error.message.contains("n_1"), "{error}");
    assert!(error.help.expect("a cure").contains("`unique`"));
}

#[test]
fn a_server_that_is_killed_during_the_load_ends_it_in_time_with_host_and_count() {
    let mut server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let uri = server.uri().expose().to_owned();
    let mut plan = loading(&uri, "killed", 1_000_000);
    plan.target.connect_timeout_ns = 1_000_000_000;
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    let mut killed = None;
    let ended = target.set_up(
        &mut |progress| {
            if progress.loaded >= 5_000 && killed.is_none() {
                server.kill(0).expect("killed");
                killed = Some(Instant::now());
            }
        },
        &|| false,
    );
    let error = ended.expect_err("lost");
    let waited = killed.expect("killed while loading").elapsed();
    assert!(waited < Duration::from_secs(20), "{waited:?}");
    assert_eq!(error.kind, TargetErrorKind::Unreachable, "{error}");
    assert!(error.message.starts_with(hosts(&uri)), "{error}");
    assert!(
        error
            .message
            .contains("of 1000000 documents of c were loaded"),
        "{error}"
    );
    assert!(error.help.expect("a cure").contains("goes on where"));
}

#[test]
fn a_server_that_falls_silent_does_not_hold_a_preparation_for_ever() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let uri = server.uri().expose().to_owned();
    let mut plan = plan(&uri, "silent", vec![plans::insert()]);
    plan.target.connect_timeout_ns = 500_000_000;
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    server.freeze(0).expect("frozen");
    let started = Instant::now();
    let error = target.prepare(&plan.steps[0]).expect_err("silent");
    server.thaw(0).expect("thawed");
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(error.kind, TargetErrorKind::Unreachable, "{error}");
    assert!(error.message.contains("has not answered"), "{error}");
}

#[test]
fn a_default_of_the_cluster_that_members_do_not_satisfy_ends_too() {
    let server = three_members();
    let uri = server.uri().expose().to_owned();
    let set_default = |members: i32| {
        on_engine_thread(async {
            let client = mongodb::Client::with_uri_str(&uri).await.expect("client");
            let concern = doc! {"w": members, "wtimeout": 700};
            let command = doc! {"setDefaultRWConcern": 1, "defaultWriteConcern": concern,
            "writeConcern": {"w": "majority"}};
            let _ = client
                .database("admin")
                .run_command(command)
                .await
                .expect("set");
        });
    };
    set_default(4);
    let error = failure(&loading(&uri, "default_members", 10));
    assert_eq!(error.kind, TargetErrorKind::Plan, "{error}");
    assert!(error.message.contains("setDefaultRWConcern"), "{error}");
    set_default(3);
    let secondary = (server.primary().expect("a primary") + 1) % 3;
    server.freeze(secondary).expect("frozen");
    let error = failure(&loading(&uri, "default_time", 10));
    server.thaw(secondary).expect("thawed");
    assert_eq!(error.kind, TargetErrorKind::Unreachable, "{error}");
    assert!(error.help.expect("a cure").contains("`write_concern`"));
}

#[test]
fn a_default_that_the_user_may_not_read_does_not_hold_a_set_up_for_ever() {
    let server = start(&ServerOptions {
        members: 3,
        auth: true,
        fast_elections: true,
        cache_gb: Some(0.75),
        ..ServerOptions::default()
    });
    let uri = server.uri().expose().to_owned();
    on_engine_thread(async {
        let client = mongodb::Client::with_uri_str(&uri).await.expect("client");
        let admin = client.database("admin");
        let roles = [doc! {"role": "readWrite", "db": "default_hidden"}];
        let user = doc! {"createUser": "writer", "pwd": "word", "roles": roles.to_vec(),
        "writeConcern": {"w": 3}};
        let _ = admin.run_command(user).await.expect("a user");
        let default = doc! {"setDefaultRWConcern": 1, "defaultWriteConcern": {"w": 3},
        "writeConcern": {"w": "majority"}};
        let _ = admin.run_command(default).await.expect("set");
    });
    let hosts = uri.rsplit_once('@').expect("a user").1;
    let as_writer = format!("mongodb://writer:word@{hosts}");
    let secondary = (server.primary().expect("a primary") + 1) % 3;
    server.freeze(secondary).expect("frozen");
    let started = Instant::now();
    let error = data_fault(&loading(&as_writer, "default_hidden", 10));
    let took = started.elapsed();
    server.thaw(secondary).expect("thawed");
    assert!(took < Duration::from_mins(2), "{took:?}");
    assert_eq!(error.kind, TargetErrorKind::Unreachable, "{error}");
    for part in ["docstone_meta", "60 s", "getDefaultRWConcern"] {
        assert!(error.message.contains(part), "{error}");
    }
    assert!(error.help.expect("a cure").contains("`write_concern`"));
}
