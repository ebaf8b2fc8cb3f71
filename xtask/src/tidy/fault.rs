//! One broken rule, as a person reads it. Owns the form `file:line: what; cure`.

use std::fmt;

/// A broken rule at its place. Faults sort by file, then line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fault {
    /// The path from the workspace root.
    pub(super) file: String,
    /// The line, from 1.
    pub(super) line: usize,
    /// What is wrong, as a fragment.
    pub(super) what: String,
    /// What to do about it, as a fragment.
    pub(super) cure: String,
}

impl Fault {
    /// A fault with these words.
    pub(super) fn new(
        file: &str,
        line: usize,
        what: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line,
            what: what.into(),
            cure: cure.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}:{}: {}; {}",
            self.file, self.line, self.what, self.cure
        )
    }
}
