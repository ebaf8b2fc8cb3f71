//! YAML, JSON and command lines to a resolved plan, with all errors at once.
//!
//! Owns what a workload file and its flags mean. Reads the file that it is given and the traces
//! that it names, and nothing else: environment variables come through a closure, and nothing connects anywhere.

pub mod compat;
mod defaults;
mod deserialize;
mod diagnostics;
mod env;
mod nearest;
mod node;
mod overrides;
mod raw;
mod resolve;
mod schema;
mod set;
mod shorthand;
mod spot;
mod units;
mod uri;

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
    let text = std::fs::read_to_string(path).map_err(|error| {
        let (why, help) = match error.kind() {
            std::io::ErrorKind::InvalidData => {
                ("it is no UTF-8 text".to_owned(), "save it as UTF-8")
            }
            std::io::ErrorKind::NotFound => (error.to_string(), "check its path"),
            _ => (error.to_string(), "check what it is, and who may read it"),
        };
        let message = format!("the file `{name}` cannot be read: {why}");
        Diagnostics::single(&name, message, Some(help.to_owned()))
    })?;
    let source = Source {
        name: &name,
        folder: path.parent().unwrap_or(Path::new("")),
    };
    plan_of(source, &text, overrides, env)
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
