//! Private servers, with a real mongod: `DOCSTONE_MONGOD`, the PATH, or docstone's cache.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use docstone_engine::Interrupt;
use docstone_model::MongoUri;
use mongodb::bson::{Document, doc};
use rustix::process::Signal;

use super::detached::{list_in, start_detached_in, stop_in};
use super::folder::ServersFolder;
use super::process::{Process, exists};
use super::{PrivateError, PrivateServer, ServerOptions};

/// Generous: the machine may be busy.
const SOON: Duration = Duration::from_secs(30);

fn folder() -> (tempfile::TempDir, ServersFolder) {
    let root = tempfile::tempdir().expect("folder");
    let servers = ServersFolder::at(root.path());
    (root, servers)
}

fn start(servers: &ServersFolder, options: &ServerOptions) -> PrivateServer {
    PrivateServer::start_in(servers, options, &Interrupt::new())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a command on `admin`.
fn ask(uri: &str, command: Document) -> Result<Document, mongodb::error::Error> {
    with_client(uri, async |client| {
        client.database("admin").run_command(command).await
    })
}

fn transact(uri: &str) -> Result<(), mongodb::error::Error> {
    with_client(uri, async |client| {
        let mut session = client.start_session().await?;
        session.start_transaction().await?;
        let orders = client.database("shop").collection("orders");
        orders.insert_one(doc! {}).session(&mut session).await?;
        session.commit_transaction().await
    })
}

fn with_client<T>(
    uri: &str,
    work: impl AsyncFnOnce(mongodb::Client) -> Result<T, mongodb::error::Error>,
) -> Result<T, mongodb::error::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("runtime");
    runtime.block_on(async {
        let uri = format!("{uri}&serverSelectionTimeoutMS=3000");
        work(mongodb::Client::with_uri_str(uri).await?).await
    })
}

fn insert(uri: &MongoUri) -> Result<Document, mongodb::error::Error> {
    ask(uri.expose(), doc! {"insert": "c", "documents": [{}]})
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + SOON;
    while !holds() {
        assert!(Instant::now() < deadline, "not within {SOON:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn subfolders(root: &Path) -> usize {
    let entries = fs::read_dir(root).expect("folder");
    entries
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir()))
        .count()
}

#[test]
fn one_node_is_a_primary_with_transactions_and_stop_removes_all() {
    let (root, servers) = folder();
    let data = root.path().join("disk");
    let options = ServerOptions {
        compressors: Some("zstd".to_owned()),
        data_dir: Some(data.clone()),
        ..ServerOptions::default()
    };
    let server = start(&servers, &options);
    assert_eq!(server.primary().expect("primary"), 0);
    transact(server.uri().expose()).expect("committed");
    let asked = ask(server.uri().expose(), doc! {"getCmdLineOpts": 1}).expect("options");
    let net = asked
        .get_document("parsed")
        .and_then(|parsed| parsed.get_document("net"));
    let net = net.expect("net");
    assert_eq!(net.get_str("bindIp").ok(), Some("127.0.0.1"));
    assert!(net.to_string().contains("\"zstd\""), "{net}");

    let (dir, member) = (server.dir().to_path_buf(), server.members()[0].clone());
    assert!(member.dir.starts_with(&dir) && subfolders(&data) == 1);
    server.stop().expect("stopped");
    assert!(!exists(member.pid()) && !dir.exists() && subfolders(&data) == 0);
}

#[test]
fn kept_data_are_closed_in_order_and_stay() {
    let (_root, servers) = folder();
    let options = ServerOptions {
        standalone: true,
        keep: true,
        ..ServerOptions::default()
    };
    let server = start(&servers, &options);
    insert(&server.uri()).expect("inserted");
    let member = server.members()[0].clone();
    server.stop().expect("stopped");
    assert!(!exists(member.pid()));
    // A mongod that ended in order empties its lock file.
    let lock = fs::metadata(member.dir.join("mongod.lock")).expect("data");
    assert_eq!(lock.len(), 0);
    list_in(&servers).expect("cleaned");
    assert!(member.dir.is_dir());
}

#[test]
fn three_members_elect_a_new_primary_and_take_the_killed_one_back() {
    let (_root, servers) = folder();
    let options = ServerOptions {
        members: 3,
        fast_elections: true,
        test_commands: true,
        ..ServerOptions::default()
    };
    let mut server = start(&servers, &options);
    let first = server.primary().expect("primary");
    let frozen = (first + 1) % 3;
    server.freeze(frozen).expect("frozen");
    server.thaw(frozen).expect("thawed");
    server.kill(first).expect("killed");
    assert!(!exists(server.members()[first].pid()));
    let second = server.primary().expect("another primary");
    assert_ne!(first, second);
    server.restart(first).expect("back");
    insert(&server.uri()).expect("inserted");
    let off = doc! {"configureFailPoint": "failCommand", "mode": "off"};
    ask(server.uri().expose(), off).expect("test commands are on");
}

#[test]
fn a_member_comes_back_on_its_own_port_or_says_that_it_is_taken() {
    let (_root, servers) = folder();
    let mut server = start(&servers, &ServerOptions::default());
    let port = server.members()[0].port;
    server.kill(0).expect("killed");
    let stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("free");
    let error = server.restart(0).expect_err("taken");
    assert!(
        error.to_string().contains("Address already in use"),
        "{error}"
    );
    drop(stranger);
    server.restart(0).expect("back");
    assert_eq!(server.members()[0].port, port);
    insert(&server.uri()).expect("inserted");
}

#[test]
fn authentication_and_tls_let_in_only_who_has_password_and_authority() {
    let (_root, servers) = folder();
    let options = ServerOptions {
        members: 2,
        auth: true,
        tls: true,
        ..ServerOptions::default()
    };
    let server = start(&servers, &options);
    insert(&server.uri()).expect("with password and authority");
    let own = ask(server.uri().expose(), doc! {"replSetGetConfig": 1}).expect("configuration");
    let own = own
        .get_document("config")
        .and_then(|config| config.get_document("settings"));
    let timeout = own.expect("settings").get_i32("electionTimeoutMillis");
    assert_eq!(
        timeout.ok(),
        Some(10_000),
        "the server's own, not that of the first election"
    );

    let uri = server.uri().expose().to_owned();
    let password = server.password().expect("password");
    let nobody = uri
        .replace(&format!("docstone:{password}@"), "")
        .replace("&authSource=admin", "");
    let refused = ask(&nobody, doc! {"listDatabases": 1}).expect_err("no user");
    assert!(
        refused.to_string().contains("requires authentication"),
        "{refused}"
    );
    let wrong = server.uri_without_password().with_password("wrong");
    assert!(insert(&wrong).is_err());

    // These two find no server that they can use, which takes as long as they are given.
    let (without_authority, _) = uri.split_once("&tlsCAFile=").expect("authority");
    let refused = ask(without_authority, doc! {"ping": 1}).expect_err("no authority");
    assert!(refused.to_string().contains("certificate"), "{refused}");
    let (plain, _) = uri.split_once("&tls=true").expect("tls");
    assert!(ask(plain, doc! {"ping": 1}).is_err());
    let shown = format!("{server:?}");
    assert!(!shown.contains(password), "{shown}");
}

#[test]
fn a_detached_server_lives_on_until_it_is_stopped() {
    let (root, servers) = folder();
    let started =
        start_detached_in(&servers, &ServerOptions::default(), &Interrupt::new()).expect("started");
    let listed = list_in(&servers).expect("listed");
    assert_eq!(listed.servers, vec![started.clone()]);
    assert!(listed.damaged.is_empty());
    let pid = started.members[0].pid();
    assert_eq!(session(pid), Some(pid), "a session of its own");
    insert(&started.uri).expect("inserted");
    let error = stop_in(&servers, "nobody").expect_err("no such server");
    assert!(
        error.is_usage() && error.to_string().contains(&started.id),
        "{error}"
    );
    stop_in(&servers, &started.id).expect("stopped");
    assert!(!exists(pid));
    assert_eq!(
        (
            subfolders(root.path()),
            list_in(&servers).expect("listed").ids().len()
        ),
        (0, 0)
    );
}

#[test]
fn a_server_whose_state_is_lost_keeps_its_folder_while_it_runs_and_can_be_stopped() {
    let (root, servers) = folder();
    let started =
        start_detached_in(&servers, &ServerOptions::default(), &Interrupt::new()).expect("started");
    let pid = started.members[0].pid();
    let state = started.dir.join("state.json");
    let own = fs::read_to_string(&state).expect("a state");
    let of_another = own.replace(&format!("\"pid\": {pid}"), "\"pid\": 4000000");
    for (text, problem) in [("garbage", "damaged"), (&of_another, "names no process")] {
        fs::write(&state, text).expect("written");
        fs::remove_file(started.dir.join("data/member-0/mongod.lock")).ok();
        let listed = list_in(&servers).expect("listed");
        assert!(listed.servers.is_empty(), "{listed:?}");
        let [damaged] = &listed.damaged[..] else {
            panic!("{listed:?}");
        };
        assert!(damaged.problem.contains(problem), "{damaged:?}");
        assert!(damaged.processes.iter().any(|process| process.pid == pid));
        insert(&started.uri).expect("it has its files");
    }
    fs::remove_file(&state).expect("removed");
    let other = servers.create(None).expect("another server's folder");
    assert!(started.dir.join("data/member-0").is_dir(), "it still runs");
    drop(other);
    let stopped = stop_in(&servers, &started.id).expect("stopped");
    assert!(!stopped.kept && !exists(pid));
    list_in(&servers).expect("cleaned");
    assert_eq!(subfolders(root.path()), 0);
}

fn session(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(3)?.parse().ok()
}

#[test]
fn a_detached_server_gets_no_test_commands() {
    let (_root, servers) = folder();
    let options = ServerOptions {
        test_commands: true,
        ..ServerOptions::default()
    };
    let error = start_detached_in(&servers, &options, &Interrupt::new()).expect_err("refused");
    assert!(error.is_usage(), "{error}");
}

#[test]
fn a_mongod_that_ends_at_once_is_an_error_with_its_log_and_leaves_nothing() {
    let (root, servers) = folder();
    let options = ServerOptions {
        set_parameters: vec![("noSuchParameter".to_owned(), "1".to_owned())],
        ..ServerOptions::default()
    };
    let error =
        PrivateServer::start_in(&servers, &options, &Interrupt::new()).expect_err("refused");
    assert!(matches!(error, PrivateError::Mongod { .. }), "{error}");
    assert!(error.to_string().contains("noSuchParameter"), "{error}");
    assert_eq!(subfolders(root.path()), 0);
}

#[test]
fn an_interrupt_ends_a_start_that_hangs_and_leaves_nothing() {
    let (root, servers) = folder();
    let interrupt = Interrupt::new();
    let mongod = || {
        let of_shell = |pid: &u32| arguments(*pid).contains("docstone-watchdog");
        let mut running = running_in(root.path()).into_iter();
        running.find(|pid| !of_shell(pid))
    };
    let options = ServerOptions::default();
    std::thread::scope(|scope| {
        let starting = scope.spawn(|| PrivateServer::start_in(&servers, &options, &interrupt));
        wait_until("a mongod runs", || mongod().is_some());
        let hangs = Process::observe(mongod().expect("it runs")).expect("it runs");
        hangs.signal(Signal::STOP).expect("stopped");
        interrupt.trigger();
        let error = starting.join().expect("no panic").expect_err("interrupted");
        assert!(matches!(error, PrivateError::Interrupted), "{error}");
    });
    assert_eq!((mongod(), subfolders(root.path())), (None, 0));
}

/// Names the folder of servers to the process that this test starts and kills: itself.
const PARENT: &str = "DOCSTONE_TEST_KILLED_PARENT";

#[test]
fn no_mongod_outlives_a_killed_parent() {
    if let Some(root) = std::env::var_os(PARENT) {
        be_the_parent(Path::new(&root));
    }
    let (root, servers) = folder();
    let mut parent = parent(root.path());
    let lines = BufReader::new(parent.stdout.take().expect("piped")).lines();
    let pid = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("mongod ")?.parse().ok())
        .expect("the parent started a mongod");
    assert!(exists(pid));
    kill(parent);
    wait_until("mongod is gone", || !exists(pid));
    assert_eq!(subfolders(root.path()), 1);
    list_in(&servers).expect("cleaned");
    assert_eq!(subfolders(root.path()), 0);
}

#[test]
fn no_mongod_outlives_a_parent_that_is_killed_while_it_starts_one() {
    let (root, servers) = folder();
    let parent = parent(root.path());
    wait_until("a mongod starts", || !running_in(root.path()).is_empty());
    kill(parent);
    wait_until("mongod and shell are gone", || {
        running_in(root.path()).is_empty()
    });
    list_in(&servers).expect("cleaned");
    assert_eq!(subfolders(root.path()), 0);
}

fn parent(root: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "private::tests::no_mongod_outlives_a_killed_parent",
        ])
        .arg("--nocapture")
        .env(PARENT, root)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started")
}

fn be_the_parent(root: &Path) -> ! {
    let server = start(&ServersFolder::at(root), &ServerOptions::default());
    println!("\nmongod {}", server.members()[0].pid());
    loop {
        std::thread::sleep(SOON);
    }
}

fn kill(mut parent: Child) {
    parent.kill().expect("SIGKILL");
    parent.wait().expect("reaped");
}

/// The processes with this folder in their arguments.
fn running_in(root: &Path) -> Vec<u32> {
    let root = root.to_str().expect("UTF-8");
    let processes = fs::read_dir("/proc").expect("/proc").filter_map(Result::ok);
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| exists(*pid) && arguments(*pid).contains(root))
        .collect()
}

fn arguments(pid: u32) -> String {
    let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&arguments).into_owned()
}
