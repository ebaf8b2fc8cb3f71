//! What cargo and git know about this workspace: its packages and its files. Owns the
//! reading of `cargo metadata`; judges nothing.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;
use crate::root::root;

/// The workspace as `cargo metadata --no-deps` describes it.
pub(crate) struct Workspace {
    /// The packages, in cargo's order.
    pub(crate) packages: Vec<Package>,
    /// Where cargo builds.
    pub(crate) target_folder: PathBuf,
}

/// One package of the workspace.
pub(crate) struct Package {
    /// The name in the manifest.
    pub(crate) name: String,
    /// The absolute path of its `Cargo.toml`.
    pub(crate) manifest: PathBuf,
    /// What the manifest asks for.
    pub(crate) dependencies: Vec<Dependency>,
    /// The root files of its library and its main program.
    pub(crate) roots: Vec<PathBuf>,
}

/// One dependency of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The name of the package asked for.
    pub(crate) name: String,
    /// Whether only tests, examples and benches use it.
    pub(crate) dev: bool,
}

/// Asks cargo for the workspace.
///
/// # Errors
///
/// When cargo fails (a broken manifest) or answers what this does not understand.
pub(crate) fn read() -> Result<Workspace> {
    let mut cargo = process::cargo();
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
    parse(&process::output(&mut cargo)?).context("`cargo metadata` gave an unknown form")
}

/// The files of the workspace, relative to its root: those that git holds and those that it would
/// take, as far as they are there.
///
/// # Errors
///
/// When git is missing or this is no git work tree.
pub(crate) fn files() -> Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.current_dir(root()).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let listing = process::output(&mut git).context("the files of the workspace come from git")?;
    let mut files: Vec<PathBuf> = listing
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .filter(|file| root().join(file).is_file())
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

fn parse(text: &str) -> Result<Workspace> {
    let value: Value = serde_json::from_str(text)?;
    let packages = list(&value, "packages")?
        .iter()
        .map(package)
        .collect::<Result<_>>()?;
    Ok(Workspace {
        packages,
        target_folder: text_of(&value, "target_directory")?.into(),
    })
}

fn package(value: &Value) -> Result<Package> {
    let dependencies = list(value, "dependencies")?
        .iter()
        .map(|value| {
            Ok(Dependency {
                name: text_of(value, "name")?.to_owned(),
                dev: value["kind"] == "dev",
            })
        })
        .collect::<Result<_>>()?;
    let roots = list(value, "targets")?
        .iter()
        .filter_map(|target| target["src_path"].as_str())
        .filter(|path| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs"))
        .map(PathBuf::from)
        .collect();
    Ok(Package {
        name: text_of(value, "name")?.to_owned(),
        manifest: text_of(value, "manifest_path")?.into(),
        dependencies,
        roots,
    })
}

fn list<'value>(value: &'value Value, key: &str) -> Result<&'value Vec<Value>> {
    value[key]
        .as_array()
        .with_context(|| format!("no list `{key}`"))
}

fn text_of<'value>(value: &'value Value, key: &str) -> Result<&'value str> {
    value[key]
        .as_str()
        .with_context(|| format!("no text `{key}`"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn dependencies_keep_their_kind_and_roots_are_library_and_main() {
        let workspace = parse(
            r#"{"target_directory": "/t", "packages": [{
                "name": "a", "manifest_path": "/w/a/Cargo.toml",
                "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}],
                "targets": [{"src_path": "/w/a/src/lib.rs"}, {"src_path": "/w/a/src/bin/x.rs"}]
            }]}"#,
        )
        .unwrap();
        let package = &workspace.packages[0];
        assert_eq!(workspace.target_folder, Path::new("/t"));
        assert_eq!(package.roots, [Path::new("/w/a/src/lib.rs")]);
        let kinds: Vec<_> = package
            .dependencies
            .iter()
            .map(|it| (it.name.as_str(), it.dev))
            .collect();
        assert_eq!(kinds, [("b", false), ("c", true)]);
    }

    #[test]
    fn an_unknown_form_is_an_error_that_names_the_key() {
        let error = parse(r#"{"target_directory": "/t"}"#).err().unwrap();
        assert!(format!("{error:#}").contains("packages"));
    }

    #[test]
    fn this_workspace_holds_xtask() {
        let workspace = read().unwrap();
        assert!(workspace.packages.iter().any(|it| it.name == "xtask"));
    }
}
