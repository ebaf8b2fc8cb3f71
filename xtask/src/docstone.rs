//! The release build of docstone, which the demo and the benchmarks run.

use std::path::PathBuf;

use anyhow::Result;

use crate::{process, workspace};

/// Builds docstone in release mode and gives the path of the program.
///
/// # Errors
///
/// When it does not build.
pub(crate) fn build_release() -> Result<PathBuf> {
    process::succeed(process::cargo().args(["build", "--release", "--package", "docstone"]))?;
    Ok(workspace::read()?.target_folder.join("release/docstone"))
}
