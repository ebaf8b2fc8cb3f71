//! The tables of the summary.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table};
use docstone_model::LatencySummary;
use docstone_model::plan::ITERATIONS;
use docstone_model::record::{OperationRecord, TrialEntry, TrialRecord};
use docstone_stats::quantile_is_supported;

use super::layout::{SummaryOptions, cell_name};
use crate::line::rate_unit;
use crate::paint::printable;
use crate::table::STYLE;
use crate::units;

/// The percentiles of the table and their column headings.
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

/// Which time a row of the table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    /// Of closed load: there is no other.
    Service,
    /// Of open load, with the counts.
    Response,
    /// The same operations once more, without the counts.
    ServiceOfOpen,
}

/// One row of the operations table.
struct Row {
    time: Time,
    group: String,
    operation: String,
    ok: u64,
    errors: u64,
    misses: u64,
    throughput_ops_per_s: Option<f64>,
    censored: u64,
    latency: LatencySummary,
}

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
    let with_time = rows.iter().any(|row| row.time != Time::Service);
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
        let again = row.time == Time::ServiceOfOpen;
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
            cells.push(Cell::new(match row.time {
                Time::Response => "response",
                Time::Service | Time::ServiceOfOpen => "service",
            }));
        }
        if columns.counts && again {
            cells.extend([(); 4].map(|()| Cell::new("")));
        } else if columns.counts {
            cells.extend(count_cells(row, options.color));
        }
        if columns.latencies {
            cells.extend(latency_cells(row));
        }
        let _ = table.add_row(cells);
    }
    finish(table, names, options.width)
}

fn rows(entry: &TrialEntry, trial: Option<&TrialRecord>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (group, record) in trial.iter().flat_map(|trial| &trial.groups) {
        for (operation, record) in &record.operations {
            rows.extend(rows_of(group, operation, record));
        }
        // Iterations are the sum of their steps already.
        if let Some(record) = &record.iterations {
            rows.extend(rows_of(group, ITERATIONS, record));
        }
    }
    let operations = rows.iter().filter(|row| row.time != Time::ServiceOfOpen);
    if operations.count() != 1 && !has_iterations(&rows) {
        let summary = &entry.summary;
        let of = |time: Time| rows.iter().filter(move |row| row.time == time);
        let censored = |time| of(time).map(|row| row.censored).sum::<u64>();
        let service = Row {
            time: Time::Service,
            group: "all".to_owned(),
            operation: "all".to_owned(),
            ok: summary.ok,
            errors: summary.errors,
            misses: summary.not_found,
            throughput_ops_per_s: summary.throughput_ops_per_s,
            censored: censored(Time::Service) + censored(Time::ServiceOfOpen),
            latency: summary.service_ns,
        };
        let waiting = censored(Time::Response).saturating_sub(censored(Time::ServiceOfOpen));
        let open = summary
            .response_ns
            .map(|response_ns| (response_ns, waiting));
        rows.extend(with_response(service, open));
    }
    rows
}

fn rows_of(group: &str, operation: &str, record: &OperationRecord) -> Vec<Row> {
    let service = Row {
        time: Time::Service,
        group: group.to_owned(),
        operation: operation.to_owned(),
        ok: record.ok,
        errors: record.errors,
        misses: record.not_found,
        throughput_ops_per_s: record.throughput_ops_per_s,
        censored: record.censored,
        latency: record.service_ns,
    };
    let open = record
        .response_ns
        .map(|response_ns| (response_ns, record.backlog_at_end));
    with_response(service, open)
}

fn has_iterations(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.operation == ITERATIONS)
}

/// The row of closed load; of open load, response time and service time one below the other. What
/// waited at the end stands in the response times at its age, like what was in flight.
fn with_response(service: Row, open: Option<(LatencySummary, u64)>) -> Vec<Row> {
    let Some((latency, waiting)) = open else {
        return vec![service];
    };
    let response = Row {
        time: Time::Response,
        group: service.group.clone(),
        operation: service.operation.clone(),
        censored: service.censored + waiting,
        latency,
        ..service
    };
    let service = Row {
        time: Time::ServiceOfOpen,
        ..service
    };
    vec![response, service]
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

fn latency_cells(row: &Row) -> Vec<Cell> {
    let latency = &row.latency;
    let values = [latency.p50, latency.p95, latency.p99, latency.p99_9];
    let at_least = |text: String, open: bool| match (open, text.as_str()) {
        (true, text) if text != units::NONE => format!(">={text}"),
        _ => text,
    };
    let mean = latency
        .mean
        .map_or_else(|| units::NONE.to_owned(), units::latency);
    let mut cells = vec![Cell::new(at_least(mean, row.censored > 0))];
    for ((_, q), value) in QUANTILES.iter().zip(values) {
        let text = crate::line::percentile(latency.count, *q, value);
        cells.push(Cell::new(at_least(
            text,
            is_open(row.censored, latency.count, *q),
        )));
    }
    let max = units::latency_or_none(latency.max);
    cells.push(Cell::new(at_least(max, row.censored > 0)));
    cells
}

/// True if so many operations stand in the histogram at the age that they had when they were
/// given up, that quantile `q` may lie higher than it says: more than a tenth of those beyond it.
fn is_open(censored: u64, count: u64, q: f64) -> bool {
    censored as f64 > 0.1 * (1.0 - q) * count as f64
}

/// Which percentiles were left out, and how many operations they need.
fn footnote(rows: &[Row]) -> Option<String> {
    let missing = |q: f64| {
        let lacks =
            |row: &Row| row.latency.count > 0 && !quantile_is_supported(row.latency.count, q);
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

/// All steps of a run below each other.
pub(super) fn steps(
    trials: &[TrialEntry],
    has_iterations: bool,
    options: SummaryOptions<'_>,
) -> Vec<String> {
    let mut table = table(options);
    let open = trials
        .iter()
        .any(|entry| entry.summary.response_ns.is_some());
    let time = open.then_some("time");
    let heads = ["step", "concurrency", rate_unit(has_iterations)]
        .into_iter()
        .chain(time);
    let heads = heads.chain(["p50", "p99", "errors"]);
    let _ = table.set_header(heads.map(|text| header(text, options.color)));
    for entry in trials {
        let summary = &entry.summary;
        let latency = summary.response_ns.unwrap_or(summary.service_ns);
        let time = match summary.response_ns {
            Some(_) => "response",
            None => "service",
        };
        let succeeded = summary.ok + summary.not_found > 0;
        let throughput = summary.throughput_ops_per_s.filter(|_| succeeded);
        let mut cells = vec![
            cell_name(entry),
            units::count(u64::from(summary.concurrency)),
            throughput.map_or_else(|| units::NONE.to_owned(), units::rate),
        ];
        if open {
            cells.push(time.to_owned());
        }
        cells.extend([
            crate::line::percentile(latency.count, 0.5, latency.p50),
            crate::line::percentile(latency.count, 0.99, latency.p99),
            units::count(summary.errors),
        ]);
        let _ = table.add_row(cells);
    }
    finish(table, 1, options.width).lines
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

    #[test]
    fn few_censored_operations_leave_low_percentiles_closed() {
        assert!(!is_open(1, 1_000, 0.5));
        assert!(!is_open(1, 1_000, 0.99));
        assert!(is_open(2, 1_000, 0.99));
        assert!(is_open(1, 1_000, 0.999));
        assert!(!is_open(0, 0, 0.5));
    }
}
