//! Connection strings with a password where none is expected: refused without an echo.

use crate::support::{Ran, docstone};

use super::{ENCODED, PASSWORD, file, keeps_quiet};

/// One command with `URI` in a place where it is a mistake.
const MISTAKES: [&[&str]; 25] = [
    &["URI"],
    &["help", "URI"],
    &["run", "w.yaml", "URI"],
    &["run", "URI"],
    &["run", "w.yaml", "--seed", "URI"],
    &["run", "w.yaml", "--set", "URI"],
    &["run", "w.yaml", "--set", "load=URI"],
    &["run", "w.yaml", "--private", "--database", "URI"],
    &["run", "w.yaml", "--private", "--transport", "URI"],
    &["run", "w.yaml", "--private", "--connect-timeout", "URI"],
    &["run", "w.yaml", "--private", "--threads", "URI"],
    &["run", "w.yaml", "--out", "URI"],
    &["run", "w.yaml", "--password-file", "URI"],
    &["run", "w.yaml", "--URI"],
    &["plan", "URI"],
    &["plan", "w.yaml", "--json", "URI"],
    &["demo", "--seconds", "URI"],
    &["server", "URI"],
    &["server", "start", "--members", "URI"],
    &["server", "start", "--compressors", "URI"],
    &["server", "start", "--set-parameter", "URI"],
    &["server", "stop", "URI"],
    &["schema", "URI"],
    &["completions", "URI"],
    &["man", "URI"],
];

/// The same for the old command line, behind what it needs.
const OLD_MISTAKES: [&[&str]; 7] = [
    &["-m", "URI"],
    &["-t", "10", "URI"],
    &["-d", "URI"],
    &["-port", "URI"],
    &["--URI"],
    &["--out", "URI"],
    &["--seed", "URI"],
];

fn refused(arguments: &[&str], uri: &str) -> Ran {
    let servers = tempfile::tempdir().expect("a folder");
    let placed = arguments.iter().map(|word| word.replace("URI", uri));
    let ran = docstone(placed)
        .env("DOCSTONE_SERVERS_DIR", servers.path())
        .file("w.yaml", file("operations: 5"))
        .run()
        .ended_with(2);
    assert!(ran.stderr.contains("error: "), "{}", ran.stderr);
    keeps_quiet(&ran);
    let left = std::fs::read_dir(ran.folder.path()).expect("a folder");
    assert_eq!(left.count(), 1, "no folder is made of a connection string");
    ran
}

fn uris() -> [String; 3] {
    [
        format!("mongodb://writer:{ENCODED}@h/db"),
        format!("mongodb://writer:{PASSWORD}@h"),
        format!("mongodb+srv://writer:a=.{ENCODED}@h/?w=1"),
    ]
}

#[test]
fn a_connection_string_in_the_wrong_place_is_refused_without_its_password() {
    for arguments in MISTAKES {
        for uri in uris() {
            let _ = refused(arguments, &uri);
        }
    }
    let without_scheme = format!("writer:{ENCODED}@h");
    for arguments in [MISTAKES[0], MISTAKES[2], MISTAKES[4], MISTAKES[21]] {
        let ran = refused(arguments, &without_scheme);
        assert!(ran.stderr.contains("writer:***@h"), "{}", ran.stderr);
    }
}

#[test]
fn the_old_command_line_refuses_a_misplaced_connection_string_without_its_password() {
    let needed = ["idealo", "-o", "5", "-db", "old", "-c", "perf"];
    for mistake in OLD_MISTAKES {
        for uri in uris() {
            let _ = refused(&[&needed, mistake].concat(), &uri);
        }
    }
}

#[test]
fn a_connection_string_in_the_wrong_place_gets_advice() {
    let [uri, ..] = uris();
    for arguments in [MISTAKES[3], MISTAKES[5], MISTAKES[11], MISTAKES[14]] {
        let ran = refused(arguments, &uri)
            .says("connection string")
            .says("--uri");
        assert!(ran.stderr.contains("writer:***@h"), "{}", ran.stderr);
    }
}

#[test]
fn a_password_by_an_option_that_there_is_not_is_not_shown() {
    for arguments in [
        &["run", "w.yaml", "--password", "URI"][..],
        &["run", "w.yaml", "--password=URI"],
        &["run", "w.yaml", "--passwd", "URI"],
    ] {
        let _ = refused(arguments, PASSWORD).says("--passw");
    }
}

#[test]
fn an_argument_that_is_no_text_is_refused_and_not_shown() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let argument = OsStr::from_bytes(b"mongodb://u:p@ss\xff@h");
    let ran = docstone([OsStr::new("run"), argument]).run().ended_with(2);
    keeps_quiet(&ran.says("UTF-8"));
}
