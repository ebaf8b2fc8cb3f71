//! What stands in the rows of the summary's tables, and which of its numbers hold only in part.
//!
//! Owns whose counts and latencies a row has, and the marks `>=` and `(...)`. Not how rows become
//! lines of text.

use docstone_model::LatencySummary;
use docstone_model::plan::ITERATIONS;
use docstone_model::record::{GroupRecord, OperationRecord, TrialEntry, TrialRecord};
use docstone_stats::quantile_is_supported;

use crate::line::percentile;
use crate::units;

/// Which time a row of the table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// Of closed load: there is no other.
    Service,
    /// Of open load, with the counts.
    Response,
    /// The same operations once more, without the counts.
    ServiceOfOpen,
}

/// One row of the table of a trial.
pub(super) struct Row {
    pub(super) group: String,
    pub(super) operation: String,
    pub(super) ok: u64,
    pub(super) errors: u64,
    pub(super) misses: u64,
    pub(super) throughput_ops_per_s: Option<f64>,
    pub(super) shown: Shown,
}

/// The latencies of a row.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub(super) time: Time,
    pub(super) latency: LatencySummary,
    /// How many of them stand in it at the age that they had when they were given up.
    pub(super) censored: u64,
    /// False for response times of a rate that was not held: they grow with the length of the run.
    pub(super) steady: bool,
}

impl Shown {
    /// The percentile `q` with its marks; `-` where too few operations lie beyond it.
    pub(super) fn percentile(&self, q: f64, value_ns: Option<u64>) -> String {
        let text = censored_percentile(self.latency.count, q, value_ns, self.censored);
        if self.steady || text == units::NONE {
            text
        } else {
            format!("({text})")
        }
    }

    /// The mean or the maximum, which one open end is enough to leave open.
    pub(super) fn extreme(&self, text: String) -> String {
        at_least(text, self.censored > 0)
    }
}

/// The percentile `q` of `count`, of which `censored` stand in it at the age that they had when they
/// were given up; `-` where too few lie beyond it.
pub(super) fn censored_percentile(
    count: u64,
    q: f64,
    value_ns: Option<u64>,
    censored: u64,
) -> String {
    let open = is_open(censored, count, q);
    at_least(percentile(count, q, value_ns), open)
}

fn at_least(text: String, open: bool) -> String {
    if open && text != units::NONE {
        format!(">={text}")
    } else {
        text
    }
}

/// What parentheses mean, where one of `shown` has them.
pub(super) fn unsteady_note<'a>(
    shown: impl IntoIterator<Item = &'a Shown>,
) -> Option<&'static str> {
    let has_percentile = |of: &Shown| quantile_is_supported(of.latency.count, 0.5);
    let mut unsteady = shown.into_iter().filter(|of| !of.steady);
    unsteady
        .any(has_percentile)
        .then_some("(...): the rate was not held: not a steady state, grows with the run's length")
}

/// The rows of one trial: one per group and operation, of open load two, and their sum where there
/// are several.
pub(super) fn rows(entry: &TrialEntry, trial: Option<&TrialRecord>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (group, record) in trial.iter().flat_map(|trial| &trial.groups) {
        let steady = !record.backlog_grew;
        for (operation, record) in &record.operations {
            rows.extend(rows_of((group, operation), record, steady));
        }
        // Iterations are the sum of their steps already.
        if let Some(record) = &record.iterations {
            rows.extend(rows_of((group, ITERATIONS), record, steady));
        }
    }
    let operations = rows
        .iter()
        .filter(|row| row.shown.time != Time::ServiceOfOpen);
    if operations.count() != 1 && !has_iterations(&rows) {
        let summary = &entry.summary;
        let (censored, waiting) = given_up(trial);
        let service = Row {
            group: "all".to_owned(),
            operation: "all".to_owned(),
            ok: summary.ok,
            errors: summary.errors,
            misses: summary.not_found,
            throughput_ops_per_s: summary.throughput_ops_per_s,
            shown: service_time(summary.service_ns, censored),
        };
        let open = summary
            .response_ns
            .map(|response_ns| (response_ns, waiting));
        rows.extend(with_response(service, open, is_steady(trial)));
    }
    rows
}

/// The times of a trial as a whole: response times where all of its load is open.
pub(super) fn whole(entry: &TrialEntry, trial: Option<&TrialRecord>) -> Shown {
    let summary = &entry.summary;
    let (censored, waiting) = given_up(trial);
    match summary.response_ns {
        Some(latency) => Shown {
            time: Time::Response,
            latency,
            censored: censored + waiting,
            steady: is_steady(trial),
        },
        None => service_time(summary.service_ns, censored),
    }
}

/// What stands in a trial's latencies at its age: what was in flight, and what waited to be sent.
/// Iterations are the sum of their steps already.
pub(super) fn given_up(trial: Option<&TrialRecord>) -> (u64, u64) {
    let of = |group: &GroupRecord| -> (u64, u64) {
        let all: Vec<&OperationRecord> = match &group.iterations {
            Some(iterations) => vec![iterations],
            None => group.operations.values().collect(),
        };
        let censored = all.iter().map(|record| record.censored).sum();
        (
            censored,
            all.iter().map(|record| record.backlog_at_end).sum(),
        )
    };
    let groups = trial.iter().flat_map(|trial| trial.groups.values());
    groups.map(of).fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
}

/// True if no group's response times grow with the length of the step.
fn is_steady(trial: Option<&TrialRecord>) -> bool {
    trial.is_none_or(|trial| !trial.groups.values().any(|group| group.backlog_grew))
}

fn rows_of((group, operation): (&str, &str), record: &OperationRecord, steady: bool) -> Vec<Row> {
    let service = Row {
        group: group.to_owned(),
        operation: operation.to_owned(),
        ok: record.ok,
        errors: record.errors,
        misses: record.not_found,
        throughput_ops_per_s: record.throughput_ops_per_s,
        shown: service_time(record.service_ns, record.censored),
    };
    let open = record
        .response_ns
        .map(|response_ns| (response_ns, record.backlog_at_end));
    with_response(service, open, steady)
}

fn service_time(latency: LatencySummary, censored: u64) -> Shown {
    Shown {
        time: Time::Service,
        latency,
        censored,
        steady: true,
    }
}

pub(super) fn has_iterations(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.operation == ITERATIONS)
}

/// The row of closed load; of open load, response time and service time one below the other. What
/// waited at the end stands in the response times at its age, like what was in flight.
fn with_response(service: Row, open: Option<(LatencySummary, u64)>, steady: bool) -> Vec<Row> {
    let Some((latency, waiting)) = open else {
        return vec![service];
    };
    let response = Row {
        group: service.group.clone(),
        operation: service.operation.clone(),
        shown: Shown {
            time: Time::Response,
            latency,
            censored: service.shown.censored + waiting,
            steady,
        },
        ..service
    };
    let again = Shown {
        time: Time::ServiceOfOpen,
        ..service.shown
    };
    let service = Row {
        shown: again,
        ..service
    };
    vec![response, service]
}

/// True if so many operations stand in the histogram at the age that they had when they were
/// given up, that quantile `q` may lie higher than it says: more than a tenth of those beyond it.
fn is_open(censored: u64, count: u64, q: f64) -> bool {
    censored as f64 > 0.1 * (1.0 - q) * count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_censored_operations_leave_low_percentiles_closed() {
        assert!(!is_open(1, 1_000, 0.5));
        assert!(!is_open(1, 1_000, 0.99));
        assert!(is_open(2, 1_000, 0.99));
        assert!(is_open(1, 1_000, 0.999));
        assert!(!is_open(0, 0, 0.5));
    }
}
