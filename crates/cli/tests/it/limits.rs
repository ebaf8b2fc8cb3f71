//! What machine and server can give: connections, open files, disks.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use docstone_mongo::private::ServerOptions;
use serde_json::Value;

use crate::support::{
    Database, Docstone, Ran, database, docstone, new_folder, onlooker, server, shell, start,
    uri_with,
};

const FILE: &str = "
name: limits
data:
  c: {count: 100, document: {fields: {_id: {$sequence: {}}, n: 1}}}
operations:
  find: {find_one: {collection: c, filter: {_id: {$key: {}}}}}
load:
  - {name: s, closed: {concurrency: 64}, operations: 500}
";

fn run(database: &Database, changes: &[&str]) -> Docstone {
    let mut run = docstone(["run", "w.yaml", "--out", "out"])
        .file("w.yaml", FILE)
        .args(database.target());
    for change in changes {
        run = run.args(["--set", change]);
    }
    run
}

/// docstone with a limit of open files, which `ulimit` sets as its arguments say.
fn with_open_files(ulimit: &str, database: &Database) -> Docstone {
    let script = format!(
        "ulimit {ulimit} && exec $docstone run w.yaml --out out --uri '{}' --database {} \
         --set load.0.closed.concurrency=500 --set load.0.operations=1000",
        database.uri, database.name
    );
    shell(&script).file("w.yaml", FILE)
}

fn client(ran: &Ran) -> Value {
    ran.records().trial("s")["client"].clone()
}

#[test]
fn connections_are_as_many_as_workers() {
    let database = database("as_many_connections_as_workers");
    let ran = run(&database, &[]).run().ended_with(0);
    let client = client(&ran);
    assert_eq!(client["connections"]["opened"], 64);
    assert_eq!(client["connections"]["failed"], 0);
    assert_eq!(client["connections"]["closed"], 0);
}

#[test]
fn a_pool_smaller_than_the_workers_is_kept_and_its_wait_is_shown() {
    let database = database("a_small_pool");
    let changes = [
        "load.0.closed.concurrency=16",
        "load.0.operations=3000",
        "target.pool=2",
    ];
    let uri = uri_with(server(), "appName=small-pool");
    let running = docstone(["run", "w.yaml", "--out", "out", "--uri", &uri])
        .file("w.yaml", FILE)
        .args(["--database", &database.name])
        .args(changes.iter().flat_map(|change| ["--set", change]));
    let ran = running.run().ended_with(0);
    let client = client(&ran);
    assert_eq!(client["connections"]["opened"], 2, "{client:#}");
    let wait = &client["connection_wait_ns"];
    assert_eq!(wait["count"], 3000);
    // Seven of eight workers of a connection wait for it at any time.
    let service = &ran.records().operation("s", "find")["service_ns"];
    let (wait, service) = (&wait["mean"], &service["mean"]);
    let share = wait.as_f64().expect("a mean") / service.as_f64().expect("a mean");
    assert!((0.5..1.0).contains(&share), "{share} of the service time");
    assert!(
        ran.stderr.contains("16 workers on 2 connections"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("waits for a connection"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_memory_of_very_many_workers_is_what_the_plan_says() {
    let database = database("memory_of_many_workers");
    let max_rss_bytes = |workers: u64, pool: u64| {
        let workers = format!("load.0.closed.concurrency={workers}");
        let pool = format!("target.pool={pool}");
        // More operations than workers, so that each of them begins.
        let changes = [&*workers, "load.0.operations=24_000", &*pool];
        let ran = run(&database, &changes).run().ended_with(0);
        client(&ran)["max_rss_bytes"].as_f64().expect("bytes")
    };
    let is_as_said = |bytes: f64, said: u64| {
        let share = bytes / said as f64;
        assert!((0.5..1.5).contains(&share), "{share} of {said} bytes");
    };
    let few = max_rss_bytes(100, 100);
    let waiting = max_rss_bytes(8_100, 100) - few;
    is_as_said(waiting / 8_000.0, docstone_mongo::WAITING_BYTES);
    // Opening many more takes minutes on a machine that has much else to do.
    let connected = max_rss_bytes(500, 500) - few;
    is_as_said(connected / 400.0, docstone_mongo::CONNECTED_BYTES);

    let file = FILE.replace("concurrency: 64", "concurrency: 100_000");
    let planned = docstone(["plan", "w.yaml", "--private", "--set", "target.pool=1000"])
        .file("w.yaml", file)
        .run();
    let planned = planned.ended_with(0).stdout;
    let note = "100,000 operations in flight take about 353 MB of memory";
    assert!(planned.contains(note), "{planned}");
}

#[test]
fn more_connections_than_open_files_are_refused_with_figures() {
    let database = database("too_few_open_files");
    let ran = with_open_files("-n 256", &database).run().ended_with(2);
    let ran = ran.says("256").says("open files").says("ulimit -n");
    let needed = ran.stderr.split(|c: char| !c.is_ascii_digit());
    let needed = needed.filter_map(|word| word.parse::<u32>().ok()).max();
    assert!(
        (501..1000).contains(&needed.expect("a number")),
        "{}",
        ran.stderr
    );
    assert!(!ran.path("out").exists());
    assert!(
        database.onlooker().collections().is_empty(),
        "nothing is loaded"
    );
}

/// The loader of programs itself needs four.
#[test]
fn each_limit_of_open_files_that_is_too_low_is_refused_before_anything_is_opened() {
    let commands = [
        "run w.yaml --out out --uri mongodb://127.0.0.1:1/",
        "run w.yaml --out out --uri mongodb://u:p@127.0.0.1:1/",
        "run w.yaml --out out --private",
        "idealo -h 127.0.0.1 -port 1 -db d -c c -d 1 --out out",
        "server start --standalone",
        "server status",
        "selftest",
    ];
    for command in commands {
        for limit in [4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 30, 50] {
            let script = format!("ulimit -n {limit} && exec $docstone {command}");
            let ran = shell(&script).file("w.yaml", FILE).run();
            let ran = ran.ended_with(2).says("open files").says("ulimit -n");
            assert!(!ran.path("out").exists());
        }
    }
}

#[test]
fn what_may_be_in_flight_by_default_is_lowered_to_the_open_files_and_what_was_written_is_not() {
    let database = database("in_flight_and_open_files");
    let run = |open: &str| {
        let script = format!(
            "ulimit -n 120 && exec $docstone run w.yaml --out out --uri '{}' --database {} \
             --threads 1",
            database.uri, database.name
        );
        let load = format!("  - {{name: s, open: {{{open}}}, duration: 2s}}\n");
        let (head, _) = FILE.split_once("  - {").expect("a step");
        shell(&script).file("w.yaml", format!("{head}{load}")).run()
    };
    let ran = run("rate: 50/s, arrivals: uniform").ended_with(0);
    let ran = ran.says("lowered to at most").says("120 files");
    let opened = client(&ran)["connections"]["opened"]
        .as_u64()
        .expect("a count");
    assert!((1..64).contains(&opened), "{opened}");
    assert_eq!(ran.records().operation("s", "find")["ok"], 100);
    let trial = ran.records().trial("s");
    let open = &trial["load"]["loads"][0]["model"]["open"];
    assert_eq!(open["settled_in_flight"], opened, "{open:#}");
    let warnings = ran.records().run["warnings"].to_string();
    assert!(warnings.contains("lowered to at most"), "{warnings}");
    let _ = run("rate: 50/s, max_in_flight: 64")
        .ended_with(2)
        .says("open files");
}

#[test]
fn a_soft_limit_of_open_files_is_raised_and_that_is_said() {
    let database = database("a_soft_limit");
    let ran = with_open_files("-S -n 256", &database).run().ended_with(0);
    let ran = ran.says("the limit of open files was raised from 256");
    assert_eq!(client(&ran)["connections"]["opened"], 500);
    let warnings = ran.records().run["warnings"].to_string();
    assert!(warnings.contains("raised from 256"), "{warnings}");
}

#[test]
fn more_connections_than_the_server_has_left_are_refused_with_figures() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let uri = server.uri().expose().to_owned();
    let status = onlooker(&uri, "admin").admin(mongodb::bson::doc! {"serverStatus": 1});
    let connections = status.get_document("connections").expect("connections");
    let available = connections.get_i32("available").expect("a number");
    // As many workers as the server has connections, and the machine files.
    let workers = format!("load.0.closed.concurrency={available}");
    let script = format!(
        "ulimit -n $(ulimit -H -n) && exec $docstone run w.yaml --out out --uri '{uri}' \
         --set {workers} --set load.0.operations={available}"
    );
    let ran = shell(&script).file("w.yaml", FILE).run().ended_with(2);
    let ran = ran
        .says("connections")
        .says("left")
        .says(&available.to_string());
    assert!(!ran.path("out").exists());
}

#[test]
fn connections_are_opened_at_the_pace_that_was_asked_for() {
    let database = database("a_pace_of_connections");
    let changes = ["load.0.closed.concurrency=30", "target.connect_rate=15/s"];
    let started = Instant::now();
    let ran = run(&database, &changes).run().ended_with(0);
    let took = started.elapsed();
    assert_eq!(client(&ran)["connections"]["opened"], 30);
    assert!(took >= Duration::from_millis(1500), "{took:?}");
}

#[test]
fn an_output_folder_that_exists_is_refused_before_the_load() {
    let database = database("an_output_folder_that_exists");
    let ran = run(&database, &[]).file("out", "mine").run();
    let ran = ran.ended_with(2).says("exists").says("--out");
    assert_eq!(
        std::fs::read_to_string(ran.path("out")).expect("a file"),
        "mine"
    );
    assert!(
        database.onlooker().collections().is_empty(),
        "nothing is loaded"
    );
}

#[test]
fn an_output_folder_that_cannot_be_made_is_refused_before_the_load() {
    let database = database("an_output_folder_below_a_file");
    let ran = docstone(["run", "w.yaml", "--out", "file/out"])
        .file("w.yaml", FILE)
        .file("file", "")
        .args(database.target())
        .run();
    let _ = ran.ended_with(2).says("file/out").says("Not a directory");
    assert!(
        database.onlooker().collections().is_empty(),
        "nothing is loaded"
    );
}

#[test]
fn an_output_folder_with_a_name_that_is_too_long_is_refused_before_the_load() {
    let database = database("a_long_name_of_a_folder");
    let out = format!("new/{}", "x".repeat(300));
    let ran = docstone(["run", "w.yaml", "--out", &out])
        .file("w.yaml", FILE)
        .args(database.target())
        .run();
    let ran = ran.ended_with(2).says("name too long").says("--out");
    assert!(!ran.path("new").exists());
    assert!(
        database.onlooker().collections().is_empty(),
        "nothing is loaded"
    );
}

#[test]
fn a_disk_that_is_too_small_or_read_only_is_refused_before_the_load() {
    let flags = mount_table();
    let database = database("an_unusable_disk");
    for (options, code, cause) in [
        ("size=64k", 2, "No space left on device"),
        ("ro", 2, "Read-only file system"),
    ] {
        let script = format!(
            "mkdir disk && mount -t tmpfs -o {options} none disk && \
             $docstone run w.yaml --out disk/a/out --uri '{}' --database {}; \
             code=$?; ls -A disk; exit $code",
            database.uri, database.name
        );
        let ran = shell(&format!("exec unshare {flags} sh -c \"$script\""))
            .env("script", &script)
            .file("w.yaml", FILE)
            .run();
        let ran = ran.ended_with(code).says("the output folder disk/a/out");
        assert_eq!(ran.says(cause).says("--out").stdout, "", "nothing is left");
    }
    assert!(
        database.onlooker().collections().is_empty(),
        "nothing is loaded"
    );
}

#[test]
fn a_launch_that_fails_before_the_load_leaves_no_folder() {
    let database = database("a_launch_that_fails");
    database
        .onlooker()
        .insert("c", vec![mongodb::bson::doc! {"_id": 1}]);
    let folder = new_folder();
    std::fs::create_dir(folder.path().join("mine")).expect("a folder");
    let command = |out: &str, target: &[&str]| {
        docstone(["run", "w.yaml", "--out", out])
            .within(&folder)
            .file("w.yaml", FILE)
            .args(target)
            .run()
    };
    let _ = command("mine/a/b", &database.target()).ended_with(2);
    let closed = ["--uri", "mongodb://127.0.0.1:1/", "--connect-timeout", "1s"];
    let _ = command("mine/a/b", &closed).ended_with(3);
    let unnamed = docstone(["run", "w.yaml"]).within(&folder).args(closed);
    let _ = unnamed.run().ended_with(3);
    let entries = |path: &Path| std::fs::read_dir(path).expect("a folder").count();
    assert_eq!(entries(folder.path()), 2, "the file and the folder `mine`");
    assert_eq!(entries(&folder.path().join("mine")), 0);
}

/// How `unshare` gets a mount table of its own: as root, else by a user namespace.
fn mount_table() -> &'static str {
    let mounts = |flags: &str| {
        let mount = ["mount", "-t", "tmpfs", "none", "/mnt"];
        let tried = Command::new("unshare").arg(flags).args(mount).output();
        tried.is_ok_and(|output| output.status.success())
    };
    ["-m", "-rm"]
        .into_iter()
        .find(|flags| mounts(flags))
        .expect("a small disk: run the tests as root, or where `unshare -rm` may mount a tmpfs")
}

#[test]
fn a_disk_that_fills_is_named_and_what_was_complete_can_be_read() {
    let flags = mount_table();
    let database = database("a_disk_that_fills");
    let steps: Vec<String> = (1..=9)
        .map(|step| format!("  - {{name: s{step}, closed: {{concurrency: 4}}, operations: 200}}\n"))
        .collect();
    let (head, _) = FILE.split_once("  - {").expect("a step");
    let script = format!(
        "mkdir disk && mount -t tmpfs -o size=320k none disk && \
         $docstone run w.yaml --out disk/out --uri '{}' --database {}; \
         code=$?; cp -r disk/out out; exit $code",
        database.uri, database.name
    );
    let ran = shell(&format!("exec unshare {flags} sh -c \"$script\""))
        .env("script", &script)
        .file("w.yaml", format!("{head}{}", steps.concat()))
        .run()
        .ended_with(1)
        .says("No space left on device");
    // It depends on the sizes of the files which of them fills the disk. A record that was written
    // with the room kept for it is not said to be missing.
    match ran.stderr.split_once("cannot write disk/") {
        Some((_, named)) => {
            let (path, _) = named.split_once(": ").expect("a cause");
            assert!(path.starts_with("out/trials/"), "{}", ran.stderr);
            let is_there = path.ends_with("record.json") && ran.path(path).exists();
            assert!(!is_there, "{path} is there: {}", ran.stderr);
        }
        None => assert!(
            ran.stderr.contains("into the output folder disk/out"),
            "{}",
            ran.stderr
        ),
    }
    let records = ran.records();
    assert_eq!(records.run["status"], "failed");
    let warnings = records.run["warnings"].to_string();
    assert!(warnings.contains("No space left on device"), "{warnings}");
    let trials = records.run["trials"].as_array().expect("a list");
    assert!((1..9).contains(&trials.len()), "{trials:?}");
    let complete = trials.iter().filter(|trial| trial["status"] == "complete");
    for trial in complete {
        let cell = trial["cell"].as_str().expect("a name");
        assert_eq!(records.operation(cell, "find")["ok"], 200);
        assert_eq!(records.series_sum(cell, "find", "ok"), 200);
    }
}
