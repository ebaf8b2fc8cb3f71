//! What a run left behind, as plain JSON and CSV: the tests read the files as a stranger would.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;

/// The folder of a run.
pub(crate) struct Records {
    folder: PathBuf,
    /// The folder lives as long as somebody reads in it.
    _held: Arc<TempDir>,
    /// `record.json`.
    pub(crate) run: Value,
}

/// A row of series.csv, by column.
pub(crate) type Row = BTreeMap<String, String>;

impl Records {
    /// Reads `record.json` in a part of a temporary folder, or fails.
    pub(crate) fn read(held: &Arc<TempDir>, relative: &str) -> Self {
        let folder = held.path().join(relative);
        Self {
            run: json(&folder.join("record.json")),
            folder,
            _held: Arc::clone(held),
        }
    }

    /// `plan.json`.
    pub(crate) fn plan(&self) -> Value {
        json(&self.folder.join("plan.json"))
    }

    /// The folder of the first trial of a cell.
    pub(crate) fn trial_folder(&self, cell: &str) -> PathBuf {
        self.folder.join("trials").join(cell).join("01")
    }

    /// The record of the first trial of a cell.
    pub(crate) fn trial(&self, cell: &str) -> Value {
        json(&self.trial_folder(cell).join("record.json"))
    }

    /// The part of an operation in a trial, merged over groups.
    pub(crate) fn operation(&self, cell: &str, operation: &str) -> Value {
        let part = self.trial(cell)["operations"][operation].clone();
        assert!(part.is_object(), "no operation {operation} in {cell}");
        part
    }

    /// The rows of the first trial's series.csv.
    pub(crate) fn series(&self, cell: &str) -> Vec<Row> {
        csv_rows(&self.trial_folder(cell).join("series.csv"))
    }

    /// Sum of a column of series.csv over the rows of an operation.
    pub(crate) fn series_sum(&self, cell: &str, operation: &str, column: &str) -> u64 {
        let rows = self.series(cell);
        let of = rows.iter().filter(|row| row["operation"] == operation);
        of.map(|row| row[column].parse::<u64>().expect("a count"))
            .sum()
    }
}

/// A count; fails if it is none.
#[track_caller]
pub(crate) fn whole(value: &Value) -> u64 {
    let count = value.as_u64();
    count.unwrap_or_else(|| panic!("{value} is no count"))
}

/// The count under a key; fails if there is none.
#[track_caller]
pub(crate) fn count(record: &Value, key: &str) -> u64 {
    let value = record[key].as_u64();
    value.unwrap_or_else(|| panic!("no count `{key}`: {record:#}"))
}

/// Fails unless the counts of an operation, or of several merged, add up.
#[track_caller]
pub(crate) fn assert_adds_up(operation: &Value, what: &str) {
    let count = |key: &str| count(operation, key);
    assert_eq!(
        count("intended"),
        count("started") + count("dropped") + count("backlog_at_end"),
        "{what}: {operation:#}"
    );
    assert_eq!(
        count("started"),
        count("ok") + count("not_found") + count("errors") + count("in_flight_at_end"),
        "{what}: {operation:#}"
    );
}

/// The rows of a CSV file. Every row has as many cells as the head line.
pub(crate) fn csv_rows(path: &Path) -> Vec<Row> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(false)
        .from_path(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let head = reader.headers().expect("a head line").clone();
    let rows = reader.records().map(|row| {
        let row = row.expect("a row as wide as the head line");
        let cells = head.iter().zip(row.iter());
        cells
            .map(|(column, cell)| (column.to_owned(), cell.to_owned()))
            .collect()
    });
    rows.collect()
}

fn json(path: &Path) -> Value {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The paths of all files below a folder, relative to it, sorted.
pub(crate) fn file_names(folder: &Path) -> Vec<String> {
    let relative = |path: &PathBuf| {
        let relative = path.strip_prefix(folder).expect("below the folder");
        relative.display().to_string()
    };
    let mut names: Vec<_> = paths(folder).iter().map(relative).collect();
    names.sort();
    names
}

/// Every file below a folder, with its bytes.
pub(crate) fn all_files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a file");
        (path, bytes)
    };
    paths(folder).into_iter().map(read).collect()
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files
}
