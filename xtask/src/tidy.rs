//! `cargo xtask tidy`: the rules for the source that no lint knows. Owns which rule sees what; each
//! rule is a file of its own. All faults are shown at once. CONTRIBUTING.md says why each rule is.

mod clocks;
mod cycles;
mod fault;
mod imports;
mod paths;
mod rust_text;
mod scan;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::root::root;
use crate::workspace::{self, Workspace};
use fault::Fault;

/// Checks all rules on the whole workspace and prints each fault.
///
/// # Errors
///
/// When there is a fault, or the workspace cannot be read.
pub(crate) fn run() -> Result<()> {
    let workspace = workspace::read()?;
    let mut faults = file_faults(&workspace::files()?)?;
    faults.extend(import_faults(&workspace)?);
    faults.extend(cycle_faults(&workspace)?);
    faults.sort();
    faults.dedup();
    for fault in &faults {
        eprintln!("{fault}");
    }
    match faults.len() {
        0 => Ok(()),
        1 => bail!("1 fault"),
        count => bail!("{count} faults"),
    }
}

fn file_faults(files: &[PathBuf]) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for file in files {
        let name = file.to_string_lossy();
        faults.extend(paths::check_name(&name));
        let bytes = fs::read(root().join(file)).context(name.to_string())?;
        let Ok(text) = String::from_utf8(bytes) else {
            continue; // A picture or the like: it has no lines.
        };
        faults.extend(paths::check_text(&name, &text));
        if file.extension().is_some_and(|it| it == "rs") {
            faults.extend(source::check(&name, &text));
            faults.extend(clocks::check(&name, &text));
        }
    }
    Ok(faults)
}

fn import_faults(workspace: &Workspace) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let own: Vec<&str> = workspace
        .packages
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    for package in &workspace.packages {
        let manifest = fs::read_to_string(&package.manifest)?;
        let name = shown(&package.manifest);
        faults.extend(imports::check(package, &own, &name, &manifest));
    }
    Ok(faults)
}

fn cycle_faults(workspace: &Workspace) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for root in workspace.packages.iter().flat_map(|package| &package.roots) {
        let folder = root.parent().expect("a root file lies in a folder");
        let mut files = Vec::new();
        collect(folder, &mut files)?;
        let mut sources = Vec::new();
        for file in files {
            let inside = file.strip_prefix(folder).expect("found below the folder");
            if let Some(module) = cycles::module_of(inside) {
                let text = fs::read_to_string(&file)?;
                sources.push(cycles::Source {
                    module,
                    file: shown(&file),
                    text,
                });
            }
        }
        faults.extend(cycles::check(&sources));
    }
    Ok(faults)
}

/// All Rust files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// A path as faults show it: from the workspace root.
fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(root()).unwrap_or(path);
    inside.to_string_lossy().into_owned()
}
