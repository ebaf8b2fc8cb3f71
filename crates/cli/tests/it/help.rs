//! What docstone says of itself: help, version, completions, manual page, schemas.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::docstone;

/// Every command, as it is typed.
const COMMANDS: [&[&str]; 12] = [
    &[],
    &["run"],
    &["plan"],
    &["selftest"],
    &["server"],
    &["server", "start"],
    &["server", "status"],
    &["server", "stop"],
    &["demo"],
    &["schema"],
    &["completions"],
    &["man"],
];

#[test]
fn the_help_of_every_command_has_examples() {
    for command in COMMANDS {
        for flag in ["--help", "-h"] {
            let ran = docstone(command.iter().copied().chain([flag]))
                .run()
                .ended_with(0);
            let words = command.join(" ");
            assert!(
                ran.stdout.contains("Usage: docstone"),
                "{words}: {}",
                ran.stdout
            );
            let examples = ran.stdout.split("Example").nth(1);
            let examples = examples.unwrap_or_else(|| panic!("{words}: no example"));
            assert!(
                examples.contains(format!("docstone {words}").trim_end()),
                "{words}: {examples}"
            );
            assert_eq!(ran.stderr, "");
        }
    }
}

#[test]
fn every_example_of_a_run_names_a_command_that_exists() {
    for command in COMMANDS {
        let ran = docstone(command.iter().copied().chain(["--help"]))
            .run()
            .ended_with(0);
        let (_, examples) = ran.stdout.split_once("Example").expect("examples");
        for line in examples
            .lines()
            .filter(|line| line.trim_start().starts_with("docstone "))
        {
            let word = line.split_whitespace().nth(1).expect("a command");
            let known = COMMANDS
                .iter()
                .any(|command| command.first() == Some(&word));
            assert!(known || word == "idealo", "{line}");
        }
    }
}

#[test]
fn the_old_command_line_has_its_own_help_and_version() {
    for flag in ["-H", "--help"] {
        let ran = docstone(["idealo", flag]).run().ended_with(0);
        for part in [
            "-m",
            "-dropdb",
            "Examples",
            "docstone idealo -m insert -o 1000000",
        ] {
            assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
        }
    }
    let ran = docstone(["idealo", "-v"]).run().ended_with(0);
    assert!(
        ran.stdout.contains(env!("CARGO_PKG_VERSION")),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_version_is_the_one_that_records_have() {
    let ran = docstone(["--version"]).run().ended_with(0);
    assert_eq!(
        ran.stdout.trim(),
        concat!("docstone ", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = docstone(["completions", shell]).run().ended_with(0);
        for word in ["run", "plan", "server", "demo", "idealo", "schema"] {
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
    let _ = docstone(["completions", "tcsh"]).run().ended_with(2);
}

#[test]
fn bash_takes_its_completion_script() {
    let script = docstone(["completions", "bash"]).run().ended_with(0);
    let checked = std::process::Command::new("bash")
        .args(["-n", "-c", &script.stdout])
        .output()
        .expect("bash");
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stderr)
    );
}

#[test]
fn the_manual_page_is_troff_with_every_command_and_option() {
    let ran = docstone(["man"]).run().ended_with(0);
    assert!(
        ran.stdout.contains(".TH docstone 1"),
        "{}",
        &ran.stdout[..200]
    );
    for part in [
        "docstone\\-run",
        "docstone\\-server",
        "\\-\\-uri",
        "\\-\\-drop",
    ] {
        assert!(ran.stdout.contains(part), "{part}");
    }
}

#[test]
fn schemas_are_json_schemas_of_formats_that_differ() {
    let mut titles = BTreeSet::new();
    for name in ["workload", "plan", "run", "trial", "selftest"] {
        let ran = docstone(["schema", name]).run().ended_with(0);
        let schema: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert!(
            schema["$schema"]
                .as_str()
                .is_some_and(|text| text.contains("json-schema"))
        );
        let title = schema["title"].as_str().expect("a title").to_owned();
        assert!(schema["properties"].is_object(), "{name}");
        let _ = titles.insert(title);
    }
    assert_eq!(titles.len(), 5, "{titles:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let command = format!("{} man | head -n 1", env!("CARGO_BIN_EXE_docstone"));
    let output = std::process::Command::new("bash")
        .args(["-c", &format!("set -o pipefail; {command}")])
        .output()
        .expect("bash");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && stderr.is_empty(),
        "{:?} {stderr}",
        output.status
    );
}
