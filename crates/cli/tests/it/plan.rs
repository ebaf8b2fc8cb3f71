//! `docstone plan`: prints what would happen and connects to nothing.

use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{docstone, file_names, orders};

/// A warm-up and a step on a server that is not there.
fn file() -> String {
    orders(
        "{uri: \"mongodb://127.0.0.1:1/shop\"}",
        "  - {name: steady, closed: {concurrency: 11, think_time: 5ms}, duration: 4m}\n",
    )
}

#[test]
fn a_plan_shows_target_data_operations_and_steps() {
    let ran = docstone(["plan", "w.yaml"])
        .file("w.yaml", file())
        .run()
        .ended_with(0);
    for part in [
        "orders",
        "127.0.0.1:1",
        "shop",
        "1,000,000",
        "find",
        "insert",
        "steady",
        "warm",
        "4m",
        "11",
        "7",
        "60",
        "40",
    ] {
        assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_plan_shows_every_command_of_a_transaction_in_their_order() {
    let transfer = "
target: private
data: {accounts: {count: 9, document: {fields: {_id: {$sequence: {}}}}}, moves: {document: {fields: {n: 1}}}}
operations:
  transfer:
    transaction:
      operations:
        - {update_one: {collection: accounts, filter: {_id: {$key: {}}}, update: {$inc: {n: 1}}}}
        - {insert_one: {collection: moves}}
load: [{closed: {concurrency: 1}, duration: 1s}]
";
    let ran = docstone(["plan", "w.yaml"]).file("w.yaml", transfer);
    let ran = ran.run().ended_with(0);
    let at = |part: &str| ran.stdout.find(part).unwrap_or_else(|| panic!("no {part}"));
    assert!(at("for example {\"update\":\"accounts\"") < at("then {\"insert\":\"moves\""));
}

#[test]
fn a_plan_connects_to_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a socket");
    let uri = format!("mongodb://{}/", listener.local_addr().expect("an address"));
    let started = Instant::now();
    let ran = docstone(["plan", "w.yaml", "--uri", &uri])
        .file("w.yaml", file())
        .run()
        .ended_with(0);
    assert!(ran.stdout.contains(&uri), "{}", ran.stdout);
    assert!(listener.accept().is_err(), "somebody connected");
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "the connect timeout was waited for"
    );
    assert_eq!(file_names(ran.folder.path()), ["w.yaml"]);
}

#[test]
fn a_private_plan_starts_no_server() {
    let ran = docstone(["plan", "w.yaml", "--private"])
        .file(
            "w.yaml",
            file().replace("uri: \"mongodb://127.0.0.1:1/shop\"", "private: true"),
        )
        .env("DOCSTONE_MONGOD", "/nonexistent/mongod")
        .run()
        .ended_with(0);
    assert!(ran.stdout.contains("private"), "{}", ran.stdout);
}

#[test]
fn the_plan_as_json_is_the_plan_that_a_run_records() {
    let database = crate::support::database("plan_as_json");
    let file = file()
        .replace("1_000_000", "10")
        .replace("duration: 3s", "operations: 9")
        .replace("duration: 4m", "operations: 9");
    let planned = docstone(["plan", "w.yaml", "--json"])
        .args(database.target())
        .file("w.yaml", &file)
        .run()
        .ended_with(0);
    let planned: Value = serde_json::from_str(&planned.stdout).expect("JSON");
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", &file)
        .run()
        .ended_with(0);
    assert_eq!(planned, ran.records().plan());
    assert_eq!(planned["hash"], ran.records().run["plan_hash"]);
}

#[test]
fn overrides_are_in_the_plan_and_change_its_hash() {
    let plan = |arguments: &[&str]| -> Value {
        let ran = docstone(["plan", "w.yaml", "--json"])
            .args(arguments)
            .file("w.yaml", file())
            .run()
            .ended_with(0);
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    let before = plan(&[]);
    let after = plan(&["--set", "load.1.closed.concurrency=99", "--seed", "77"]);
    let concurrency = &after["plan"]["steps"][1]["loads"][0]["model"]["closed"]["concurrency"];
    assert_eq!(
        (concurrency, &after["plan"]["seed"]),
        (&99.into(), &77.into())
    );
    assert_ne!(before["hash"], after["hash"]);
    assert_eq!(before, plan(&[]), "the same file gives the same plan");
}

#[test]
fn a_plan_of_large_documents_stays_readable() {
    let file = file().replace(
        "n: {$int: {}}",
        "n: {$int: {}}, text: {$string: {length: 3_000_000}}",
    );
    let ran = docstone(["plan", "w.yaml"])
        .file("w.yaml", file)
        .run()
        .ended_with(0);
    assert!(ran.stdout.contains("3,000,0"), "the size of a document");
    assert!(ran.stdout.len() < 10_000, "{} bytes", ran.stdout.len());
}

#[test]
fn every_ready_workload_can_be_planned() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    let mut files = file_names(&folder);
    files.retain(|name| Path::new(name).extension().is_some_and(|of| of == "yaml"));
    assert!(files.len() >= 12, "{files:?}");
    for file in files {
        let ran = docstone(["plan", "--private"])
            .arg(folder.join(&file))
            .run()
            .ended_with(0);
        assert!(ran.stdout.contains("step"), "{file}: {}", ran.stdout);
    }
}

#[test]
fn values_of_a_connection_string_are_checked_with_the_file_and_unused_ones_are_said() {
    let file = "
name: p
data: {c: {count: 1, document: {fields: {a: 1}}}}
operations: {f: {find_one: {collection: c, filter: {}}}}
load: [{closed: {concurrency: 0}, duration: 1s}]
";
    let uri = "mongodb://127.0.0.1:1/?retryWrites=perhaps&maxPoolSize=7";
    let plan = || docstone(["plan", "w.yaml", "--uri", uri]);
    let ran = plan().file("w.yaml", file).run().ended_with(2);
    let ran = ran.says("`retryWrites`").says("`true` or `false`");
    let _ = ran.says("concurrency");
    let uri = "mongodb://127.0.0.1:1/?maxPoolSize=7";
    let ran = docstone(["plan", "w.yaml", "--uri", uri])
        .file("w.yaml", file.replace("concurrency: 0", "concurrency: 1"))
        .run()
        .ended_with(0);
    assert!(ran.stdout.contains("note: maxPoolSize"), "{}", ran.stdout);
}
