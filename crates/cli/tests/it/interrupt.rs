//! Ctrl-C, termination, and readers that go away.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use docstone_mongo::private::{PrivateServer, ServerOptions};
use mongodb::bson::doc;
use rustix::process::Signal;

use crate::support::{
    Docstone, FailPoint, Ran, Running, database, docstone, fail_point, server, shell, start,
    uri_with,
};

const TWO_STEPS: &str = "
name: interrupt
data:
  c: {count: 0, document: {fields: {_id: {$sequence: {}}, n: 1}}}
operations:
  insert: {insert_one: {collection: c}}
load:
  - {name: one, closed: {concurrency: 4}, duration: 40s}
  - {name: two, closed: {concurrency: 4}, duration: 40s}
";

const MUCH_DATA: &str = "
name: much
data:
  c: {count: 50_000_000, document: {fields: {_id: {$sequence: {}}, n: 1}}}
operations:
  find: {find_one: {collection: c, filter: {_id: {$key: {}}}}}
load:
  - {name: one, closed: {concurrency: 4}, duration: 40s}
";

/// Two seconds are meant; the rest is for a busy machine.
const SOON: Duration = Duration::from_secs(3);

fn run(file: &str, arguments: &[&str]) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out"])
        .file("w.yaml", file)
        .args(arguments)
}

fn a_signal_keeps_what_was_measured(signal: Signal, test: &str) {
    let database = database(test);
    let mut running = run(TWO_STEPS, &database.target()).start();
    running.wait_for_stderr(" 2s/");
    let signalled = Instant::now();
    running.signal(signal);
    let ran = running.wait().ended_with(130);
    let took = signalled.elapsed();
    assert!(took < SOON, "{took:?}");

    let records = ran.records();
    assert_eq!(records.run["status"], "interrupted");
    assert!(records.run["ended_at"].is_string());
    let trials = records.run["trials"].as_array().expect("a list");
    assert_eq!(trials.len(), 1, "{trials:?}");
    assert_eq!(trials[0]["status"], "interrupted");
    let trial = records.trial("one");
    assert_eq!(trial["status"], "interrupted");
    let window_s = trial["window_s"].as_f64().expect("a length");
    assert!((1.5..39.0).contains(&window_s), "{window_s} s");
    let insert = records.operation("one", "insert");
    let ok = insert["ok"].as_u64().expect("a count");
    assert!(ok > 0);
    assert_eq!(records.series_sum("one", "insert", "ok"), ok);
    assert_eq!(database.onlooker().count("c"), ok);
    assert!(!records.trial_folder("two").exists());
    assert!(!ran.stderr.contains("step two"), "{}", ran.stderr);
    assert!(ran.stdout.contains("interrupted"), "{}", ran.stdout);
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_starts_no_further_step() {
    a_signal_keeps_what_was_measured(Signal::INT, "ctrl_c");
}

#[test]
fn termination_does_the_same_as_ctrl_c() {
    a_signal_keeps_what_was_measured(Signal::TERM, "termination");
}

/// A run whose inserts hang for much longer than its end may take, and have begun to.
fn inserts_that_hang(test: &'static str) -> (FailPoint, Running) {
    let fail_point = fail_point(test);
    let database = database(test);
    let hang = doc! {"failCommands": ["insert"], "blockConnection": true, "blockTimeMS": 10_000};
    fail_point.set("alwaysOn", hang);
    let target = ["--uri", &fail_point.uri(""), "--database", &database.name];
    let mut running = run(TWO_STEPS, &target).start();
    running.wait_for_stderr(" 1s/");
    (fail_point, running)
}

#[test]
fn ctrl_c_does_not_wait_for_operations_that_hang() {
    let (_fail_point, running) = inserts_that_hang("ctrl_c_hang");
    let signalled = Instant::now();
    running.signal(Signal::INT);
    let ran = running.wait().ended_with(130);
    let took = signalled.elapsed();
    assert!(took < SOON, "{took:?}");
    let insert = ran.records().operation("one", "insert");
    assert_eq!(insert["in_flight_at_end"], 4, "{insert:#}");
    assert_eq!(insert["censored"], 4);
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let (_fail_point, running) = inserts_that_hang("second_ctrl_c");
    let signalled = Instant::now();
    running.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    running.signal(Signal::INT);
    let ran = running.wait().ended_with(130).says("ended at once");
    let took = signalled.elapsed();
    assert!(took < SOON, "{took:?}");
    let records = ran.records();
    assert_eq!(records.run["status"], "interrupted");
    assert!(records.run["ended_at"].is_string());
    assert!(
        records.run["warnings"]
            .to_string()
            .contains("second signal")
    );
    // The first alone would have waited for the drain and written the trial's record.
    assert!(!records.trial_folder("one").join("record.json").exists());
    assert!(records.series_sum("one", "insert", "started") > 0);
    assert!(!ran.path("out/.reserve").exists());
}

#[test]
fn ctrl_c_after_a_run_has_failed_does_not_hide_why() {
    let fail_point = fail_point("ctrl_c_after_failure");
    let database = database("ctrl_c_after_failure");
    let target = ["--uri", &fail_point.uri(""), "--database", &database.name];
    let file = TWO_STEPS.replacen("duration: 40s", "duration: 3s", 1);
    let mut running = run(&file, &target).start();
    running.wait_for_stderr(" 1s/");
    // The second step cannot be prepared, and marking the end of the run takes long.
    let commands = vec!["find", "aggregate", "update"];
    let data = doc! {
        "failCommands": commands, "errorCode": 8, "blockConnection": true, "blockTimeMS": 2_000,
    };
    fail_point.set("alwaysOn", data);
    running.wait_until("the run has failed", |running| {
        let record = std::fs::read_to_string(running.path("out/record.json"));
        record.is_ok_and(|record| record.contains("the run failed"))
    });
    running.signal(Signal::INT);
    let ran = running.wait().ended_with(3).says("error: ");
    assert!(
        !ran.stderr.contains("nothing was measured"),
        "{}",
        ran.stderr
    );
    let records = ran.records();
    assert_eq!(records.run["status"], "failed");
    assert_eq!(records.trial("one")["status"], "complete");
}

#[test]
fn two_signals_at_once_are_one() {
    // As from `timeout`, and from a service manager that ends docstone.
    for (second, name) in [(Signal::INT, "int_and_int"), (Signal::TERM, "int_and_term")] {
        let database = database(name);
        let mut running = run(TWO_STEPS, &database.target()).start();
        running.wait_for_stderr(" 1s/");
        running.signal(Signal::INT);
        running.signal(second);
        let ran = running.wait().ended_with(130);
        let records = ran.records();
        assert_eq!(records.run["status"], "interrupted");
        assert_eq!(records.trial("one")["status"], "interrupted");
        assert!(!ran.path("out/.reserve").exists());
    }
}

#[test]
fn a_second_ctrl_c_while_data_are_loaded_leaves_no_folder() {
    let database = database("second_ctrl_c_loading");
    let mut running = run(MUCH_DATA, &database.target()).start();
    running.wait_for_stderr("documents, ");
    running.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(100));
    running.signal(Signal::HUP);
    let ran = running.wait().ended_with(130);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    assert!(!ran.path("out").exists());
    database.onlooker().command(doc! {"dropDatabase": 1});
}

#[test]
fn ctrl_c_does_not_wait_for_a_server_that_takes_connections_and_says_nothing() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    silent.set_nonblocking(true).expect("a socket");
    let address = silent.local_addr().expect("an address");
    for signal in [Signal::INT, Signal::TERM] {
        let uri = format!("mongodb://{address}/");
        let mut running = run(TWO_STEPS, &["--uri", &uri, "--connect-timeout", "50s"]).start();
        running.wait_until("it connects", |_| silent.accept().is_ok());
        let signalled = Instant::now();
        running.signal(signal);
        let ran = running.wait().ended_with(130).says("interrupted");
        let took = signalled.elapsed();
        assert!(took < Duration::from_secs(2), "{took:?}");
        assert!(!ran.path("out").exists(), "there is nothing to record");
    }
}

#[test]
fn ctrl_c_ends_the_loading_of_data() {
    let database = database("ctrl_c_loading");
    let mut running = run(MUCH_DATA, &database.target()).start();
    running.wait_for_stderr("documents, ");
    let signalled = Instant::now();
    running.signal(Signal::INT);
    let ran = running.wait().ended_with(130).says("interrupted");
    let took = signalled.elapsed();
    assert!(took < SOON, "{took:?}");
    assert!(!ran.path("out").exists(), "there is nothing to record");
    let loaded = database.onlooker().count("c");
    assert!((1..50_000_000).contains(&loaded), "{loaded}");
    database.onlooker().command(doc! {"dropDatabase": 1});
}

/// Interrupts a run at a server that is silent.
fn ctrl_c_at_a_silent_server(file: &str) -> Ran {
    let server = own_server();
    let target = ["--uri", &uri_with(&server, "retryWrites=true")];
    let mut running = run(file, &target).start();
    running.wait_for_stderr(" 1s/");
    server.freeze(0).expect("a server that runs");
    running.wait_for_stderr(" 3s/");
    let signalled = Instant::now();
    running.signal(Signal::INT);
    let ran = running.wait().ended_with(130);
    let took = signalled.elapsed();
    assert!(took < SOON, "{took:?}");
    assert_eq!(ran.records().run["status"], "interrupted");
    server.thaw(0).expect("a frozen server");
    ran
}

#[test]
fn ctrl_c_does_not_wait_for_a_server_that_is_silent() {
    let _ = ctrl_c_at_a_silent_server(TWO_STEPS);
}

#[test]
fn ctrl_c_does_not_take_longer_with_more_groups_each_of_which_has_connections_of_its_own() {
    let (head, _) = TWO_STEPS.split_once("load:").expect("steps");
    let group = |n: u32| {
        let load = "{name: one, closed: {concurrency: 4}, duration: 40s}";
        format!("  g{n}: {{scenario: {{mix: {{insert: 1}}}}, load: [{load}]}}\n")
    };
    let groups: String = (0..6).map(group).collect();
    let ran = ctrl_c_at_a_silent_server(&format!("{head}groups:\n{groups}"));
    let trial = ran.records().trial("one");
    let insert = &trial["operations"]["insert"];
    assert_eq!(insert["in_flight_at_end"], 24, "{insert:#}");
}

fn own_server() -> PrivateServer {
    start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    })
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let database = database("a_reader_that_goes_away");
    let quick = TWO_STEPS.replace("duration: 40s", "operations: 20");
    let script = format!(
        "{{ $docstone run w.yaml --out out --uri '{}' --database {}; echo \"exit $?\" >&2; }} \
         | head -1",
        server().uri().expose(),
        database.name
    );
    let ran = shell(&script).file("w.yaml", quick).run();
    let ran = ran.ended_with(0).says("exit 0");
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(ran.records().run["status"], "complete");
}

#[test]
fn without_stdout_and_stderr_a_run_is_complete_too() {
    let database = database("without_stdout_and_stderr");
    let quick = TWO_STEPS.replace("duration: 40s", "operations: 20");
    let script = format!(
        "$docstone run w.yaml --out out --uri '{}' --database {} >&- 2>&-",
        server().uri().expose(),
        database.name
    );
    let ran = shell(&script).file("w.yaml", quick).run().ended_with(0);
    assert_eq!(ran.records().run["status"], "complete");
}
