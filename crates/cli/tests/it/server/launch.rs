//! The private server of a run that is kept, that does not come so far, or that is not waited for.

use rustix::process::Signal;

use super::{FILE, Servers, id};
use crate::support::new_folder;

#[test]
fn keep_leaves_the_private_server_for_later() {
    let servers = Servers::new();
    let ran = servers
        .command(&["run", "w.yaml", "--private", "--keep", "--out", "out"])
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    assert!(!servers.processes().is_empty(), "{}", ran.stderr);
    let status = servers.run(&["server", "status"]);
    assert!(
        status.stdout.contains("running, replica set"),
        "{}",
        status.stdout
    );
    assert!(ran.stdout.contains(&id(&status.stdout)), "{}", ran.stdout);
    assert!(ran.stdout.contains("shares the machine's cores"));
    let _ = servers.run(&["server", "stop"]);
    servers.are_gone();
}

#[test]
fn a_kept_server_is_named_where_the_run_fails_before_it_begins() {
    let servers = Servers::new();
    // A range of an empty collection, which only the server knows.
    let file = FILE
        .replace("count: 50", "count: 0")
        .replace("{$key: {}}", "{$field_range: {}}");
    let ran = servers
        .command(&["run", "w.yaml", "--private", "--keep", "--out", "out"])
        .file("w.yaml", file)
        .run()
        .ended_with(2)
        .says("is empty");
    assert!(!ran.path("out").exists());
    let status = servers.run(&["server", "status"]);
    let stop = format!("docstone server stop {}", id(&status.stdout));
    assert!(ran.stderr.contains(&stop), "{}", ran.stderr);
    let _ = servers.run(&["server", "stop"]);
    servers.are_gone();
}

/// Interrupts a command while the server of a run, or the one that it is to start, starts.
fn ctrl_c_while_a_server_starts(mongod: Option<&std::path::Path>, arguments: &[&str]) {
    let servers = Servers::new();
    for signal in [Signal::INT, Signal::TERM] {
        let mut command = servers
            .command(arguments)
            .file("w.yaml", FILE.replace("operations: 100", "duration: 40s"))
            .limit_s(30);
        if let Some(mongod) = mongod {
            command = command.env("DOCSTONE_MONGOD", mongod);
        }
        let mut running = command.start();
        running.wait_until("a mongod starts", |_| !servers.processes().is_empty());
        running.signal(signal);
        let ran = running.wait().ended_with(130).says("interrupted");
        assert!(!ran.path("out").exists(), "there is nothing to record");
        servers.left_no_file();
        servers.are_gone();
    }
}

const COMMANDS: [&[&str]; 3] = [
    &["run", "w.yaml", "--private", "--out", "out"],
    &["run", "w.yaml", "--private", "--keep", "--out", "out"],
    &["server", "start"],
];

#[test]
fn ctrl_c_while_a_private_server_starts_leaves_nothing() {
    for command in COMMANDS {
        ctrl_c_while_a_server_starts(None, command);
    }
}

#[test]
fn ctrl_c_takes_a_private_server_along_that_never_gets_ready() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = new_folder();
    let mongod = folder.path().join("mongod");
    std::fs::write(&mongod, "#!/bin/sh\nwhile :; do sleep 0.2; done\n").expect("written");
    let runs = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&mongod, runs).expect("a program");
    for command in COMMANDS {
        ctrl_c_while_a_server_starts(Some(&mongod), command);
    }
}
