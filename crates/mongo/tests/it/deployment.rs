//! The servers that the tests run against, and ways to look at them from outside.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use docstone_engine::target::{Pool, PoolShare, Target};
use docstone_mongo::MongoPool;
use docstone_mongo::private::{PrivateServer, ServerOptions};
use mongodb::Client;
use mongodb::bson::{Document, RawDocumentBuf, doc};
use mongodb::options::ReadPreference;

/// A server of one member with fail points, shared by all tests that need no other.
pub(crate) fn shared() -> &'static PrivateServer {
    static SHARED: OnceLock<PrivateServer> = OnceLock::new();
    SHARED.get_or_init(|| {
        start(&ServerOptions {
            test_commands: true,
            cache_gb: Some(0.25),
            ..ServerOptions::default()
        })
    })
}

pub(crate) fn start(options: &ServerOptions) -> PrivateServer {
    PrivateServer::start(options).unwrap_or_else(|error| panic!("{error}"))
}

/// A replica set of three members that is quick to elect.
pub(crate) fn three_members() -> PrivateServer {
    start(&ServerOptions {
        members: 3,
        fast_elections: true,
        cache_gb: Some(0.75),
        ..ServerOptions::default()
    })
}

/// The shared server's connection string with more options.
pub(crate) fn uri_with(options: &str) -> String {
    let uri = shared().uri().expose().to_owned();
    let separator = if uri.contains('?') { "&" } else { "/?" };
    format!("{uri}{separator}{options}")
}

/// Runs async work as an engine thread does.
pub(crate) fn on_engine_thread<T>(work: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder
        .enable_all()
        .event_interval(1)
        .build_local(tokio::runtime::LocalOptions::default());
    runtime.expect("runtime").block_on(work)
}

/// A client that is no part of what is tested.
pub(crate) async fn onlooker() -> Client {
    let uri = uri_with("appName=onlooker");
    Client::with_uri_str(uri).await.expect("a running server")
}

/// Runs a command on `admin` of the shared server.
pub(crate) async fn admin(command: Document) -> Document {
    let reply = onlooker()
        .await
        .database("admin")
        .run_command(command)
        .await;
    reply.expect("a command that the server knows")
}

/// All documents of a collection of the shared server, by `_id`.
pub(crate) async fn documents(database: &str, collection: &str) -> Vec<Document> {
    let client = onlooker().await;
    let collection = client
        .database(database)
        .collection::<RawDocumentBuf>(collection);
    let find = collection.find(doc! {}).sort(doc! {"_id": 1});
    let mut cursor = find
        .selection_criteria(ReadPreference::Primary.into())
        .await
        .expect("find");
    let mut documents = Vec::new();
    while cursor.advance().await.expect("getMore") {
        documents.push(Document::try_from(cursor.current()).expect("valid BSON"));
    }
    documents
}

/// Opens a pool of so many connections for the first group.
pub(crate) async fn open(target: &impl Target<Pool = MongoPool>, connections: u32) -> MongoPool {
    let share = PoolShare {
        group: 0,
        connections,
        threads: 1,
    };
    target
        .open(share)
        .await
        .unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) async fn close(pool: MongoPool) {
    pool.close().await;
}

/// A fail point of the shared server, off again when dropped. A server has only one
/// `failCommand` at a time, so tests that use it take turns.
pub(crate) struct FailPoint(#[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl FailPoint {
    pub(crate) fn new() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        Self(TURN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the fail point for clients of one name.
    pub(crate) async fn set(
        &self,
        mode: impl Into<mongodb::bson::Bson>,
        app: &str,
        data: Document,
    ) {
        let mut data = data;
        data.insert("appName", app);
        let command = doc! {"configureFailPoint": "failCommand", "mode": mode.into(), "data": data};
        let _ = admin(command).await;
    }

    pub(crate) async fn off(&self) {
        let _ = admin(doc! {"configureFailPoint": "failCommand", "mode": "off"}).await;
    }
}
