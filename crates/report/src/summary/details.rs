//! What a table has no room for: errors by code, what did not end, the client.

use std::fmt::Write as _;

use docstone_model::plan::{ITERATIONS, Pacing};
use docstone_model::record::{GroupRecord, OperationRecord, TrialRecord};
use docstone_stats::quantile_is_supported;

use super::rows::{censored_percentile, given_up};
use crate::line::{percentile, plural};
use crate::paint::{Paint, printable, shortened};
use crate::units;

/// Characters of a server's message that are printed.
const MAX_MESSAGE: usize = 160;

/// From this 99th percentile on, waits for a connection are shown, in nanoseconds.
const SHOWN_WAIT_NS: u64 = 1_000_000;

/// All operations of a trial with the shortest name that tells them apart.
pub(super) fn named(trial: &TrialRecord) -> Vec<(String, &OperationRecord)> {
    let with_group = trial.groups.len() > 1;
    let mut all = Vec::new();
    for (group, record) in &trial.groups {
        for (operation, record) in &record.operations {
            let name = if with_group {
                format!("{group}.{operation}")
            } else {
                operation.clone()
            };
            all.push((printable(&name), record));
        }
    }
    all
}

/// One line per operation and error code, with the first message.
pub(super) fn errors(trial: &TrialRecord, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, record) in named(trial) {
        for (code, count) in &record.errors_by_code {
            let text = format!("{name}: {}, {}", plural(*count, "error"), code_text(code));
            let message = record
                .error_messages
                .get(code)
                .filter(|text| !text.is_empty());
            lines.push(paint.red(&match message {
                Some(message) => format!("{text}: {}", shortened(message, MAX_MESSAGE)),
                None => text,
            }));
        }
    }
    lines
}

/// A server's code as a number, a client's class as words.
fn code_text(code: &str) -> String {
    if code.parse::<i64>().is_ok() {
        format!("code {code}")
    } else {
        printable(code).replace('_', " ")
    }
}

/// Per operation: timeouts, what had not ended, retries, what was never sent. Of iterations, whose
/// operations stand above, what was left of them.
pub(super) fn ends(trial: &TrialRecord) -> Vec<String> {
    let operations = named(trial).into_iter().map(|(name, record)| {
        let mut parts = Vec::new();
        if !record.errors_by_code.contains_key("timeout") && record.timeouts > 0 {
            parts.push(plural(record.timeouts, "timeout"));
        }
        if record.in_flight_at_end > 0 {
            parts.push(in_flight_text(record));
        }
        parts.extend(counted(record.retries, "repeated by the client"));
        parts.extend(unsent(record));
        parts.extend(counted(record.saturated, "above 600 s, recorded as 600 s"));
        if let Some(documents) = record.documents
            && documents != record.ok
        {
            parts.push(plural(documents, "document"));
        }
        (name, parts)
    });
    let iterations = iterations(trial).map(|(name, record)| {
        let mut parts = Vec::new();
        if record.in_flight_at_end > 0 {
            parts.push(in_flight_text(record));
        }
        parts.extend(unsent(record));
        (name, parts)
    });
    operations
        .chain(iterations)
        .filter(|(_, parts)| !parts.is_empty())
        .map(|(name, parts)| format!("{name}: {}", parts.join(", ")))
        .collect()
}

/// The iterations of each group that has steps, with the shortest name that tells them apart.
fn iterations<'a>(trial: &'a TrialRecord) -> impl Iterator<Item = (String, &'a OperationRecord)> {
    let with_group = trial.groups.len() > 1;
    let of = move |(group, record): (&'a String, &'a GroupRecord)| {
        let iterations = record.iterations.as_ref()?;
        let name = if with_group {
            format!("{group}.{ITERATIONS}")
        } else {
            ITERATIONS.to_owned()
        };
        Some((printable(&name), iterations))
    };
    trial.groups.iter().filter_map(of)
}

/// What was due and never sent.
fn unsent(record: &OperationRecord) -> impl Iterator<Item = String> {
    let dropped = counted(record.dropped, "dropped");
    let waiting = "still waiting to be sent at the end";
    dropped
        .into_iter()
        .chain(counted(record.backlog_at_end, waiting))
}

fn counted(count: u64, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{} {what}", units::count(count)))
}

fn in_flight_text(record: &OperationRecord) -> String {
    let mut text = format!(
        "{} in flight at the end",
        units::count(record.in_flight_at_end)
    );
    if record.censored > 0 {
        let _ = write!(
            text,
            " ({} counted in the latencies at the age they had, hence `>=`)",
            units::count(record.censored)
        );
    }
    text
}

/// What the load cost the client, and whether its pool made workers wait.
pub(super) fn client(trial: &TrialRecord) -> Vec<String> {
    let client = &trial.client;
    let mut parts = Vec::new();
    if let Some(cpu_us) = client.cpu_us_per_op {
        parts.push(format!(
            "{} CPU per operation",
            units::latency(cpu_us * 1e3)
        ));
    }
    if client.pacing == Some(Pacing::Spin) {
        parts.push("pacing spin (CPU time is no cost of operations)".to_owned());
    }
    if let Some(rss) = client.max_rss_bytes {
        parts.push(format!("{} memory at most", units::bytes(rss)));
    }
    let (_, never_sent) = given_up(Some(trial));
    for (name, wait, censored) in [
        ("schedule lag", client.schedule_lag_ns, 0),
        ("wait for a free worker", client.queue_wait_ns, never_sent),
    ] {
        if let Some(wait) = wait.filter(|wait| wait.count > 0) {
            let shown = |q, value_ns| censored_percentile(wait.count, q, value_ns, censored);
            parts.push(format!(
                "{name} p50 {}, p99 {}",
                shown(0.5, wait.p50),
                shown(0.99, wait.p99)
            ));
        }
    }
    let connections = &client.connections;
    let mut opened = format!("{} opened", plural(connections.opened, "connection"));
    if connections.failed > 0 {
        let _ = write!(opened, " ({} failed)", units::count(connections.failed));
    }
    parts.push(opened);
    parts.push(plural(u64::from(client.threads), "thread"));
    if let Some(rtt_ns) = client.runner.rtt_ns {
        parts.push(format!("ping {}", units::latency(rtt_ns as f64)));
    }
    if let Some(share) = client.host_cpu_share {
        parts.push(format!("host CPU {}", units::percent(share)));
    }
    if let Some(share) = client.host_steal_share.filter(|share| *share >= 0.01) {
        parts.push(format!(
            "stolen by the hypervisor {}",
            units::percent(share)
        ));
    }
    let mut lines = vec![format!("client: {}", parts.join(", "))];
    lines.extend(connection_wait(trial));
    lines
}

/// Waits for a connection, where they are long enough to be part of what was measured.
fn connection_wait(trial: &TrialRecord) -> Option<String> {
    let wait = &trial.client.connection_wait_ns;
    let high = if quantile_is_supported(wait.count, 0.99) {
        wait.p99
    } else {
        wait.max
    };
    if high? < SHOWN_WAIT_NS {
        return None;
    }
    let has_steps = trial
        .groups
        .values()
        .any(|group| group.iterations.is_some());
    let workers: u64 = trial
        .load
        .loads
        .iter()
        .map(|load| u64::from(load.model.concurrency()))
        .sum();
    let opened = trial.client.connections.opened;
    let cause = if opened < workers {
        format!(
            "{} for {}",
            plural(opened, "connection"),
            plural(workers, "worker")
        )
    } else if has_steps {
        // Steps side by side need one each; the record does not say how many there are.
        format!(
            "{} for the steps of {} at once",
            plural(opened, "connection"),
            plural(workers, "worker")
        )
    } else {
        "each worker has a connection: the driver or this machine took the time".to_owned()
    };
    Some(format!(
        "waits for a connection: p50 {}, p99 {}, max {} ({cause})",
        percentile(wait.count, 0.5, wait.p50),
        percentile(wait.count, 0.99, wait.p99),
        units::latency_or_none(wait.max)
    ))
}
