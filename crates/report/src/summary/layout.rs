//! What all parts of the summary share: its options, and the names of trials.

use std::path::Path;

use docstone_model::record::TrialEntry;

use crate::paint::printable;

/// How the summary is laid out.
#[derive(Clone, Copy, Debug)]
pub struct SummaryOptions<'a> {
    /// Whether escape sequences for colour may be printed.
    pub color: bool,
    /// Columns of the terminal; 0 is no limit.
    pub width: u16,
    /// The output folder; `None` prints no line about files.
    pub out: Option<&'a Path>,
    /// Notes that stand in the same place already, and are not said again.
    pub told: &'a [String],
}

/// The name of a trial: its cell, and its number where it is not the first of it.
pub(super) fn cell_name(entry: &TrialEntry) -> String {
    let cell = printable(&entry.cell);
    if entry.n > 1 {
        format!("{cell} #{}", entry.n)
    } else {
        cell
    }
}
