//! Runs cargo for the other tasks, from the workspace root. Owns where the root is and which
//! part of the environment a nested cargo must not see; knows no task.

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The root folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace root")
}

/// A cargo command in the workspace root.
///
/// `cargo run` hands the variables of the xtask package to this process. Build scripts that watch
/// them (ring's does) would run again at each change between a plain and a nested cargo, so they
/// are taken out.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command whose output goes where ours goes.
///
/// # Errors
///
/// When the program is missing, or ends with anything but success.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let line = shown(command);
    let status = command
        .status()
        .with_context(|| format!("`{line}` could not be started"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default();
    let mut line = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}
