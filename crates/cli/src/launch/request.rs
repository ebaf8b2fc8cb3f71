//! What a command asks to be launched.

use std::path::PathBuf;

use docstone_model::Plan;

/// What is to be launched.
pub(crate) struct Launch {
    pub(crate) plan: Plan,
    pub(crate) out: Option<PathBuf>,
    pub(crate) quiet: bool,
    pub(crate) json: bool,
    /// Lines for the reader of the numbers, from the command line.
    pub(crate) notes: Vec<String>,
    pub(crate) style: Style,
}

/// Whose output is printed.
pub(crate) enum Style {
    /// docstone's own.
    Run,
    /// The old tool's on stdout, its CSV files in this folder, docstone's progress on stderr.
    Idealo(PathBuf),
}
