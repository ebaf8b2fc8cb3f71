//! `cargo xtask test`: every check of the project. Owns the list of checks and their order: set-up
//! first, then what fails fastest, `cargo test` last, so that its closing lines end stdout.

use anyhow::Result;

use crate::stopwatch::Stopwatch;
use crate::toolchain::ARM_TARGET;
use crate::{mongod, packages, process, tidy, toolchain};

/// Runs all checks; `arguments` go to `cargo test`.
///
/// # Errors
///
/// When a check failed; all of them have run by then.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut stopwatch = Stopwatch::default();
    let mongod = stopwatch.part("mongod", mongod::find_or_fetch);
    stopwatch.part("packages", packages::install_missing);
    stopwatch.part("toolchain", toolchain::complete);
    stopwatch.part("format", || cargo(&["fmt", "--all", "--check"]));
    stopwatch.part("tidy", tidy::run);
    stopwatch.part("lints", || {
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ])
    });
    stopwatch.part("arm check", || {
        cargo(&["check", "--package", "docstone", "--target", ARM_TARGET])
    });
    stopwatch.part("tests", || {
        let mut tests = process::cargo();
        if let Some(mongod) = &mongod {
            tests.env(mongod::VARIABLE, mongod);
        }
        process::succeed(tests.arg("test").args(cargo_test_arguments(arguments)))
    });
    stopwatch.finish()
}

fn cargo(arguments: &[&str]) -> Result<()> {
    process::succeed(process::cargo().args(arguments))
}

/// What goes to `cargo test`: the whole workspace unless packages are named, and every test program
/// even when an earlier one failed.
fn cargo_test_arguments(given: &[String]) -> Vec<String> {
    let own = given.iter().take_while(|it| *it != "--");
    let names_packages = own
        .clone()
        .any(|it| it == "--workspace" || it == "-p" || it.starts_with("--package"));
    let keeps_on = own.clone().any(|it| it == "--no-fail-fast");
    let mut arguments = Vec::new();
    if !names_packages {
        arguments.push("--workspace".to_owned());
    }
    if !keeps_on {
        arguments.push("--no-fail-fast".to_owned());
    }
    arguments.extend_from_slice(given);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(given: &[&str]) -> Vec<String> {
        let given: Vec<String> = given.iter().map(ToString::to_string).collect();
        cargo_test_arguments(&given)
    }

    #[test]
    fn the_whole_workspace_is_tested_unless_packages_are_named() {
        assert_eq!(arguments(&[]), ["--workspace", "--no-fail-fast"]);
        let named = arguments(&["-p", "docstone-model"]);
        assert_eq!(named, ["--no-fail-fast", "-p", "docstone-model"]);
    }

    #[test]
    fn what_follows_the_second_dashes_belongs_to_the_test_program() {
        let given = arguments(&["--", "-p", "--no-fail-fast"]);
        assert_eq!(given[..2], ["--workspace", "--no-fail-fast"]);
        assert_eq!(given[2..], ["--", "-p", "--no-fail-fast"]);
    }
}
