//! The stub of the self-test: the driver takes it for a server, with every operation and
//! compressor.

use docstone_engine::target::{OperationResult, Outcome, Pool, Session};
use docstone_model::plan::Limits;
use docstone_model::{Compressor, Plan};
use docstone_mongo::{MongoPool, StubTarget};
use docstone_workload::{Documents, Payloads, PreparedOperation};
use mongodb::bson::{RawDocumentBuf, rawdoc};

use crate::deployment::{close, on_engine_thread, open};
use crate::plans::{self, plan};

const NOWHERE: &str = "mongodb://no-such-host.invalid:1/?retryWrites=true";

async fn send(pool: &MongoPool, operation: usize, payload: RawDocumentBuf) -> Outcome {
    let prepared = PreparedOperation {
        operation,
        slot: operation,
        filter: rawdoc! {"_id": 1_i64},
        batch: vec![rawdoc! {"_id": 2_i64}; usize::from(operation == 10)],
        payload,
        ..PreparedOperation::default()
    };
    pool.session().execute(&prepared).await
}

fn documents(outcome: &Outcome) -> Option<u64> {
    match &outcome.result {
        OperationResult::Ok => outcome.documents,
        other => panic!("{other:?}"),
    }
}

fn all_kinds() -> Plan {
    let limits = |limit, batch_size| Limits {
        limit,
        batch_size,
        ..Limits::default()
    };
    let mut plan = plan(
        NOWHERE,
        "stub",
        vec![
            plans::insert(),
            plans::find_one(),
            plans::find_many(limits(Some(5), Some(2))),
            plans::find_many(limits(None, None)),
            plans::count(),
            plans::update_one(false),
            plans::update_many(),
            plans::replace_one(true),
            plans::delete_one(),
            plans::delete_many(),
            plans::insert_many(2, true),
            plans::distinct("n"),
            plans::find_one_and_delete(),
            plans::aggregate(&serde_json::json!([]), None),
        ],
    );
    plan.data = vec![plans::numbered(10)];
    plan
}

#[test]
fn the_driver_takes_the_stub_for_a_server_with_every_operation_and_compressor() {
    let compressors = [
        Compressor::None,
        Compressor::Snappy,
        Compressor::Zlib(None),
        Compressor::Zstd(Some(3)),
    ];
    for compressor in compressors {
        let mut plan = all_kinds();
        plan.target.compressor = Some(compressor);
        let stub = StubTarget::start(&plan, 2, &Payloads::default())
            .unwrap_or_else(|error| panic!("{error}"));
        on_engine_thread(async {
            let pool = open(&stub, 3).await;
            let payloads = [
                rawdoc! {"_id": 1_i64, "text": "x".repeat(200_000)},
                rawdoc! {},
                rawdoc! {},
                rawdoc! {},
                rawdoc! {},
                rawdoc! {"$set": {"a": 1_i32}},
                rawdoc! {"$set": {"a": 1_i32}},
                rawdoc! {"a": 1_i32},
                rawdoc! {},
                rawdoc! {},
                rawdoc! {"_id": 1_i64},
                rawdoc! {},
                rawdoc! {},
                rawdoc! {},
            ];
            let expected = [1, 1, 5, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1];
            for round in 0..3 {
                for (operation, payload) in payloads.iter().enumerate() {
                    let outcome = send(&pool, operation, payload.clone()).await;
                    let found = documents(&outcome);
                    let wanted = Some(expected[operation]);
                    assert_eq!(found, wanted, "{compressor}, round {round}, {operation}");
                }
            }
            assert_eq!(pool.connections().opened, 3);
            assert_eq!(pool.connections().failed, 0);
            close(pool).await;
        });
        let used = stub.cpu_s();
        assert_eq!(used.len(), 2);
        assert!(used.iter().any(|cpu_s| *cpu_s > 0.0), "{used:?}");
    }
}

#[test]
fn reads_are_answered_by_the_documents_of_the_plan() {
    let plan = all_kinds();
    let document = first_document_bytes(&plan);
    let stub =
        StubTarget::start(&plan, 1, &Payloads::default()).unwrap_or_else(|error| panic!("{error}"));
    on_engine_thread(async {
        let pool = open(&stub, 1).await;
        let one = send(&pool, 1, rawdoc! {}).await;
        let five = send(&pool, 2, rawdoc! {}).await;
        assert_eq!((one.bytes_in, five.bytes_in), (document, 5 * document));
        close(pool).await;
    });
}

fn first_document_bytes(plan: &Plan) -> u64 {
    let mut documents = Documents::new(plan, &plan.data[0]).expect("it is valid");
    let mut document = RawDocumentBuf::new();
    documents.write(0, &mut document);
    document.as_bytes().len() as u64
}
