//! Names of folders: labels made safe for any file system, and unique.

use std::collections::{BTreeMap, BTreeSet};

/// The longest folder name.
const NAME_MAX_CHARS: usize = 80;

/// A label as the name of a folder: letters, digits, `.`, `_` and `-` stay, each run of others
/// becomes one `-`; never empty, never hidden, at most 80 characters.
pub(crate) fn safe_name(label: &str) -> String {
    let mut name = String::new();
    for c in label.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_matches(['-', '.']);
    let name = &name[..name.len().min(NAME_MAX_CHARS)];
    match name.trim_end_matches(['-', '.']) {
        "" => "unnamed".to_owned(),
        name => name.to_owned(),
    }
}

/// The folders of cells, and how many trials each has.
#[derive(Debug, Default)]
pub(crate) struct CellNames {
    /// By cell: its folder and the number of its trials.
    cells: BTreeMap<String, (String, u32)>,
    /// Folders in lower case, since some file systems do not tell `A` from `a`.
    taken: BTreeSet<String>,
}

impl CellNames {
    /// The folder of a cell, and the number of its next trial, from 1.
    pub(crate) fn next(&mut self, cell: &str) -> (String, u32) {
        if !self.cells.contains_key(cell) {
            let folder = self.free_name(&safe_name(cell));
            self.taken.insert(folder.to_ascii_lowercase());
            self.cells.insert(cell.to_owned(), (folder, 0));
        }
        let (folder, trials) = self.cells.get_mut(cell).expect("it was inserted above");
        *trials += 1;
        (folder.clone(), *trials)
    }

    fn free_name(&self, name: &str) -> String {
        let free = |name: &String| !self.taken.contains(&name.to_ascii_lowercase());
        let numbered = (2_u64..).map(|n| {
            let end = format!("-{n}");
            let kept = name.len().min(NAME_MAX_CHARS - end.len());
            format!("{}{end}", &name[..kept])
        });
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(free)
            .expect("numbers do not end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_safe_names() {
        for (label, name) in [
            ("steady", "steady"),
            ("zstd:3 / ingest", "zstd-3-ingest"),
            ("../../etc/passwd", "etc-passwd"),
            ("..", "unnamed"),
            ("", "unnamed"),
            ("ä ö ü", "unnamed"),
            (".hidden", "hidden"),
            ("a\nb\0c", "a-b-c"),
            ("10_threads-v1.2", "10_threads-v1.2"),
        ] {
            assert_eq!(safe_name(label), name, "{label:?}");
        }
    }

    #[test]
    fn long_labels_are_cut_to_80_characters_and_stay_unique() {
        let mut cells = CellNames::default();
        let long = "x".repeat(200);
        let (first, _) = cells.next(&format!("{long}1"));
        let (second, _) = cells.next(&format!("{long}2"));
        assert_eq!((first.len(), second.len()), (80, 80));
        assert_ne!(first, second);
    }

    #[test]
    fn cells_that_differ_have_folders_that_differ() {
        let mut cells = CellNames::default();
        assert_eq!(cells.next("a:b"), ("a-b".to_owned(), 1));
        assert_eq!(cells.next("a/b"), ("a-b-2".to_owned(), 1));
        assert_eq!(cells.next("A/B"), ("A-B-3".to_owned(), 1));
    }

    #[test]
    fn trials_of_one_cell_are_numbered_from_1() {
        let mut cells = CellNames::default();
        assert_eq!(cells.next("steady"), ("steady".to_owned(), 1));
        assert_eq!(cells.next("other"), ("other".to_owned(), 1));
        assert_eq!(cells.next("steady"), ("steady".to_owned(), 2));
    }
}
