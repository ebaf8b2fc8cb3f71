//! Transactions: all or nothing, what they count, and what is begun again.

use docstone_engine::target::{OperationResult, Pool, Session};
use docstone_model::plan::Limits;
use docstone_model::{ErrorClass, OperationKind};
use docstone_mongo::MongoTarget;
use docstone_workload::PreparedOperation;
use mongodb::bson::{doc, rawdoc};

use crate::deployment::{close, documents, on_engine_thread, onlooker, open, shared};
use crate::operations::{execute, none, prepared, shown};
use crate::plans::{self, plan};

fn kinds() -> Vec<OperationKind> {
    vec![
        plans::find_many(Limits {
            batch_size: Some(2),
            ..Limits::default()
        }),
        plans::update_one(false),
        plans::insert(),
    ]
}

fn transfer(changed: i64, inserted: i64) -> PreparedOperation {
    PreparedOperation {
        calls: vec![
            prepared(0, rawdoc! {}, none()),
            prepared(0, rawdoc! {"_id": changed}, rawdoc! {"$inc": {"v": 1_i32}}),
            prepared(0, none(), rawdoc! {"_id": inserted, "v": 0_i32}),
        ],
        ..prepared(1, none(), none())
    }
}

fn inserts() -> Vec<PreparedOperation> {
    let insert = |id: i64| prepared(0, none(), rawdoc! {"_id": id, "v": 0_i32});
    (1..=3).map(insert).collect()
}

#[test]
fn a_transaction_is_done_whole_or_not_at_all() {
    let all = vec![plans::insert(), plans::transaction(kinds())];
    let plan = plan(shared().uri().expose(), "transactions", all);
    let mut operations = inserts();
    operations.extend([transfer(1, 4), transfer(2, 4)]);
    let outcomes = execute(&plan, &operations);
    // Three read in two batches, one changed, one inserted.
    assert_eq!(shown(&outcomes[3]), ("ok", Some(5)));
    assert_eq!(outcomes[3].retries, 0);
    assert_eq!(
        outcomes[3].bytes_in,
        3 * rawdoc! {"_id": 1_i64, "v": 0_i32}.as_bytes().len() as u64
    );
    let OperationResult::Error(error) = &outcomes[4].result else {
        panic!("the key is there: {:?}", outcomes[4]);
    };
    assert_eq!(error.class, ErrorClass::Server(11000));
    assert_eq!(outcomes[4].documents, Some(0));
    let left = on_engine_thread(documents("transactions", "c"));
    let values: Vec<i32> = left.iter().map(|of| of.get_i32("v").expect("v")).collect();
    assert_eq!(
        values,
        [1, 0, 0, 0],
        "what the second has changed was undone"
    );
}

#[test]
fn a_transaction_that_meets_another_is_begun_again_and_that_is_a_retry() {
    let all = vec![plans::insert(), plans::transaction(kinds())];
    let plan = plan(shared().uri().expose(), "conflicts", all);
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    on_engine_thread(async {
        let pool = open(&target, 2).await;
        let mut session = pool.session();
        for insert in inserts() {
            let _ = session.execute(&insert).await;
        }
        // Another transaction has changed the document and has not ended.
        let client = onlooker().await;
        let collection = client
            .database("conflicts")
            .collection::<mongodb::bson::Document>("c");
        let mut other = client.start_session().await.expect("a session");
        other.start_transaction().await.expect("a transaction");
        let changed = collection.update_one(doc! {"_id": 1_i64}, doc! {"$set": {"v": 10}});
        let _ = changed.session(&mut other).await.expect("changed");
        let ends = async {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            other.commit_transaction().await.expect("committed");
        };
        let operation = transfer(1, 4);
        let (outcome, ()) = tokio::join!(session.execute(&operation), ends);
        assert_eq!(shown(&outcome), ("ok", Some(5)));
        assert!(outcome.retries > 0, "{outcome:?}");
        drop(session);
        close(pool).await;
    });
    let left = on_engine_thread(documents("conflicts", "c"));
    assert_eq!(left[0], doc! {"_id": 1_i64, "v": 11});
}

#[test]
fn a_transaction_that_finds_nothing_is_a_miss() {
    let find = vec![plans::transaction(vec![
        plans::find_one(),
        plans::count_documents(),
    ])];
    let plan = plan(shared().uri().expose(), "empty_transactions", find);
    let nothing = PreparedOperation {
        calls: vec![
            prepared(0, rawdoc! {"_id": 99_i64}, none()),
            prepared(0, rawdoc! {"_id": 99_i64}, none()),
        ],
        ..prepared(0, none(), none())
    };
    assert_eq!(
        shown(&execute(&plan, &[nothing])[0]),
        ("not_found", Some(0))
    );
}
