//! The raw command of each operation is what the driver sends for it, as the server's profiler
//! sees both.

use docstone_engine::target::{OperationResult, Pool, Session};
use docstone_model::plan::{CallOptions, Limits, Returned};
use docstone_model::{MongoUri, Plan};
use docstone_mongo::{MongoTarget, operation};
use docstone_workload::PreparedOperation;
use mongodb::Client;
use mongodb::bson::{Bson, Document, RawDocumentBuf, doc, rawdoc};

use crate::deployment::{close, on_engine_thread, onlooker, open, uri_with};
use crate::plans::{self, plan};

const DATABASE: &str = "raw_commands";

/// One of each kind, with all limits, and what it is executed with. The order makes each of them
/// touch the one document that there is.
fn operations() -> (Plan, Vec<PreparedOperation>) {
    let limits = Limits {
        projection: Some(serde_json::json!({"_id": 0})),
        sort: Some(serde_json::json!({"_id": -1})),
        skip: Some(1),
        limit: Some(3),
        batch_size: Some(2),
    };
    let kinds = vec![
        (plans::insert(), rawdoc! {"_id": 1_i64}),
        (plans::insert_many(1, false), rawdoc! {"_id": 2_i64}),
        (plans::find_one(), rawdoc! {}),
        (plans::find_many(limits), rawdoc! {}),
        (plans::count(), rawdoc! {}),
        (plans::update_one(true), rawdoc! {"$set": {"a": 1_i32}}),
        (plans::update_many(), rawdoc! {"$set": {"a": 2_i32}}),
        (plans::replace_one(false), rawdoc! {"a": 3_i32}),
        (plans::count_documents(), rawdoc! {}),
        (plans::distinct("a"), rawdoc! {}),
        (
            plans::aggregate(&serde_json::json!([]), Some(9)),
            rawdoc! {},
        ),
        (
            plans::find_one_and_update(true, Returned::After),
            rawdoc! {"$set": {"a": 4_i32}},
        ),
        (
            plans::find_one_and_update(false, Returned::Before),
            rawdoc! {},
        ),
        (plans::find_one_and_replace(), rawdoc! {"a": 5_i32}),
        (plans::delete_one(), rawdoc! {}),
        (plans::find_one_and_delete(), rawdoc! {}),
        (plans::delete_many(), rawdoc! {}),
    ];
    let arguments = |operation: usize| match operation {
        10 => {
            rawdoc! {"pipeline": [{"$match": {"_id": {"$gte": 0_i64}}}, {"$sort": {"_id": 1_i32}}]}
        }
        12 => rawdoc! {"update": [{"$set": {"a": {"$add": ["$a", 1_i32]}}}]},
        _ => rawdoc! {},
    };
    let (kinds, payloads): (Vec<_>, Vec<_>) = kinds.into_iter().unzip();
    let prepared = payloads
        .into_iter()
        .enumerate()
        .map(|(operation, payload)| PreparedOperation {
            operation,
            slot: operation,
            filter: if operation < 2 {
                RawDocumentBuf::new()
            } else {
                rawdoc! {"_id": 1_i64}
            },
            payload,
            arguments: arguments(operation),
            ..PreparedOperation::default()
        });
    (
        plan(&uri_with("appName=driver"), DATABASE, kinds),
        prepared.collect(),
    )
}

/// What the profiler kept of the commands of one client, without what differs from call to call.
async fn profiled(app: &str) -> Vec<Document> {
    let client = onlooker().await;
    let profile = client
        .database(DATABASE)
        .collection::<Document>("system.profile");
    let filter = doc! {"ns": format!("{DATABASE}.c"), "appName": app};
    let mut cursor = profile
        .find(filter)
        .sort(doc! {"$natural": 1})
        .await
        .expect("profile");
    let mut entries = Vec::new();
    while cursor.advance().await.expect("getMore") {
        entries.push(kept(
            &Document::try_from(cursor.current()).expect("valid BSON"),
        ));
    }
    entries
}

fn kept(entry: &Document) -> Document {
    let mut command = entry.get_document("command").expect("a command").clone();
    for volatile in [
        "lsid",
        "txnNumber",
        "$clusterTime",
        "$readPreference",
        "$db",
    ] {
        let _ = command.remove(volatile);
    }
    // The driver sends documents in a section of their own, which the profiler does not keep.
    let _ = command.remove("documents");
    let mut fields: Vec<(String, Bson)> = command.into_iter().collect();
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    let mut kept: Document = fields.into_iter().collect();
    for counted in [
        "op",
        "ninserted",
        "nMatched",
        "nModified",
        "ndeleted",
        "nreturned",
    ] {
        if let Some(value) = entry.get(counted) {
            let _ = kept.insert(format!("profile.{counted}"), value.clone());
        }
    }
    kept
}

#[test]
fn the_driver_sends_what_the_raw_command_says() {
    let (plan, operations) = operations();
    let mut with_options = plan.clone();
    with_options.target.uri = MongoUri::new(uri_with("appName=driver-options"));
    for operation in &mut with_options.operations {
        operation.options = options(operation.kind.parts().options);
    }
    on_engine_thread(async {
        let database = onlooker().await.database(DATABASE);
        let _ = database
            .run_command(doc! {"profile": 2})
            .await
            .expect("profiling");
    });
    compare(&plan, &operations, ["driver", "raw"]);
    compare(
        &with_options,
        &operations,
        ["driver-options", "raw-options"],
    );
}

/// Each option that an operation takes and that is part of its command.
fn options(taken: &[&str]) -> CallOptions {
    let given = |option| taken.contains(&option);
    CallOptions {
        hint: given("hint").then(|| serde_json::json!({"_id": 1})),
        collation: given("collation").then(|| serde_json::json!({"locale": "de", "strength": 2})),
        max_time_ns: given("max_time").then_some(5_000_000_000),
        comment: given("comment").then(|| "why".to_owned()),
        ..CallOptions::default()
    }
}

/// Sends all operations by the driver and as raw commands.
fn compare(plan: &Plan, operations: &[PreparedOperation], [driver, raw]: [&str; 2]) {
    let target = MongoTarget::connect(plan).unwrap_or_else(|error| panic!("{error}"));
    on_engine_thread(async {
        let database = onlooker().await.database(DATABASE);
        let collection = database.collection::<Document>("c");
        let left = collection.delete_many(doc! {}).await;
        let _ = left.expect("an empty collection");
        // The target looks at the collection when it connects.
        let before = profiled(driver).await.len();
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        for operation in operations {
            let outcome = session.execute(operation).await;
            assert!(
                !matches!(outcome.result, OperationResult::Error(_)),
                "{outcome:?}"
            );
        }
        drop(session);
        close(pool).await;
        let left = collection.delete_many(doc! {}).await;
        let _ = left.expect("an empty collection again");
        let client = Client::with_uri_str(uri_with(&format!("appName={raw}")))
            .await
            .expect("client");
        for operation in operations {
            let command = operation::command(&plan.operations[operation.operation], operation);
            let sent = client.database(DATABASE).run_raw_command(command).await;
            let _ = sent.expect("a valid command");
        }
        let by_driver = profiled(driver).await[before..].to_vec();
        assert_eq!(by_driver.len(), operations.len());
        assert_eq!(by_driver, profiled(raw).await);
    });
}
