//! `cargo xtask test`: every check of the project, in the order in which they fail fastest.

use anyhow::Result;

use crate::cargo;

/// Runs all checks; `arguments` go to `cargo test`.
///
/// # Errors
///
/// At the first check that fails.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut tests = cargo::command();
    tests.args(["test", "--workspace"]).args(arguments);
    cargo::succeed(&mut tests)
}
