//! One line per interval, and the lines around it: outages, the begin and end of a step.
//!
//! Owns their wording. Where lines go, and when, belongs to [`crate::progress`]. The log of a trial
//! has words of its own, since the store cannot use this crate.

use std::fmt::Write as _;

use docstone_model::plan::Plan;
use docstone_model::{
    GroupLoad, Interval, IntervalRow, LatencySummary, LoadModel, Outage, StepPlan,
};
use docstone_stats::quantile_is_supported;

use crate::closed_load::{think_time_words, workers_words};
use crate::open_load::{schedule_words, when_full_words};
use crate::paint::{Paint, printable};
use crate::units;
pub(crate) use crate::units::plural;

/// Rows that get their own percentiles on a line; the others are only counted.
const MAX_ROWS: usize = 4;

/// What a line says that its interval does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepContext {
    /// The step is a warm-up.
    pub(crate) warmup: bool,
    /// What has ended since the step began, this interval included: iterations of groups that have
    /// steps, operations of the others.
    pub(crate) ended: u64,
}

/// The line of one interval, in colour where `paint` allows it, without a line end.
pub(crate) fn painted_line(interval: &Interval, context: StepContext, paint: Paint) -> String {
    let mut name = printable(&interval.phase);
    if context.warmup {
        name.push_str(" (warm-up)");
    }
    let figures = figures(interval, paint);
    let mut line = format!("{name:<10} {:>9}  {figures}", position(interval, context));
    if let Some(left_s) = left_s(interval, context) {
        let _ = write!(line, "  left {}", units::span(left_s));
    }
    line
}

/// False for the last moment of a step in which nothing ended, which deserves no line.
pub(crate) fn is_worth_a_line(interval: &Interval) -> bool {
    let ended: u64 = interval.rows.iter().map(|row| row.counters.ended()).sum();
    interval.length_s > 0.95 || ended > 0 || interval.outage.is_some()
}

/// What happened in the interval: rate, percentiles, errors, what is in flight.
pub(crate) fn figures(interval: &Interval, paint: Paint) -> String {
    let in_flight: u64 = interval.rows.iter().map(|row| row.in_flight).sum();
    let errors: u64 = interval.rows.iter().map(|row| row.counters.errors).sum();
    if let Some(outage) = &interval.outage {
        return paint.red(&ongoing_outage(outage, in_flight));
    }
    let successes: u64 = interval.arriving().map(successes).sum();
    if interval.drain {
        // A rate over what is left of a load would be read as one.
        let ended: u64 = interval.rows.iter().map(|row| row.counters.ended()).sum();
        let mut text = format!("{} ended after the end", plural(ended, "operation"));
        if errors > 0 {
            let _ = write!(text, ", {} of them failed", units::count(errors));
        }
        let _ = write!(text, ", {in_flight} in flight");
        return text;
    }
    let rate = if interval.length_s > 0.0 {
        successes as f64 / interval.length_s
    } else {
        0.0
    };
    let errors = match errors {
        0 => "errors 0".to_owned(),
        errors => paint.red(&format!("errors {}", units::count(errors))),
    };
    let backlog: u64 = interval.arriving().map(|row| row.backlog).sum();
    // Iterations first: they are what the load model makes.
    let rows: Vec<&IntervalRow> = interval.iterations.iter().chain(&interval.rows).collect();
    let unit = rate_unit(!interval.iterations.is_empty());
    let mut text = format!(
        "{:>7} {unit}  {}  {errors}  in flight {in_flight}",
        units::rate(rate),
        percentiles(&rows)
    );
    if backlog > 0 {
        let _ = write!(text, "  waiting {}", units::count(backlog));
    }
    text
}

/// The unit of a rate: with steps not of operations, since iterations are counted.
pub(crate) fn rate_unit(has_steps: bool) -> &'static str {
    if has_steps { "per s" } else { "ops/s" }
}

/// An outage that is going on: since when, and for how long so far.
fn ongoing_outage(outage: &Outage, in_flight: u64) -> String {
    let what = if outage.errors == 0 {
        "completion"
    } else {
        "success"
    };
    let mut text = format!(
        "no {what} since {} ({}), {in_flight} in flight",
        on_axis(outage.from_ns),
        on_axis(outage.length_ns())
    );
    if outage.errors > 0 {
        let _ = write!(text, ", {}", plural(outage.errors, "error"));
    }
    text
}

/// An outage that is over: from when to when, and what hid it.
pub(crate) fn outage_line(outage: &Outage) -> String {
    let retries = match outage.retries {
        0 => String::new(),
        retries if outage.errors == 0 => format!(", {} hid it", plural(retries, "retry")),
        retries => format!(", {}", plural(retries, "retry")),
    };
    format!(
        "outage from {} to {} ({}): {}{retries}",
        on_axis(outage.from_ns),
        on_axis(outage.to_ns),
        on_axis(outage.length_ns()),
        plural(outage.errors, "error")
    )
}

/// What the number counts after which a group ends.
pub(crate) fn counted(plan: &Plan, load: &GroupLoad) -> &'static str {
    if plan.groups[load.group].scenario.has_steps() {
        "iteration"
    } else {
        "operation"
    }
}

/// What open load may have in flight: operations, or iterations of steps.
pub(crate) fn in_flight_words(limit: u32, has_steps: bool) -> String {
    let what = if has_steps { " iterations" } else { "" };
    format!("at most {}{what} in flight", units::count(limit.into()))
}

/// What a step is about to do: `64 workers for 30s`, one part per group.
pub(crate) fn step_line(plan: &Plan, step: &StepPlan) -> String {
    let part = |load: &GroupLoad| {
        let concurrency = load.model.concurrency();
        let mut text = match &load.model {
            LoadModel::Closed(closed) => workers_words(closed),
            LoadModel::Open(open) => schedule_words(open),
        };
        if plan.groups.len() > 1 {
            text = format!("{} {text}", printable(&plan.groups[load.group].name));
        }
        let connections = plan.connections(load);
        let scenario = &plan.groups[load.group].scenario;
        if connections < concurrency.saturating_mul(scenario.width()) {
            let _ = write!(text, " on {}", plural(u64::from(connections), "connection"));
        }
        match &load.model {
            LoadModel::Closed(closed) => {
                if let Some(words) = think_time_words(closed) {
                    let _ = write!(text, ", {words}");
                }
            }
            LoadModel::Open(open) => {
                let more = when_full_words(open);
                let _ = write!(
                    text,
                    ", {} ({more})",
                    in_flight_words(concurrency, scenario.has_steps())
                );
            }
        }
        if let Some(operations) = load.stop.operations {
            let what = counted(plan, load);
            let _ = write!(text, ", {}", plural(operations, what));
        }
        if let Some(duration_ns) = load.stop.duration_ns {
            let most = if load.stop.operations.is_some() {
                "at most"
            } else {
                "for"
            };
            let _ = write!(text, ", {most} {}", units::duration(duration_ns));
        }
        text
    };
    let parts: Vec<String> = step.loads.iter().map(part).collect();
    let warmup = if step.warmup {
        " (warm-up, not measured)"
    } else {
        ""
    };
    format!(
        "step {}{warmup}: {}",
        printable(&step.name),
        parts.join("; ")
    )
}

/// What a step has done, over all groups and operations.
pub(crate) fn totals_line(step: &StepPlan, totals: &Interval, paint: Paint) -> String {
    let sum = |of: fn(&IntervalRow) -> u64| totals.rows.iter().map(of).sum::<u64>();
    let errors = sum(|row| row.counters.errors);
    let errors_text = plural(errors, "error");
    let errors_text = if errors > 0 {
        paint.red(&errors_text)
    } else {
        errors_text
    };
    let mut text = format!(
        "step {} ended: {} ok, {}, {errors_text}",
        printable(&step.name),
        units::count(sum(|row| row.counters.ok)),
        plural(sum(|row| row.counters.not_found), "miss"),
    );
    let in_flight = sum(|row| row.in_flight);
    if in_flight > 0 {
        let _ = write!(text, ", {in_flight} still in flight");
    }
    text
}

/// The name of a row: as short as it can be among its neighbours.
pub(crate) fn row_name(rows: &[&IntervalRow], row: &IntervalRow) -> String {
    let of_group = rows.iter().filter(|other| other.group == row.group).count();
    let name = if of_group == rows.len() {
        row.operation.clone()
    } else if rows
        .iter()
        .all(|a| rows.iter().filter(|b| a.group == b.group).count() == 1)
    {
        row.group.clone()
    } else {
        format!("{}.{}", row.group, row.operation)
    };
    printable(&name)
}

/// Operations of a row that succeeded in the interval.
pub(crate) fn successes(row: &IntervalRow) -> u64 {
    row.counters.ok + row.counters.not_found
}

/// A percentile, or `-` where too few operations stand behind it (n(1-q) >= 10).
pub(crate) fn percentile(count: u64, q: f64, value_ns: Option<u64>) -> String {
    let shown = value_ns.filter(|_| quantile_is_supported(count, q));
    units::latency_or_none(shown)
}

/// The percentiles of an interval: plain for one row, by name for several. Percentiles of
/// several rows are never averaged.
fn percentiles(rows: &[&IntervalRow]) -> String {
    if let [row] = rows {
        let (label, summary) = shown_latency(row);
        let (p50, p99) = both(summary);
        return format!("{label}p50 {p50:>7}  p99 {p99:>7}");
    }
    let part = |row: &IntervalRow| {
        let (_, summary) = shown_latency(row);
        let (p50, p99) = both(summary);
        format!("{} {p50}/{p99}", row_name(rows, row))
    };
    let mut parts: Vec<String> = rows.iter().copied().take(MAX_ROWS).map(part).collect();
    if rows.len() > MAX_ROWS {
        parts.push(format!("+{} more", rows.len() - MAX_ROWS));
    }
    format!("p50/p99 {}", parts.join("  "))
}

fn both(summary: &LatencySummary) -> (String, String) {
    (
        percentile(summary.count, 0.5, summary.p50),
        percentile(summary.count, 0.99, summary.p99),
    )
}

/// Response time where the load has one (it counts from the intended start), else service time.
fn shown_latency(row: &IntervalRow) -> (&'static str, &LatencySummary) {
    match &row.response {
        Some(response) => ("response ", response),
        None => ("", &row.service),
    }
}

/// Where the step is: `12s/30s`, `12s 120,000/1,000,000`, or `12s` where no end is planned.
fn position(interval: &Interval, context: StepContext) -> String {
    let mut text = units::clock(interval.t_s);
    if interval.drain {
        return text;
    }
    if let Some(planned_s) = interval.planned_s {
        let _ = write!(text, "/{}", units::clock(planned_s));
    }
    if let Some(planned) = interval.planned_operations {
        let ended = units::count(context.ended);
        let _ = write!(text, " {ended}/{}", units::count(planned));
    }
    text
}

/// Seconds until the step ends, by its length or by the pace of its operations, whichever comes
/// first; `None` where neither is known.
pub(crate) fn left_s(interval: &Interval, context: StepContext) -> Option<f64> {
    if interval.drain {
        return None;
    }
    let by_time = interval
        .planned_s
        .map(|planned_s| (planned_s - interval.t_s).max(0.0));
    let by_operations = interval.planned_operations.and_then(|planned| {
        let pace = context.ended as f64 / interval.t_s;
        let left = planned.saturating_sub(context.ended) as f64 / pace;
        left.is_finite().then_some(left)
    });
    match (by_time, by_operations) {
        (Some(time), Some(operations)) => Some(time.min(operations)),
        (time, operations) => time.or(operations),
    }
}

/// The share of the step that is done, 0 to 1; `None` where no end is planned.
pub(crate) fn done_share(interval: &Interval, context: StepContext) -> Option<f64> {
    let of = |done: f64, all: f64| {
        if all > 0.0 {
            (done / all).clamp(0.0, 1.0)
        } else {
            1.0
        }
    };
    let by_time = interval
        .planned_s
        .map(|planned_s| of(interval.t_s, planned_s));
    let by_operations = interval
        .planned_operations
        .map(|planned| of(context.ended as f64, planned as f64));
    match (by_time, by_operations) {
        (Some(time), Some(operations)) => Some(time.max(operations)),
        (time, operations) => time.or(operations),
    }
}

/// A point on the time axis of a step, or a length on it, to a tenth of a second.
pub(crate) fn on_axis(ns: u64) -> String {
    format!("{:.1} s", ns as f64 / 1e9)
}

#[cfg(test)]
mod tests;
