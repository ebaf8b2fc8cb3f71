//! `cargo xtask bench NAME`: one of the programs in `benchmarks/src/bin`, in release mode, with the
//! private mongod and a fresh docstone at hand. Owns their names; what they measure is theirs.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::root::root;
use crate::{docstone, mongod, process};

/// The variable that tells a benchmark where the release build of docstone is.
const DOCSTONE_VARIABLE: &str = "DOCSTONE_BIN";

/// What `bench` takes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The benchmark; `--list` shows the names.
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// Lists the benchmarks.
    #[arg(long)]
    list: bool,
    /// Arguments for the benchmark.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    passed_on: Vec<String>,
}

/// Runs the benchmark, or lists them all. Returns after a list only.
///
/// # Errors
///
/// When the name is unknown, there is no mongod, or something does not build.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let names = names(&root().join("benchmarks/src/bin"))?;
    let Some(name) = arguments.name.as_ref().filter(|_| !arguments.list) else {
        for name in &names {
            println!("{name}");
        }
        return Ok(());
    };
    if !names.contains(name) {
        let known = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        bail!("there is no benchmark `{name}`; known are: {known}");
    }
    let mongod = mongod::find_or_fetch()?;
    let program = docstone::build_release()?;
    let mut bench = process::cargo();
    bench
        .args([
            "run",
            "--release",
            "--quiet",
            "--package",
            "docstone-benchmarks",
            "--bin",
        ])
        .args([name, "--"])
        .args(&arguments.passed_on)
        .env(mongod::VARIABLE, mongod)
        .env(DOCSTONE_VARIABLE, program);
    Err(process::become_command(&mut bench))
}

/// The names of the programs in a folder, sorted; none when there is no such folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in folder
        .read_dir()
        .with_context(|| folder.display().to_string())?
    {
        let path = entry?.path();
        let is_program = path.extension().is_some_and(|it| it == "rs") || path.is_dir();
        if let Some(stem) = path.file_stem().filter(|_| is_program) {
            names.push(stem.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn names_are_the_programs_sorted_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["recorder.rs", "memory.rs", "notes.md"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        fs::create_dir(folder.path().join("overhead")).unwrap();
        let names = names(folder.path()).unwrap();
        assert_eq!(names, ["memory", "overhead", "recorder"]);
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_names() {
        assert!(names(Path::new("/no/such/folder")).unwrap().is_empty());
    }
}
