//! `cargo xtask demo`: the short way from a clone to a result. Builds, then becomes `docstone demo`;
//! what the demo does is docstone's own.

use std::process::Command;

use anyhow::Result;

use crate::{docstone, mongod, process};

/// Runs `docstone demo` with these arguments. Returns only when it cannot be started.
///
/// # Errors
///
/// When there is no mongod, or docstone does not build.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mongod = mongod::find_or_fetch()?;
    let program = docstone::build_release()?;
    let mut demo = Command::new(program);
    demo.arg("demo")
        .args(arguments)
        .env(mongod::VARIABLE, mongod);
    Err(process::become_command(&mut demo))
}
