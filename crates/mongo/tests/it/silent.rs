//! A server that falls silent outside the load: between steps, and when it is to be described.

use std::time::{Duration, Instant};

use docstone_engine::target::Target;
use docstone_model::Plan;
use docstone_model::plan::WriteConcern;
use docstone_mongo::MongoTarget;
use docstone_mongo::private::ServerOptions;
use mongodb::bson::doc;

use crate::deployment::{on_engine_thread, start, three_members};
use crate::plans::{self, numbered, plan};

fn loading(uri: &str, database: &str) -> Plan {
    let mut plan = plan(uri, database, vec![plans::insert()]);
    plan.data = vec![numbered(10)];
    plan.target.connect_timeout_ns = 1_000_000_000;
    plan
}

fn set_up(plan: &Plan) -> MongoTarget {
    let target = MongoTarget::connect(plan).unwrap_or_else(|error| panic!("{error}"));
    target
        .set_up(&mut |_| {}, &|| false)
        .unwrap_or_else(|error| panic!("{error}"));
    target
}

#[test]
fn a_server_that_freezes_before_the_first_description_is_given_up() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let target = set_up(&loading(server.uri().expose(), "silent"));
    server.freeze(0).expect("frozen");
    let asked = Instant::now();
    let description = target.describe();
    let took = asked.elapsed();
    server.thaw(0).expect("thawed");
    assert_eq!(description.server.version, None);
    let reason = &description.server.unavailable["topology"];
    assert_eq!(reason, "the target did not answer");
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn a_description_of_a_silent_server_has_all_notes_once() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let uri = server.uri().expose().to_owned();
    let mut plan = plan(&uri, "noted", vec![plans::insert(), ranged()]);
    plan.data = vec![numbered(0)];
    let target = set_up(&plan);
    let _ = target.describe();
    for _ in 0..2 {
        let _ = target.prepare(&plan.steps[0]).expect("prepared");
    }
    server.freeze(0).expect("frozen");
    let descriptions = [target.describe(), target.describe()];
    server.thaw(0).expect("thawed");
    for description in descriptions {
        let notes = description.notes;
        let said = notes.iter().filter(|note| note.contains("is empty when"));
        assert_eq!(said.count(), 1, "{notes:?}");
        let reason = &description.server.unavailable["topology"];
        assert_eq!(
            reason,
            "the target did not answer; this is how it was before"
        );
    }
}

#[test]
fn the_defaults_of_the_deployment_are_asked_for_once_at_the_start() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let uri = server.uri().expose().to_owned();
    let asked = || {
        on_engine_thread(async {
            let client = mongodb::Client::with_uri_str(&uri).await.expect("client");
            let admin = client.database("admin");
            let status = admin.run_command(doc! {"serverStatus": 1}).await;
            let status = status.expect("the figures");
            let metrics = status.get_document("metrics").expect("metrics");
            let commands = metrics.get_document("commands").expect("commands");
            let asked = commands.get_document("getDefaultRWConcern").expect("one");
            asked.get_i64("total").expect("a count")
        })
    };
    let before = asked();
    let target = set_up(&loading(&uri, "asked_once"));
    let concern = target.describe().environment.write_concern;
    assert!(concern.expect("known").starts_with("majority"));
    assert_eq!(asked() - before, 1);
    // They may change while a run goes on.
    let _ = target.describe();
    assert_eq!(asked() - before, 2);
}

fn ranged() -> docstone_model::OperationKind {
    let filter = plans::template(&serde_json::json!({"_id": {"$field_range": {}}}));
    docstone_model::OperationKind::Count { filter }
}

#[test]
fn what_is_written_between_steps_waits_for_members_no_longer_than_set_up_does() {
    let server = three_members();
    let mut plan = loading(server.uri().expose(), "between_steps");
    plan.target.write_concern = Some(WriteConcern::Members(3));
    let target = set_up(&plan);
    let _ = target.prepare(&plan.steps[0]).expect("the first step");
    let primary = server.primary().expect("a primary");
    let secondary = (primary + 1) % 3;
    server.freeze(secondary).expect("frozen");
    let limit = std::thread::scope(|scope| {
        let preparing = scope.spawn(|| target.prepare(&plan.steps[0]).map(drop));
        let limit = on_engine_thread(limit_of_marker(server.uri().expose()));
        server.thaw(secondary).expect("thawed");
        let prepared = preparing.join().expect("ended");
        prepared.unwrap_or_else(|error| panic!("{error}"));
        limit
    });
    assert_eq!(limit, Some(60_000));
}

/// The time limit of the write of a marker that waits for members at this moment.
async fn limit_of_marker(uri: &str) -> Option<i64> {
    let client = mongodb::Client::with_uri_str(uri).await.expect("client");
    let admin = client.database("admin");
    for _ in 0..200 {
        let current = doc! {"currentOp": 1, "command.update": "docstone_meta"};
        let reply = admin.run_command(current).await.expect("the operations");
        let writing = reply.get_array("inprog").expect("a list").first();
        if let Some(writing) = writing.and_then(|of| of.as_document()) {
            let command = writing.get_document("command").expect("a command");
            let concern = command.get_document("writeConcern").ok()?;
            let limit = concern.get("wtimeout")?;
            return limit.as_i64().or(limit.as_i32().map(i64::from));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    None
}
