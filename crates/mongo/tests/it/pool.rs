//! Connections: opened beforehand, counted, replaced; attempts that the driver repeats.

use std::time::{Duration, Instant};

use docstone_engine::target::{OperationResult, Outcome, Pool, PoolShare, Session, Target};
use docstone_model::ErrorClass;
use docstone_model::plan::Limits;
use docstone_mongo::{MongoPool, MongoTarget};
use docstone_workload::PreparedOperation;
use mongodb::bson::{RawDocumentBuf, doc, rawdoc};

use crate::deployment::{
    FailPoint, admin, close, on_engine_thread, open, shared, three_members, uri_with,
};
use crate::plans::{self, plan};

fn insert(id: i64) -> PreparedOperation {
    PreparedOperation {
        payload: rawdoc! {"_id": id},
        ..PreparedOperation::default()
    }
}

fn find(filter: RawDocumentBuf) -> PreparedOperation {
    PreparedOperation {
        filter,
        ..PreparedOperation::default()
    }
}

fn connect(plan: &docstone_model::Plan) -> MongoTarget {
    MongoTarget::connect(plan).unwrap_or_else(|error| panic!("{error}"))
}

fn class(outcome: &Outcome) -> Option<ErrorClass> {
    match &outcome.result {
        OperationResult::Error(error) => Some(error.class),
        _ => None,
    }
}

#[test]
fn all_connections_are_open_before_the_first_operation() {
    let target = connect(&plan(
        &uri_with("appName=warm"),
        "warm",
        vec![plans::insert()],
    ));
    on_engine_thread(async {
        let pool = open(&target, 64).await;
        let counts = pool.connections();
        assert_eq!((counts.opened, counts.closed, counts.failed), (64, 0, 0));
        // The server agrees; besides there are monitors, which authenticate to nothing.
        let operations = admin(doc! {"currentOp": 1, "$all": true, "appName": "warm"}).await;
        let connections = operations.get_array("inprog").expect("inprog").len();
        assert!(connections >= 64, "{connections}");
        let mut session = pool.session();
        let outcome = session.execute(&insert(1)).await;
        assert!(matches!(outcome.result, OperationResult::Ok));
        assert_eq!(pool.connections().opened, 64);
        drop(session);
        close(pool).await;
    });
}

#[test]
fn connections_are_opened_at_the_pace_that_was_asked_for() {
    let mut plan = plan(&uri_with("appName=paced"), "paced", vec![plans::insert()]);
    plan.target.connect_rate_per_s = Some(20.0);
    let target = connect(&plan);
    on_engine_thread(async {
        let started = Instant::now();
        let pool = open(&target, 12).await;
        let took = started.elapsed();
        assert_eq!(pool.connections().opened, 12);
        // Two monitors and twelve connections at 20 a second, the last group of four at no wait.
        assert!(took >= Duration::from_millis(400), "{took:?}");
        close(pool).await;
    });
}

/// A server that takes one connection after the other, as one does on a machine that is busy.
fn one_after_the_other(server: u16, pause: Duration) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let forwarding = async move {
        listener.set_nonblocking(true).expect("a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::time::sleep(pause).await;
            drop(tokio::spawn(async move {
                let address = ("127.0.0.1", server);
                let mut server = tokio::net::TcpStream::connect(address).await?;
                tokio::io::copy_bidirectional(&mut client, &mut server).await
            }));
        }
    };
    // It ends with this process.
    let _ = std::thread::spawn(move || on_engine_thread(forwarding));
    port
}

#[test]
fn connections_that_keep_coming_are_waited_for_however_long_all_of_them_take() {
    let slow = one_after_the_other(shared().members()[0].port, Duration::from_millis(25));
    let uri = format!("mongodb://127.0.0.1:{slow}/?directConnection=true");
    let mut plan = plan(&uri, "slow", vec![plans::find_one()]);
    let limit = Duration::from_secs(3);
    plan.target.connect_timeout_ns = 3_000_000_000;
    let target = connect(&plan);
    on_engine_thread(async {
        let started = Instant::now();
        let pool = open(&target, 150).await;
        let took = started.elapsed();
        assert!(took > limit, "{took:?}");
        let counts = pool.connections();
        assert_eq!((counts.opened, counts.failed), (150, 0));
        close(pool).await;
    });
}

#[test]
fn a_write_that_the_driver_repeats_counts_as_one_with_a_retry() {
    let point = FailPoint::new();
    let target = connect(&plan(
        &uri_with("appName=retried"),
        "retried",
        vec![plans::insert()],
    ));
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        let broken = doc! {"failCommands": ["insert"], "closeConnection": true};
        point.set(doc! {"times": 1}, "retried", broken).await;
        let outcome = session.execute(&insert(1)).await;
        assert_eq!(class(&outcome), None);
        assert_eq!((outcome.retries, outcome.documents), (1, Some(1)));
        assert_eq!(session.execute(&insert(2)).await.retries, 0);
        drop(session);
        close(pool).await;
    });
}

#[test]
fn without_retryable_writes_a_broken_connection_is_a_network_error() {
    let point = FailPoint::new();
    let uri = uri_with("appName=unretried&retryWrites=false");
    let target = connect(&plan(&uri, "unretried", vec![plans::insert()]));
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        let broken = doc! {"failCommands": ["insert"], "closeConnection": true};
        point.set(doc! {"times": 1}, "unretried", broken).await;
        let outcome = session.execute(&insert(1)).await;
        assert_eq!(
            (class(&outcome), outcome.retries),
            (Some(ErrorClass::Network), 0)
        );
        // The next operation gets a new connection.
        assert_eq!(class(&session.execute(&insert(2)).await), None);
        drop(session);
        close(pool).await;
    });
}

#[test]
fn a_count_is_repeated_as_other_reads_are() {
    let point = FailPoint::new();
    let target = connect(&plan(
        &uri_with("appName=recount"),
        "recount",
        vec![plans::count()],
    ));
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        let broken = doc! {"failCommands": ["count"], "errorCode": 11602};
        point.set(doc! {"times": 1}, "recount", broken).await;
        let outcome = session.execute(&find(rawdoc! {})).await;
        assert_eq!((class(&outcome), outcome.retries), (None, 1));
        drop(session);
        close(pool).await;
    });
}

#[test]
fn further_batches_of_a_cursor_are_no_retries() {
    let kind = plans::find_many(Limits {
        batch_size: Some(10),
        ..Limits::default()
    });
    let mut plan = plan(&uri_with("appName=batches"), "batches", vec![kind]);
    plan.data = vec![plans::numbered(95)];
    let target = connect(&plan);
    target
        .set_up(&mut |_| {}, &|| false)
        .unwrap_or_else(|error| panic!("{error}"));
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        let outcome = session.execute(&find(rawdoc! {})).await;
        assert_eq!((outcome.documents, outcome.retries), (Some(95), 0));
        assert!(outcome.connection_wait_ns > 0);
        drop(session);
        close(pool).await;
    });
}

#[test]
fn errors_of_the_server_are_classed_by_their_code() {
    let point = FailPoint::new();
    let target = connect(&plan(
        &uri_with("appName=codes"),
        "codes",
        vec![plans::insert()],
    ));
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        let failing = doc! {"failCommands": ["insert"], "errorCode": 13};
        point.set(doc! {"times": 1}, "codes", failing).await;
        assert_eq!(
            class(&session.execute(&insert(1)).await),
            Some(ErrorClass::Server(13))
        );
        let unconfirmed = doc! {"failCommands": ["insert"], "writeConcernError":
        {"code": 64, "codeName": "WriteConcernFailed", "errmsg": "waiting for replication"}};
        point.set(doc! {"times": 1}, "codes", unconfirmed).await;
        let outcome = session.execute(&insert(2)).await;
        assert_eq!(class(&outcome), Some(ErrorClass::Server(64)));
        drop(session);
        close(pool).await;
    });
}

#[test]
fn an_operation_that_is_given_up_has_its_connection_replaced() {
    let point = FailPoint::new();
    let target = connect(&plan(
        &uri_with("appName=given-up"),
        "given_up",
        vec![plans::find_one()],
    ));
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let mut session = pool.session();
        let slow = doc! {"failCommands": ["find"], "blockConnection": true, "blockTimeMS": 3_000};
        point.set(doc! {"times": 1}, "given-up", slow).await;
        let look = find(rawdoc! {"_id": 1_i64});
        let given_up = tokio::time::timeout(Duration::from_millis(300), session.execute(&look));
        assert!(given_up.await.is_err());
        let outcome = session.execute(&look).await;
        assert!(matches!(outcome.result, OperationResult::NotFound));
        let counts = pool.connections();
        assert_eq!((counts.opened, counts.closed, counts.failed), (2, 1, 0));
        point.off().await;
        drop(session);
        close(pool).await;
    });
}

#[test]
fn a_small_pool_makes_workers_wait_and_the_wait_is_reported() {
    let point = FailPoint::new();
    let uri = uri_with("appName=small-pool");
    let target = connect(&plan(&uri, "small_pool", vec![plans::find_one()]));
    on_engine_thread(async {
        let pool = open(&target, 1).await;
        let slow = doc! {"failCommands": ["find"], "blockConnection": true, "blockTimeMS": 200};
        point.set("alwaysOn", "small-pool", slow).await;
        let (mut first, mut second) = (pool.session(), pool.session());
        let look = find(rawdoc! {"_id": 1_i64});
        let (first, second) = tokio::join!(first.execute(&look), second.execute(&look));
        point.off().await;
        let waits = [first.connection_wait_ns, second.connection_wait_ns];
        assert!(waits.iter().any(|wait| *wait >= 150_000_000), "{waits:?}");
        assert_eq!(pool.connections().opened, 1);
        close(pool).await;
    });
}

async fn share(target: &MongoTarget, threads: u32) -> MongoPool {
    let share = PoolShare {
        group: 0,
        connections: 1,
        threads,
    };
    target
        .open(share)
        .await
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_killed_primary_is_noticed_by_one_pool_and_workers_survive() {
    let mut server = three_members();
    let target = connect(&plan(
        server.uri().expose(),
        "failover",
        vec![plans::insert()],
    ));
    on_engine_thread(async {
        let (watching, silent) = (share(&target, 2).await, share(&target, 2).await);
        assert_eq!(
            watching.connections().opened,
            1,
            "only the primary gets connections"
        );
        let mut session = watching.session();
        assert_eq!(class(&session.execute(&insert(0)).await), None);
        let primary = server.primary().expect("a primary");
        server.kill(primary).expect("killed");
        let deadline = Instant::now() + Duration::from_secs(40);
        let mut number = 1;
        let mut events = Vec::new();
        while !events.iter().any(|kind| *kind != "primary_lost") {
            assert!(
                Instant::now() < deadline,
                "no new primary was noticed: {events:?}"
            );
            let _ = session.execute(&insert(number)).await;
            number += 1;
            events.extend(watching.take_events().into_iter().map(|event| event.kind));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(class(&session.execute(&insert(number)).await), None);
        assert!(silent.take_events().is_empty());
        drop(session);
        close(watching).await;
        close(silent).await;
    });
}

#[test]
fn the_shared_server_is_described() {
    let target = connect(&plan(
        shared().uri().expose(),
        "described",
        vec![plans::insert()],
    ));
    let description = target.describe();
    assert_eq!(description.transport, "driver");
    assert_eq!(description.server.version.as_deref(), Some("6.0.5"));
    assert!(
        description
            .server
            .topology
            .expect("known")
            .starts_with("replica set")
    );
    assert_eq!(description.server.members.len(), 1);
    let environment = description.environment;
    assert_eq!(
        environment.write_concern.as_deref(),
        Some("majority (server default)")
    );
    assert_eq!(
        environment.read_concern.as_deref(),
        Some("local (server default)")
    );
    assert_eq!(environment.read_preference.as_deref(), Some("primary"));
    assert_eq!(environment.retry_writes, Some(true));
    assert_eq!(environment.tls.as_deref(), Some("off"));
    assert_eq!(environment.cache_size_bytes, Some(256 << 20));
    assert!(description.rtt_ns.expect("measured") > 0);
    assert!(description.server.unavailable.contains_key("network"));
}
