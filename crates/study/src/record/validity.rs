//! Whether a trial's numbers may be used.
//!
//! Knows the cases in which there are none, and for open load whether the rate was held. What speaks
//! for the load generator as the limit is in `client_limits`.

use std::fmt::Write;

use docstone_engine::{Colocation, TrialResult};
use docstone_model::length::measured;
use docstone_model::record::{ClientRecord, Status, Validity, Verdict};
use docstone_model::{LoadModel, Plan, StepPlan};

use super::client_limits::{Findings, client_limits, without_rest};
use super::operation::merge;
use crate::outstanding::Outstanding;

/// The part of the arrivals that may be missing or waiting for the rate to count as held.
const SHORTFALL: f64 = 0.01;

/// Arrivals that wait for less than this for a free worker were not held up by the target.
const NO_QUEUE_NS: u64 = 1_000_000;

/// What was asked of a trial and what became of it second by second.
pub(crate) struct Load<'a> {
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// The load step.
    pub(crate) step: &'a StepPlan,
    /// Arrivals of open load that ended in the window, failed ones too.
    pub(crate) arrivals_ended: u64,
    /// What was due and had not ended.
    pub(crate) outstanding: &'a Outstanding,
    /// What the load generator used.
    pub(crate) client: &'a ClientRecord,
    /// How much of the target is on this machine.
    pub(crate) colocation: Colocation,
}

/// The verdict on a trial that ended so, with warnings about the load generator.
pub(crate) fn validity(result: &TrialResult, load: &Load<'_>, status: Status) -> Validity {
    let Findings { reasons, warnings } =
        client_limits(load.plan, result, load.client, load.colocation);
    let (verdict, reasons) = match without_numbers(result, status) {
        Some(without) => without,
        None => held(result, load, reasons),
    };
    Validity {
        verdict,
        reasons,
        warnings,
    }
}

/// Why there are no numbers to judge, if there are none.
fn without_numbers(result: &TrialResult, status: Status) -> Option<(Verdict, Vec<String>)> {
    // Steps that succeed before the one that fails make no iteration that does.
    let all = merge(result.arriving());
    let what = if result.arriving().all(|slot| slot.key.operation().is_none()) {
        "iteration"
    } else {
        "operation"
    };
    let ended = all.as_ref().map_or(0, |all| all.counters.ended());
    let Some(all) = all.filter(|_| ended > 0) else {
        return Some((Verdict::NoSamples, vec![format!("no {what} ended")]));
    };
    if all.counters.errors < ended {
        let reason = "the run failed before the end of the trial".to_owned();
        return (status == Status::Failed).then(|| (Verdict::Failed, vec![reason]));
    }
    let mut reason = format!("all {ended} {what}s that ended failed");
    let classes = all.counters.errors_by_class.iter();
    if let Some((class, count)) = classes.max_by_key(|(_, count)| **count) {
        let _ = write!(reason, "; {count} with {class}");
        if let Some(message) = all.error_messages.get(&class.to_string()) {
            let _ = write!(reason, ": {message}");
        }
    }
    Some((Verdict::Failed, vec![reason]))
}

/// Whether the numbers are about the target: the rates of open load were held, and the load
/// generator was not the limit, for which `limits` are reasons.
fn held(result: &TrialResult, load: &Load<'_>, mut limits: Vec<String>) -> (Verdict, Vec<String>) {
    let shortfalls = shortfalls(result, load);
    if !shortfalls.is_empty() {
        limits.extend(own_shortfall(result, load.client));
    }
    let verdict = match (limits.is_empty(), shortfalls.is_empty()) {
        (true, true) => Verdict::Valid,
        (true, false) => Verdict::Unsustained,
        (false, _) => Verdict::ClientLimited,
    };
    limits.extend(shortfalls);
    (verdict, limits)
}

/// Why it was the load generator that did not hold the rate, if it was.
fn own_shortfall(result: &TrialResult, client: &ClientRecord) -> Option<String> {
    let queue_ns = result.waits.queue.quantile_ns(0.99).unwrap_or(0);
    // What was dropped found no free worker, and what was not did not wait for one.
    let (intended, dropped) = arrivals(result);
    let had_room = dropped as f64 <= SHORTFALL * intended as f64;
    if result.given_up.is_none() && had_room && queue_ns < NO_QUEUE_NS {
        return Some(format!(
            "99 of 100 arrivals found a free worker within {}: the target did not hold them up, the \
             load generator did",
            measured(queue_ns)
        ));
    }
    without_rest(client)
}

/// Arrivals of open load, and those of them that were dropped.
fn arrivals(result: &TrialResult) -> (u64, u64) {
    let open = result.arriving().filter(|slot| slot.key.open);
    let counts = open.map(|slot| (slot.counters.intended, slot.counters.dropped));
    counts.fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1))
}

/// The longest window of the groups that have open load, in seconds.
fn open_window_s(result: &TrialResult) -> f64 {
    let is_open = |group| {
        let mut of_group = result.arriving().filter(|slot| slot.key.group == group);
        of_group.any(|slot| slot.key.open)
    };
    let windows = result.group_windows_ns.iter();
    let open = windows.filter(|(group, _)| is_open(*group));
    open.map(|(_, ns)| *ns).max().unwrap_or(0) as f64 / 1e9
}

/// In what the load fell short of its schedule; nothing for closed load.
fn shortfalls(result: &TrialResult, load: &Load<'_>) -> Vec<String> {
    let (intended, dropped) = arrivals(result);
    let mut reasons = Vec::new();
    if intended == 0 {
        return reasons;
    }
    let window_s = open_window_s(result);
    let rate_per_s = intended as f64 / window_s.max(1e-9);
    if let Some(given_up) = result.given_up {
        reasons.push(format!(
            "ended after {:.0} s: the oldest arrival waited for {:.1} s, and the backlog grew",
            given_up.at_ns as f64 / 1e9,
            given_up.backlog_age_ns as f64 / 1e9
        ));
    }
    if dropped as f64 > SHORTFALL * intended as f64 {
        reasons.push(format!("{dropped} of {intended} arrivals were dropped"));
    }
    let waiting = load.outstanding.waiting();
    let limits = load.step.loads.iter().map(|load| match &load.model {
        LoadModel::Open(open) => u64::from(open.in_flight_limit()),
        LoadModel::Closed(_) => 0,
    });
    let few = limits.sum::<u64>() as f64;
    if waiting as f64 > few.max(SHORTFALL * intended as f64) {
        let (ended, seconds) = (load.arrivals_ended, window_s.max(1e-9));
        reasons.push(format!(
            "{waiting} arrivals waited at the end of the window: {:.1} a second ended of \
             {rate_per_s:.1} that were due",
            ended as f64 / seconds
        ));
    }
    if let Some(slope) = load.outstanding.slope_per_s()
        && slope > SHORTFALL * rate_per_s
    {
        reasons.push(format!(
            "what was due and had not ended grew by {slope:.1} a second, at {rate_per_s:.1} \
             arrivals a second"
        ));
    }
    if !reasons.is_empty() {
        reasons.push("no steady state: response times grow with the length of the run".to_owned());
    }
    reasons
}

#[cfg(test)]
mod tests;
