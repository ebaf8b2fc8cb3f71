//! `docstone server` and `--private`: servers of docstone's own, and that none is left behind.

mod launch;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    Docstone, Ran, docstone, file_names, new_folder, onlooker, process_exists, processes_with,
};

/// Folders of servers of one test; stops what the test left running.
struct Servers(Arc<TempDir>);

impl Servers {
    fn new() -> Self {
        Self(new_folder())
    }

    fn command(&self, arguments: &[&str]) -> Docstone {
        docstone(arguments).env("DOCSTONE_SERVERS_DIR", self.0.path())
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).run().ended_with(0)
    }

    /// The mongods whose data are in the folder.
    fn processes(&self) -> Vec<u32> {
        processes_with(self.0.path().to_str().expect("UTF-8"))
    }

    /// Waits until no process works in the folder; a killed one takes a moment to go.
    #[track_caller]
    fn are_gone(&self) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.processes().is_empty() {
            assert!(
                Instant::now() < deadline,
                "{:?} still run",
                self.processes()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Nothing but the lock of the folder, which is empty, stays on the disk.
    #[track_caller]
    fn left_no_file(&self) {
        assert_eq!(file_names(self.0.path()), [".lock"]);
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        if !self.processes().is_empty() {
            let _ = self.command(&["server", "stop", "--all"]).run();
        }
    }
}

/// What `eval` would put into `DOCSTONE_URI`.
fn exported(ran: &Ran) -> String {
    let line = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("export DOCSTONE_URI="));
    let line = line.unwrap_or_else(|| panic!("nothing exported:\n{}", ran.stdout));
    line.trim_start_matches("export DOCSTONE_URI=")
        .trim_matches('\'')
        .to_owned()
}

/// The identifier at the start of a server's description.
fn id(text: &str) -> String {
    text.split_whitespace()
        .next()
        .expect("an identifier")
        .to_owned()
}

const FILE: &str = "
name: small
data: {notes: {count: 50, document: {fields: {_id: {$sequence: {}}}}}}
operations: {find: {find_one: {collection: notes, filter: {_id: {$key: {}}}}}}
load: [{name: steady, closed: {concurrency: 2}, operations: 100}]
";

#[test]
fn a_server_is_started_listed_used_and_stopped() {
    let servers = Servers::new();
    let nothing = servers.run(&["server", "status"]);
    assert!(
        nothing.stdout.contains("no private server"),
        "{}",
        nothing.stdout
    );
    let started = servers.run(&["server", "start", "--env"]);
    assert_eq!(started.stdout.lines().count(), 1, "{}", started.stdout);
    let uri = exported(&started);
    assert!(uri.starts_with("mongodb://127.0.0.1:"), "{uri}");

    let status = servers.run(&["server", "status"]);
    assert!(
        status.stdout.contains("running, replica set"),
        "{}",
        status.stdout
    );
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .env("DOCSTONE_URI", &uri)
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    assert_eq!(ran.records().operation("steady", "find")["ok"], 100);

    assert!(!servers.processes().is_empty());
    let stopped = servers.run(&["server", "stop", &id(&status.stdout)]);
    assert!(stopped.stdout.contains("removed"), "{}", stopped.stdout);
    servers.are_gone();
    servers.left_no_file();
}

#[test]
fn stop_without_an_id_stops_the_only_server_and_asks_which_of_several() {
    let servers = Servers::new();
    let start = || {
        let ran = servers.run(&["server", "start", "--standalone", "--cache-gb", "0.25"]);
        id(&ran.stdout)
    };
    let (one, two) = (start(), start());
    let refused = servers.command(&["server", "stop"]).run().ended_with(2);
    let refused = refused.says("2 private servers").says("--all").says(&one);
    let _ = refused.says(&two);
    assert!(servers.processes().len() >= 2);
    let both = servers.command(&["server", "stop", "--all", &one]).run();
    let _ = both.ended_with(2);
    let _ = servers.run(&["server", "stop", &one]);
    let only = servers.run(&["server", "stop"]);
    assert!(only.stdout.contains(&two), "{}", only.stdout);
    servers.are_gone();
    let _ = (start(), start());
    let all = servers.run(&["server", "stop", "--all"]);
    assert_eq!(all.stdout.lines().count(), 2, "{}", all.stdout);
    servers.are_gone();
    servers.left_no_file();
}

#[test]
fn a_running_server_whose_state_file_is_overwritten_is_not_taken_for_gone() {
    let servers = Servers::new();
    let started = servers.run(&["server", "start", "--standalone", "--cache-gb", "0.25"]);
    let (id, uri) = (id(&started.stdout), exported(&started));
    let state = servers.0.path().join(&id).join("state.json");
    std::fs::write(state, "garbage").expect("written");
    let status = servers.run(&["server", "status"]);
    for text in [&*id, "damaged", "state.json", "process", "server stop"] {
        assert!(status.stdout.contains(text), "`{text}`: {}", status.stdout);
    }
    // What would remove the folder of a server that is gone.
    let ran = servers.command(&["run", "w.yaml", "--private", "--out", "out"]);
    let _ = ran.file("w.yaml", FILE).run().ended_with(0);
    let seen = onlooker(&uri, "kept");
    seen.insert("c", vec![mongodb::bson::doc! {"_id": 1}]);
    assert_eq!(seen.count("c"), 1);
    let _ = servers.run(&["server", "stop", &id]);
    servers.are_gone();
    servers.left_no_file();
}

#[test]
fn a_server_with_authentication_and_tls_takes_nothing_else() {
    let servers = Servers::new();
    let started = servers.run(&["server", "start", "--auth", "--tls", "--standalone"]);
    assert!(started.stdout.contains("standalone"), "{}", started.stdout);
    let uri = exported(&started);
    assert!(
        uri.contains("tls=true") && uri.contains("docstone:"),
        "{uri}"
    );
    let run = |uri: &str| {
        docstone(["run", "w.yaml", "--out", "out", "--connect-timeout", "3s"])
            .env("DOCSTONE_URI", uri)
            .file("w.yaml", FILE)
            .run()
    };
    let ran = run(&uri).ended_with(0);
    assert_eq!(ran.records().operation("steady", "find")["ok"], 100);
    let password = uri
        .split("docstone:")
        .nth(1)
        .and_then(|rest| rest.split('@').next());
    let password = password.expect("a password");
    let nobody = uri.replacen(&format!("docstone:{password}@"), "", 1);
    let _ = run(&nobody).ended_with(3);
    let plain = uri.split("/?").next().expect("hosts");
    let _ = run(plain).ended_with(3);
    let status = servers.run(&["server", "status"]);
    assert!(!status.stdout.contains(password), "{}", status.stdout);
    let _ = servers.run(&["server", "stop"]);
    servers.are_gone();
}

#[test]
fn three_members_become_one_replica_set() {
    let servers = Servers::new();
    let started = servers.run(&[
        "server",
        "start",
        "--members",
        "3",
        "--cache-gb",
        "0.25",
        "--env",
    ]);
    let client = onlooker(&exported(&started), "admin");
    let hello = client.admin(mongodb::bson::doc! {"hello": 1});
    assert_eq!(
        hello.get_array("hosts").map(Vec::len).ok(),
        Some(3),
        "{hello}"
    );
    let _ = servers.run(&["server", "stop"]);
    servers.are_gone();
}

#[test]
fn settings_reach_the_server() {
    let servers = Servers::new();
    let started = servers.run(&[
        "server",
        "start",
        "--standalone",
        "--cache-gb",
        "0.3",
        "--compressors",
        "zstd",
        "--set-parameter",
        "ttlMonitorEnabled=false",
        "--env",
    ]);
    let client = onlooker(&exported(&started), "admin");
    let options = client
        .admin(mongodb::bson::doc! {"getCmdLineOpts": 1})
        .to_string();
    assert!(
        options.contains("zstd") && options.contains("0.3"),
        "{options}"
    );
    let parameter = mongodb::bson::doc! {"getParameter": 1, "ttlMonitorEnabled": 1};
    assert_eq!(
        client.admin(parameter).get_bool("ttlMonitorEnabled").ok(),
        Some(false)
    );
    // Fail points work without login: no server of this command may have them.
    assert!(!options.contains("enableTestCommands"), "{options}");
}

#[test]
fn wrong_settings_and_names_are_usage_errors() {
    let servers = Servers::new();
    for (arguments, text) in [
        (&["server", "start", "--members", "9"][..], "--members"),
        (&["server", "start", "--cache-gb", "0"], "cache"),
        (&["server", "start", "--compressors", "lz4"], "lz4"),
        (&["server", "start", "--set-parameter", "x"], "NAME=VALUE"),
        (
            &["server", "start", "--set-parameter", "enableTestCommands=1"],
            "enableTestCommands",
        ),
        (&["server", "stop", "0000beef"], "0000beef"),
    ] {
        let ran = servers.command(arguments).run().ended_with(2);
        assert!(ran.stderr.contains(text), "{text}: {}", ran.stderr);
    }
    let ran = servers
        .command(&["server", "start"])
        .env("DOCSTONE_MONGOD", "/nonexistent/mongod")
        .run();
    assert!(matches!(ran.code, Some(1 | 2)), "{:?}", ran.code);
    assert!(ran.stderr.contains("DOCSTONE_MONGOD"), "{}", ran.stderr);
    assert!(servers.processes().is_empty());
}

/// A run on a private server that lasts until it is ended.
fn long_private_run(servers: &Servers) -> crate::support::Running {
    let file = FILE.replace("operations: 100", "duration: 60s");
    let mut running = servers
        .command(&["run", "w.yaml", "--private", "--out", "out"])
        .file("w.yaml", file)
        .start();
    running.wait_until("the load runs", |running| {
        running.stderr().contains("steady  ")
    });
    assert!(!servers.processes().is_empty());
    running
}

#[test]
fn a_private_server_ends_with_its_run_and_leaves_nothing() {
    let servers = Servers::new();
    let ran = servers
        .command(&["run", "w.yaml", "--private", "--out", "out", "--json"])
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    let summary: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let warnings = summary["warnings"].to_string();
    assert!(
        warnings.contains("private mongod") && warnings.contains("cache"),
        "{warnings}"
    );
    servers.are_gone();
    servers.left_no_file();
}

#[test]
fn no_mongod_outlives_a_docstone_that_was_killed() {
    let servers = Servers::new();
    let running = long_private_run(&servers);
    let pid = running.pid();
    let killed = running.kill();
    assert_eq!(killed.code, None);
    assert!(!process_exists(pid));
    servers.are_gone();
    // What it left on disk goes when the next server starts.
    let _ = servers.run(&["server", "start", "--standalone", "--cache-gb", "0.25"]);
    let folders = std::fs::read_dir(servers.0.path()).expect("a folder");
    let folders: Vec<_> = folders
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let with_data = folders.iter().filter(|folder| folder.is_dir()).count();
    assert_eq!(with_data, 1, "{folders:?}");
}

#[test]
fn no_mongod_outlives_a_docstone_that_was_killed_while_it_started_one() {
    let servers = Servers::new();
    for wait_ms in [20, 100, 300, 700] {
        let running = servers
            .command(&["run", "w.yaml", "--private", "--out", "out"])
            .file("w.yaml", FILE.replace("operations: 100", "duration: 60s"))
            .start();
        std::thread::sleep(Duration::from_millis(wait_ms));
        let _ = running.kill();
        servers.are_gone();
    }
}

#[test]
fn the_demo_has_a_server_of_its_own_whatever_the_environment_says() {
    let servers = Servers::new();
    let ran = servers
        .command(&["demo", "--seconds", "1", "--out", "out"])
        .env("DOCSTONE_URI", "mongodb://127.0.0.1:1/")
        .run()
        .ended_with(0);
    for word in [
        "insert",
        "find",
        "update",
        "8-workers",
        "32-workers",
        "files: out",
    ] {
        assert!(ran.stdout.contains(word), "no `{word}` in:\n{}", ran.stdout);
    }
    assert_eq!(ran.records().run["status"], "complete");
    servers.are_gone();
}

#[test]
fn a_private_server_goes_with_an_interrupted_run() {
    let servers = Servers::new();
    let running = long_private_run(&servers);
    running.signal(Signal::INT);
    let _ = running.wait().ended_with(130);
    servers.are_gone();
    servers.left_no_file();
}
