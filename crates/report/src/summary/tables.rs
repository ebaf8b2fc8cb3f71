//! The tables of the summary.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table};
use docstone_model::record::{TrialEntry, TrialRecord, Verdict};
use docstone_stats::quantile_is_supported;

use super::layout::{SummaryOptions, cell_name};
use super::rows::{Row, Shown, Time, has_iterations, rows, unsteady_note, whole};
use crate::line::rate_unit;
use crate::paint::printable;
use crate::table::STYLE;
use crate::units;

/// The percentiles of the table and their column headings.
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

/// Which columns a table has beside the names.
#[derive(Clone, Copy)]
struct Columns {
    counts: bool,
    latencies: bool,
}

/// A table as lines.
struct Rendered {
    lines: Vec<String>,
    /// False if cells had to be wrapped.
    fits: bool,
}

/// The table of one trial: a row per group and operation, and their sum where there are several.
/// Where the terminal is too narrow, counts and latencies stand one below the other.
pub(super) fn operations(
    entry: &TrialEntry,
    trial: Option<&TrialRecord>,
    options: SummaryOptions<'_>,
) -> Vec<String> {
    let rows = rows(entry, trial);
    let with_group = trial.is_some_and(|trial| trial.groups.len() > 1);
    let build = |counts, latencies| {
        operations_table(&rows, with_group, Columns { counts, latencies }, options)
    };
    let whole = build(true, true);
    let mut lines = whole.lines;
    if !whole.fits {
        lines = build(true, false).lines;
        lines.push(String::new());
        lines.extend(build(false, true).lines);
    }
    lines.extend(footnote(&rows));
    let note = unsteady_note(rows.iter().map(|row| &row.shown));
    lines.extend(note.map(str::to_owned));
    lines
}

fn operations_table(
    rows: &[Row],
    with_group: bool,
    columns: Columns,
    options: SummaryOptions<'_>,
) -> Rendered {
    let mut heads = vec!["operation"];
    if with_group {
        heads.insert(0, "group");
    }
    let with_time = rows.iter().any(|row| row.shown.time != Time::Service);
    if with_time {
        heads.push("time");
    }
    let names = heads.len();
    if columns.counts {
        let rate = rate_unit(has_iterations(rows));
        heads.extend(["ok", "errors", "misses", rate]);
    }
    if columns.latencies {
        heads.extend(["mean", "p50", "p95", "p99", "p99.9", "max"]);
    }
    let mut table = table(options);
    let _ = table.set_header(heads.iter().map(|text| header(text, options.color)));
    for row in rows {
        let again = row.shown.time == Time::ServiceOfOpen;
        let name = |text: &str| {
            if again {
                Cell::new("")
            } else {
                Cell::new(printable(text))
            }
        };
        let mut cells = vec![name(&row.operation)];
        if with_group {
            cells.insert(0, name(&row.group));
        }
        if with_time {
            cells.push(Cell::new(time_name(row.shown.time)));
        }
        if columns.counts && again {
            cells.extend([(); 4].map(|()| Cell::new("")));
        } else if columns.counts {
            cells.extend(count_cells(row, options.color));
        }
        if columns.latencies {
            cells.extend(latency_cells(&row.shown));
        }
        let _ = table.add_row(cells);
    }
    finish(table, names, options.width)
}

fn time_name(time: Time) -> &'static str {
    match time {
        Time::Response => "response",
        Time::Service | Time::ServiceOfOpen => "service",
    }
}

fn count_cells(row: &Row, color: bool) -> Vec<Cell> {
    let mut errors = Cell::new(units::count(row.errors));
    if color && row.errors > 0 {
        errors = errors.fg(Color::Red);
    }
    let throughput = row.throughput_ops_per_s.filter(|_| row.ok + row.misses > 0);
    vec![
        Cell::new(units::count(row.ok)),
        errors,
        Cell::new(units::count(row.misses)),
        Cell::new(throughput.map_or_else(|| units::NONE.to_owned(), units::rate)),
    ]
}

fn latency_cells(shown: &Shown) -> Vec<Cell> {
    let latency = &shown.latency;
    let values = [latency.p50, latency.p95, latency.p99, latency.p99_9];
    let mean = latency
        .mean
        .map_or_else(|| units::NONE.to_owned(), units::latency);
    let mut cells = vec![Cell::new(shown.extreme(mean))];
    for ((_, q), value) in QUANTILES.iter().zip(values) {
        cells.push(Cell::new(shown.percentile(*q, value)));
    }
    let max = units::latency_or_none(latency.max);
    cells.push(Cell::new(shown.extreme(max)));
    cells
}

/// Which percentiles were left out, and how many operations they need.
fn footnote(rows: &[Row]) -> Option<String> {
    let missing = |q: f64| {
        let lacks = |row: &Row| {
            row.shown.latency.count > 0 && !quantile_is_supported(row.shown.latency.count, q)
        };
        rows.iter().any(lacks)
    };
    let parts: Vec<String> = QUANTILES
        .iter()
        .filter(|(_, q)| missing(*q))
        .map(|(name, q)| format!("{name} needs {} operations", units::count(needed(*q))))
        .collect();
    (!parts.is_empty()).then(|| format!("left out (-): {}", parts.join(", ")))
}

/// The number of operations from which quantile `q` is shown: 10 of them lie beyond it.
fn needed(q: f64) -> u64 {
    let mut count = 10;
    while !quantile_is_supported(count, q) {
        count += 10;
    }
    count
}

/// All steps of a run below each other, each with its record, and what their marks mean.
pub(super) fn steps(
    trials: &[(&TrialEntry, Option<&TrialRecord>)],
    options: SummaryOptions<'_>,
) -> Vec<String> {
    let mut table = table(options);
    let open = trials
        .iter()
        .any(|(entry, _)| entry.summary.response_ns.is_some());
    let time = open.then_some("time");
    let groups = trials.iter().filter_map(|(_, trial)| *trial);
    let mut groups = groups.flat_map(|trial| trial.groups.values());
    let has_iterations = groups.any(|group| group.iterations.is_some());
    let heads = ["step", "concurrency", rate_unit(has_iterations)]
        .into_iter()
        .chain(time);
    let heads = heads.chain(["p50", "p99", "errors"]);
    let _ = table.set_header(heads.map(|text| header(text, options.color)));
    let mut all_shown = Vec::new();
    for (entry, trial) in trials {
        let summary = &entry.summary;
        let shown = whole(entry, *trial);
        let succeeded = summary.ok + summary.not_found > 0;
        let throughput = summary.throughput_ops_per_s.filter(|_| succeeded);
        let mark = if is_valid(entry) { "" } else { " *" };
        let mut cells = vec![
            format!("{}{mark}", cell_name(entry)),
            units::count(u64::from(summary.concurrency)),
            throughput.map_or_else(|| units::NONE.to_owned(), units::rate),
        ];
        if open {
            cells.push(time_name(shown.time).to_owned());
        }
        cells.extend([
            shown.percentile(0.5, shown.latency.p50),
            shown.percentile(0.99, shown.latency.p99),
            units::count(summary.errors),
        ]);
        let _ = table.add_row(cells);
        all_shown.push(shown);
    }
    let mut lines = finish(table, 1, options.width).lines;
    if trials.iter().any(|(entry, _)| !is_valid(entry)) {
        lines.push("* not valid: see above".to_owned());
    }
    lines.extend(unsteady_note(&all_shown).map(str::to_owned));
    lines
}

fn is_valid(entry: &TrialEntry) -> bool {
    entry.validity.verdict == Verdict::Valid
}

fn header(text: &str, color: bool) -> Cell {
    let cell = Cell::new(text);
    if color {
        cell.add_attribute(Attribute::Bold)
    } else {
        cell
    }
}

fn table(options: SummaryOptions<'_>) -> Table {
    let mut table = Table::new();
    let _ = table.load_style(STYLE);
    // The caller has decided on colour; what the process's own terminal is does not matter.
    let _ = if options.color {
        table.enforce_styling()
    } else {
        table.force_no_tty()
    };
    table
}

/// Renders a table with its numbers to the right; cells are wrapped if they do not fit `width`.
fn finish(mut table: Table, names: usize, width: u16) -> Rendered {
    for (index, column) in table.column_iter_mut().enumerate() {
        let _ = column.set_padding((0, 1));
        if index >= names {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let _ = table.set_content_arrangement(ContentArrangement::Disabled);
    // Each column is followed by its padding and by the blank of the (invisible) border.
    let natural: usize = table
        .column_max_content_widths()
        .iter()
        .map(|width| usize::from(*width) + 2)
        .sum();
    let trimmed = |table: &Table| {
        table
            .trim_fmt()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    if width == 0 || natural.saturating_sub(2) <= usize::from(width) {
        return Rendered {
            lines: trimmed(&table),
            fits: true,
        };
    }
    let _ = table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    Rendered {
        lines: trimmed(&table),
        fits: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_ten_operations_beyond_it() {
        let of = |q| needed(q);
        assert_eq!(
            [of(0.5), of(0.95), of(0.99), of(0.999)],
            [20, 200, 1_000, 10_000]
        );
    }
}
