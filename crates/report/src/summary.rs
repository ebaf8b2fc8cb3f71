//! The closing text of a run, on stdout.
//!
//! Owns order and wording. Everything in it comes from records; percentiles with too few
//! operations behind them are left out, and nothing is ranked.

mod details;
mod drill;
mod layout;
mod rows;
mod tables;
mod trust;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use docstone_model::LoadModel;
use docstone_model::record::{RunRecord, Status, TrialEntry, TrialRecord, Verdict};

use crate::closed_load::{concurrency_words, think_time_words};
use crate::compressibility;
use crate::line::{in_flight_words, outage_line, plural};
use crate::open_load::schedule_words;
use crate::paint::{Paint, printable};
use crate::units;
use layout::cell_name;

pub use layout::SummaryOptions;

/// Events of a trial that the summary prints; the rest stands in its record.
const MAX_EVENTS: usize = 10;

/// The closing text of a run. `trials` are the records that belong to `record.trials`; a trial
/// without a record is shown by its entry alone.
pub fn summary(record: &RunRecord, trials: &[TrialRecord], options: SummaryOptions<'_>) -> String {
    let paint = Paint {
        color: options.color,
    };
    let mut lines = heading(record, trials, paint);
    let record_of = |entry: &TrialEntry| {
        trials
            .iter()
            .find(|trial| trial.cell == entry.cell && trial.n == entry.n)
    };
    let entries = record.trials.iter();
    let entries: Vec<_> = entries.map(|entry| (entry, record_of(entry))).collect();
    for (entry, trial) in &entries {
        lines.push(String::new());
        lines.extend(trial_lines(entry, *trial, options, paint));
    }
    if record.trials.is_empty() {
        lines.push(String::new());
        lines.push("no load step was measured".to_owned());
    }
    if record.trials.len() > 1 {
        lines.push(String::new());
        lines.push(paint.bold("steps side by side"));
        lines.extend(tables::steps(&entries, options));
        lines.push("Each step ran once: these are numbers, not a verdict.".to_owned());
    }
    let untold = |text: &&String| !options.told.contains(text);
    let mut notes = record.warnings.iter().filter(untold).peekable();
    if notes.peek().is_some() {
        lines.push(String::new());
        lines.extend(notes.map(|text| format!("note: {}", printable(text))));
    }
    if let Some(out) = options.out {
        lines.push(String::new());
        lines.push(format!("files: {}", out.display()));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// What ran, against what, and on what its numbers depend.
fn heading(record: &RunRecord, trials: &[TrialRecord], paint: Paint) -> Vec<String> {
    let environment = &record.environment;
    let known = |value: &Option<String>| {
        value
            .as_deref()
            .map_or_else(|| "unknown".to_owned(), printable)
    };
    let mut title = format!(
        "{}: {}, seed {}",
        printable(&record.name),
        status_text(record.status),
        record.seed
    );
    let _ = write!(title, ", started {}", printable(&record.started_at));
    let mut write_concern = format!("write concern: {}", known(&environment.write_concern));
    if environment
        .write_concern
        .as_deref()
        .is_some_and(|text| text.starts_with("majority"))
    {
        write_concern.push_str(
            "; a write waits for most of the members, with w: 1 it would be answered sooner",
        );
    }
    let server = trials.first().map(|trial| &trial.server);
    let mut lines = vec![
        paint.bold(&title),
        write_concern,
        format!(
            "read concern: {}; read preference: {}; retries: {}",
            known(&environment.read_concern),
            known(&environment.read_preference),
            retries_text(environment.retry_writes, environment.retry_reads)
        ),
    ];
    let data = trials.iter().flat_map(|trial| &trial.data);
    let data: BTreeMap<_, _> = data.collect();
    lines.extend(
        data.into_iter()
            .map(|(name, of)| compressibility::line(name, of)),
    );
    // A run that was interrupted before its first trial has not looked at the server.
    if let Some(server) = server {
        lines.push(format!(
            "server: MongoDB {}, {}{}",
            known(&server.version),
            known(&server.topology),
            compression_text(
                environment.compressor.as_deref(),
                server.compression.as_ref()
            )
        ));
    }
    if environment.docstone_build.starts_with("debug") {
        lines
            .push(paint.red("debug build of docstone: the client's own cost is many times higher"));
    }
    if environment.tls.as_deref() == Some("insecure") {
        lines.push(paint.red("TLS: insecure, certificates were not verified"));
    }
    lines
}

/// The compressor that is in use, and the one that was asked for where that is another.
fn compression_text(asked: Option<&str>, of_server: Option<&serde_json::Value>) -> String {
    let negotiated = of_server
        .and_then(|compression| compression.get("negotiated")?.as_str())
        .or(asked);
    match (asked, negotiated) {
        (None | Some("none"), _) | (_, None) => String::new(),
        (Some(asked), Some("none")) => {
            format!(", not compressed ({} was asked for)", printable(asked))
        }
        (Some(asked), Some(used)) if asked != used => {
            let (used, asked) = (printable(used), printable(asked));
            format!(", compressor {used} ({asked} was asked for)")
        }
        (_, Some(used)) => format!(", compressor {}", printable(used)),
    }
}

fn retries_text(writes: Option<bool>, reads: Option<bool>) -> String {
    let word = |value: Option<bool>| match value {
        Some(true) => "on",
        Some(false) => "off",
        None => "unknown",
    };
    format!("writes {}, reads {}", word(writes), word(reads))
}

fn status_text(status: Status) -> &'static str {
    match status {
        Status::Running => "not ended",
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
        Status::Failed => "failed",
    }
}

/// One trial: its header, its table, and what else must be known of it.
fn trial_lines(
    entry: &TrialEntry,
    trial: Option<&TrialRecord>,
    options: SummaryOptions<'_>,
    paint: Paint,
) -> Vec<String> {
    let status = status_text(entry.status);
    let status = match entry.status {
        Status::Complete => status.to_owned(),
        _ => paint.red(status),
    };
    let mut lines = vec![format!(
        "{}: window {}, {}, {status}",
        paint.bold(&cell_name(entry)),
        units::seconds(entry.summary.window_s),
        concurrency_text(entry, trial),
    )];
    if entry.validity.verdict != Verdict::Valid {
        let reasons: Vec<String> = entry
            .validity
            .reasons
            .iter()
            .map(|r| printable(r))
            .collect();
        let verdict = verdict_text(entry.validity.verdict);
        lines.push(paint.red(&match reasons.len() {
            0 => format!("not valid: {verdict}"),
            _ => format!("not valid: {verdict}: {}", reasons.join("; ")),
        }));
    }
    lines.extend(tables::operations(entry, trial, options));
    if entry.summary.ok + entry.summary.not_found == 0 {
        lines.push(paint.red("nothing succeeded, so no throughput is claimed"));
    }
    let Some(trial) = trial else {
        lines.push("its record was not found; this is its entry in the record of the run".into());
        return lines;
    };
    lines.push(load_sentence(trial));
    lines.extend(details::errors(trial, paint));
    lines.extend(details::ends(trial));
    lines.extend(
        trial
            .outages
            .iter()
            .map(|outage| paint.red(&outage_line(outage))),
    );
    lines.extend(events(trial));
    lines.extend(drill::lines(trial, paint));
    lines.extend(details::client(trial));
    lines.extend(trust::lines(trial));
    lines
}

/// Workers of closed load, the most where they change; of open load, how many operations may be in
/// flight.
fn concurrency_text(entry: &TrialEntry, trial: Option<&TrialRecord>) -> String {
    let open = |trial: &&TrialRecord| trial.load.has_open_load();
    if let Some(trial) = trial.filter(open) {
        in_flight_words(entry.summary.concurrency, counts_iterations(trial))
    } else {
        let workers = plural(u64::from(entry.summary.concurrency), "worker");
        let changes = |load: &docstone_model::GroupLoad| match &load.model {
            LoadModel::Closed(closed) => !closed.stages.is_empty(),
            LoadModel::Open(_) => false,
        };
        if trial.is_some_and(|trial| trial.load.loads.iter().any(changes)) {
            format!("at most {workers}")
        } else {
            workers
        }
    }
}

fn verdict_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "valid",
        Verdict::ClientLimited => "the load generator was the limit",
        Verdict::Unsustained => "the offered rate was not held",
        Verdict::Failed => "every operation failed",
        Verdict::NoSamples => "nothing ended",
    }
}

/// True where the load models of all groups count iterations of steps.
fn counts_iterations(trial: &TrialRecord) -> bool {
    trial
        .groups
        .values()
        .all(|group| group.iterations.is_some())
}

/// What kind of latency the table shows.
fn load_sentence(trial: &TrialRecord) -> String {
    let closed = |load: &docstone_model::GroupLoad| match &load.model {
        LoadModel::Closed(closed) => {
            let pause = think_time_words(closed).map(|words| format!(" ({words})"));
            let concurrency = concurrency_words(closed);
            Some(format!("{concurrency}{}", pause.unwrap_or_default()))
        }
        LoadModel::Open(_) => None,
    };
    let open = |load: &docstone_model::GroupLoad| match &load.model {
        LoadModel::Open(open) => Some(format!(
            "{}, {}",
            schedule_words(open),
            in_flight_words(open.in_flight_limit(), counts_iterations(trial))
        )),
        LoadModel::Closed(_) => None,
    };
    let loads = &trial.load.loads;
    let closed: Vec<String> = loads.iter().filter_map(closed).collect();
    let open: Vec<String> = loads.iter().filter_map(open).collect();
    let mut sentences = Vec::new();
    if !open.is_empty() {
        sentences.push(format!(
            "open load: response time counts from the intended start, service time from the \
             dispatch; {}",
            open.join(" + ")
        ));
    }
    if !closed.is_empty() {
        sentences.push(format!(
            "closed load: latency is service time at concurrency {}",
            closed.join(" + ")
        ));
    }
    sentences.join("\n")
}

/// What happened on the way, apart from outages and actions, which have lines of their own.
fn events(trial: &TrialRecord) -> Vec<String> {
    let events: Vec<_> = trial
        .events
        .iter()
        .filter(|event| event.kind != "outage" && !event.kind.starts_with("action_"))
        .collect();
    let mut lines: Vec<String> = events
        .iter()
        .take(MAX_EVENTS)
        .map(|event| format!("at {:.1} s: {}", event.t_s, printable(&event.text)))
        .collect();
    if events.len() > MAX_EVENTS {
        lines.push(format!(
            "and {} more events in its record",
            events.len() - MAX_EVENTS
        ));
    }
    lines
}

#[cfg(test)]
mod tests;
