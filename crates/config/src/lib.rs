//! YAML, JSON and command lines to a resolved plan, with all errors at once.
//!
//! Owns what a workload file and its flags mean. Reads the file that it is given and the traces
//! that it names, and nothing else: environment variables come through a closure, and nothing connects anywhere.

pub mod compat;
mod defaults;
mod deserialize;
mod diagnostics;
mod env;
pub mod later;
mod nearest;
mod node;
mod overrides;
mod raw;
mod reads_text;
mod resolve;
mod schema;
mod set;
mod shorthand;
mod spot;
mod units;
mod uri;

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use docstone_model::Plan;

pub use compat::idealo;
pub use diagnostics::Diagnostics;
pub use overrides::{Env, Overrides};
pub use schema::workload_schema;

/// Reads a duration that stands on the command line, such as `10s`, in nanoseconds.
///
/// # Errors
/// If it is none; the text is a fragment that names the cure.
pub fn duration_ns(text: &str) -> Result<u64, String> {
    units::DurationNs::parse(text).map(|duration| duration.0)
}

use diagnostics::Faults;
use node::{Node, Place};
use resolve::Source;
use spot::Spot;

/// Reads a workload file and resolves it, flags and environment included.
///
/// # Errors
/// All mistakes of the file and the flags at once; or that the file cannot be read.
pub fn plan_from_file(
    path: &Path,
    overrides: &Overrides,
    env: Env<'_>,
) -> Result<Plan, Diagnostics> {
    let name = path.display().to_string();
    let text = read(path).map_err(|(why, help)| {
        let message = format!("the file `{name}` cannot be read: {why}");
        Diagnostics::single(&name, message, Some(help.to_owned()))
    })?;
    let source = Source {
        name: &name,
        folder: path.parent().unwrap_or(Path::new("")),
    };
    plan_of(source, &text, overrides, env)
}

/// A larger file is no workload: four megabytes.
const LARGEST_BYTES: u64 = 4_000_000;

/// The text of a file, or why there is none, with the cure.
fn read(path: &Path) -> Result<String, (String, &'static str)> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let bytes = file.take(LARGEST_BYTES + 1).read_to_string(&mut text);
    if bytes.map_err(|error| unreadable(&error))? as u64 > LARGEST_BYTES {
        return Err((
            "it has more than 4 MB".to_owned(),
            "a workload is small: documents are drawn, `{$string: {length: N}}` writes a long \
             text, and recorded arrivals go to a file of their own (`trace`)",
        ));
    }
    Ok(text)
}

fn unreadable(error: &std::io::Error) -> (String, &'static str) {
    match error.kind() {
        ErrorKind::InvalidData => ("it is no UTF-8 text".to_owned(), "save it as UTF-8"),
        ErrorKind::NotFound => ("there is no such file".to_owned(), "check its path"),
        ErrorKind::IsADirectory => (
            "it is a folder".to_owned(),
            "name the workload file that is in it",
        ),
        ErrorKind::PermissionDenied => (error.to_string(), "check who may read it"),
        _ => (error.to_string(), "check what it is"),
    }
}

/// Resolves the text of a workload file; `name` is the file's name, for messages and as the
/// default of the plan's name. Paths in the text count from the current folder.
///
/// # Errors
/// All mistakes of the file and the flags at once.
pub fn plan_from_text(
    name: &str,
    text: &str,
    overrides: &Overrides,
    env: Env<'_>,
) -> Result<Plan, Diagnostics> {
    let folder = Path::new("");
    plan_of(Source { name, folder }, text, overrides, env)
}

fn plan_of(
    source: Source<'_>,
    text: &str,
    overrides: &Overrides,
    env: Env<'_>,
) -> Result<Plan, Diagnostics> {
    let faults = Faults::default();
    let plan = resolved(source, text, overrides, env, &faults);
    match plan {
        Some(plan) if faults.is_empty() => Ok(plan),
        _ => {
            if faults.is_empty() {
                // Every way to no plan records its reason; this guards against one that does not.
                faults.add(Place::Whole, "the file does not make a plan", None);
            }
            Err(faults.into_diagnostics(source.name, text, &overrides.set))
        }
    }
}

fn resolved(
    source: Source<'_>,
    text: &str,
    overrides: &Overrides,
    env: Env<'_>,
    faults: &Faults,
) -> Option<Plan> {
    let mut root = match Node::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let place = Place::File(error.offset, error.offset + 1);
            faults.add(place, error.message, error.help);
            return None;
        }
    };
    if !matches!(root.value, node::Value::Map(_)) {
        let message = format!("expected a workload, which is a map, found {}", root.kind());
        let help = "begin with `operations:` and `load:`".to_owned();
        faults.add(Place::Whole, message, Some(help));
        return None;
    }
    set::apply(&mut root, &overrides.set, faults);
    env::expand(&mut root, text, env, faults);
    shorthand::spell_out(&mut root);
    let raw = deserialize::read(&root, faults);
    resolve::resolve(&raw, &Spot::root(&root, faults), source, overrides, env)
}

#[cfg(test)]
mod tests;
