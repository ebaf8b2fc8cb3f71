//! What the checks need from the Rust toolchain beyond cargo. Owns the probes and the calls of
//! rustup; a toolchain that has everything needs no rustup.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// The target of the cross check: users measure on Arm.
pub(crate) const ARM_TARGET: &str = "aarch64-unknown-linux-gnu";

/// Adds rustfmt, clippy and the Arm target to the toolchain, as far as they are missing.
///
/// # Errors
///
/// When something is missing and rustup is, too, or cannot fetch it.
pub(crate) fn complete() -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if process::output(process::cargo().args([subcommand, "--version"])).is_err() {
            rustup(&["component", "add", component])?;
        }
    }
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", ARM_TARGET]);
    if !Path::new(process::output(&mut rustc)?.trim()).is_dir() {
        rustup(&["target", "add", ARM_TARGET])?;
    }
    Ok(())
}

fn rustup(arguments: &[&str]) -> Result<()> {
    process::output(Command::new("rustup").args(arguments)).with_context(|| {
        let wanted = arguments.last().expect("every call names what it adds");
        format!("the toolchain lacks {wanted}, and rustup did not bring it")
    })?;
    Ok(())
}
