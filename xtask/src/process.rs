//! Runs other programs: cargo and what set-up needs. Owns the environment of a nested cargo and
//! the wording of a failure; knows no task.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Error, Result, bail};

use crate::root::root;

/// A cargo command in the workspace root.
///
/// `cargo run` hands the variables of the xtask package to this process. Build scripts that watch
/// them (ring's does) would run again at each change between a plain and a nested cargo, so they
/// are taken out.
pub(crate) fn cargo() -> Command {
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

/// What a command prints on stdout.
///
/// # Errors
///
/// When the program is missing, or fails; with what it said on stderr.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = shown(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{line}` could not be started"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{line}` failed ({}): {}", output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Becomes the command, so that signals and the exit code are its own. Returns only on failure.
pub(crate) fn become_command(command: &mut Command) -> Error {
    let line = shown(command);
    Error::new(command.exec()).context(format!("`{line}` could not be started"))
}

/// The first file of that name on the search path that may be run.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|file| may_run(file))
}

/// Whether the path is a file that this user may run.
pub(crate) fn may_run(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = program
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_is_named_with_its_arguments_and_status() {
        let error = succeed(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("`sh -c exit 3` failed"), "{text}");
        assert!(text.contains('3'), "{text}");
    }

    #[test]
    fn a_missing_program_is_an_error_that_names_it() {
        let error = output(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(format!("{error:#}").contains("`no-such-program-here` could not be started"));
    }

    #[test]
    fn the_output_of_a_failed_program_carries_what_it_said() {
        let error = output(Command::new("sh").args(["-c", "echo why >&2; exit 1"])).unwrap_err();
        assert!(format!("{error:#}").ends_with("why"));
    }

    #[test]
    fn only_files_with_a_run_bit_are_found_on_the_path() {
        assert!(on_path("sh").is_some());
        assert!(on_path("no-such-program-here").is_none());
        let plain = tempfile::NamedTempFile::new().unwrap();
        assert!(!may_run(plain.path()));
        assert!(!may_run(plain.path().parent().unwrap()));
    }
}
