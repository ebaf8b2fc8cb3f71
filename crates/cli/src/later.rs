//! What was typed of a later version: answered by its name, with what this version has instead.

use clap::error::{ContextKind, ContextValue};
use docstone_config::later::{self, Later};

/// The message about a command, a flag or a format of a later version, if that is what clap does
/// not know.
pub(crate) fn message(error: &clap::Error) -> Option<String> {
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.split('=').next(),
        _ => None,
    };
    let known = |kind, of: fn(&str) -> Option<Later>| named(kind).and_then(of);
    let (before, later) = None
        .or(known(ContextKind::InvalidSubcommand, later::command).map(|it| ("docstone ", it)))
        .or(known(ContextKind::InvalidArg, later::flag).map(|it| ("", it)))
        .or(known(ContextKind::InvalidValue, later::schema)
            .filter(|_| named(ContextKind::InvalidArg) == Some("<NAME>"))
            .map(|it| ("docstone schema ", it)))?;
    Some(format!(
        "error: {}\nhelp: {}",
        later.message(before),
        later.help
    ))
}
