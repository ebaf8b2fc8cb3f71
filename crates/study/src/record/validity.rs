//! Whether a trial's numbers may be used.
//!
//! Knows the cases in which there are none, and for open load whether the rate was held. What speaks
//! for the load generator as the limit is in `client_limits`.

use std::fmt::Write;

use docstone_engine::{Colocation, TrialResult};
use docstone_model::length::measured;
use docstone_model::plan::{OpenLoad, WhenFull};
use docstone_model::record::{ClientRecord, Status, Validity, Verdict};
use docstone_model::{GroupLoad, LoadModel, Plan, StepPlan};

use super::client_limits::{Findings, client_limits, late_notice, without_rest};
use super::operation::merge;
use crate::outstanding::OpenGroups;

/// The part of the arrivals that may be missing or waiting for the rate to count as held.
const SHORTFALL: f64 = 0.01;

/// The same of a window that is too short for a slope, in which a few arrivals more or less at its
/// end are a larger part.
const SHORT_WINDOW: f64 = 0.10;

/// Arrivals that wait for less than this for a free worker were not held up by the target.
const NO_QUEUE_NS: u64 = 1_000_000;

/// What was asked of a trial and what became of it second by second.
pub(crate) struct Load<'a> {
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// The load step.
    pub(crate) step: &'a StepPlan,
    /// What became of the arrivals of open load.
    pub(crate) open_groups: &'a OpenGroups,
    /// What the load generator used.
    pub(crate) client: &'a ClientRecord,
    /// How much of the target is on this machine.
    pub(crate) colocation: Colocation,
}

/// The verdict on a trial that ended so, with warnings about the load generator.
pub(crate) fn validity(
    result: &TrialResult,
    load: &Load<'_>,
    shortfalls: &Shortfalls,
    status: Status,
) -> Validity {
    let Findings { reasons, warnings } =
        client_limits(load.plan, result, load.client, load.colocation);
    let (verdict, reasons) = match without_numbers(result, status) {
        Some(without) => without,
        None => held(result, load, shortfalls, reasons),
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
fn held(
    result: &TrialResult,
    load: &Load<'_>,
    shortfalls: &Shortfalls,
    mut limits: Vec<String>,
) -> (Verdict, Vec<String>) {
    let shortfalls = &shortfalls.reasons;
    if !shortfalls.is_empty() {
        limits.extend(own_shortfall(result, load));
    }
    let verdict = match (limits.is_empty(), shortfalls.is_empty()) {
        (true, true) => Verdict::Valid,
        (true, false) => Verdict::Unsustained,
        (false, _) => Verdict::ClientLimited,
    };
    limits.extend_from_slice(shortfalls);
    (verdict, limits)
}

/// Why it was the load generator that did not hold the rate, if it was.
fn own_shortfall(result: &TrialResult, load: &Load<'_>) -> Option<String> {
    let queue_ns = result.waits.queue.quantile_ns(0.99).unwrap_or(0);
    // What was dropped found no free worker, nor does what waits while as many as may are in flight;
    // the times of those that were sent do not show it.
    let had_room = open_loads(load.step).all(|(of, open)| {
        let (intended, dropped) = arrivals(result, of.group);
        let outstanding = load.open_groups.of(of.group).outstanding;
        let full = outstanding.in_flight() >= u64::from(open.in_flight_limit());
        let held_up = dropped + if full { outstanding.waiting() } else { 0 };
        held_up as f64 <= SHORTFALL * intended as f64
    });
    if result.given_up.is_none() && had_room && queue_ns < NO_QUEUE_NS {
        return Some(format!(
            "99 of 100 arrivals found a free worker within {}: the target did not hold them up, the \
             load generator did",
            measured(queue_ns)
        ));
    }
    without_rest(load.client).or_else(|| late_notice(load.plan, result))
}

fn open_loads(step: &StepPlan) -> impl Iterator<Item = (&GroupLoad, &OpenLoad)> {
    step.loads.iter().filter_map(|load| match &load.model {
        LoadModel::Open(open) => Some((load, open)),
        LoadModel::Closed(_) => None,
    })
}

/// Arrivals of a group of open load, and those of them that were dropped.
fn arrivals(result: &TrialResult, group: usize) -> (u64, u64) {
    let of_group = result.arriving().filter(|slot| slot.key.group == group);
    let counts = of_group.map(|slot| (slot.counters.intended, slot.counters.dropped));
    counts.fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1))
}

/// In what a load fell short of its schedules; nothing for closed load.
#[derive(Default)]
pub(crate) struct Shortfalls {
    reasons: Vec<String>,
    /// The groups, by their index, whose response times grow with the length of the step, since what
    /// was due and had not ended did.
    pub(crate) grown_groups: Vec<usize>,
}

/// In what the load fell short of its schedules.
pub(crate) fn shortfalls(result: &TrialResult, load: &Load<'_>) -> Shortfalls {
    let mut all = Shortfalls::default();
    let reasons = &mut all.reasons;
    if let Some(given_up) = result.given_up {
        reasons.push(format!(
            "ended after {:.0} s: the oldest arrival waited for {:.1} s, and the backlog grew",
            given_up.at_ns as f64 / 1e9,
            given_up.backlog_age_ns as f64 / 1e9
        ));
    }
    for (of, open) in open_loads(load.step) {
        let short = GroupShortfall::of(result, load, (of, open));
        if short.grew || result.given_up.is_some() {
            all.grown_groups.push(of.group);
        }
        let name = match load.step.loads.len() {
            1 => String::new(),
            _ => format!("group {}: ", load.plan.groups[of.group].name),
        };
        let lines = short.reasons.iter().map(|reason| format!("{name}{reason}"));
        reasons.extend(lines);
    }
    // Only open load is given up.
    if !all.grown_groups.is_empty() {
        reasons.push("no steady state: response times grow with the length of the run".to_owned());
    }
    all
}

/// In what one group fell short of its schedule.
#[derive(Default)]
struct GroupShortfall {
    reasons: Vec<String>,
    /// What waited grew: longer runs have longer response times.
    grew: bool,
}

impl GroupShortfall {
    fn of(result: &TrialResult, load: &Load<'_>, (of, open): (&GroupLoad, &OpenLoad)) -> Self {
        let mut short = Self::default();
        let (intended, dropped) = arrivals(result, of.group);
        if intended == 0 {
            return short;
        }
        let mut by_group = result.group_windows_ns.iter();
        let own = by_group.find(|(group, _)| *group == of.group);
        let window_s = (own.map_or(0, |(_, ns)| *ns) as f64 / 1e9).max(1e-9);
        let rate_per_s = intended as f64 / window_s;
        let few = SHORTFALL * intended as f64;
        if dropped as f64 > few {
            let reason = format!("{dropped} of {intended} arrivals were dropped");
            short.reasons.push(reason);
        }
        let arrived = load.open_groups.of(of.group);
        let waiting = arrived.outstanding.waiting();
        // What waits to be dropped is as much as the policy lets wait.
        let bounded = matches!(open.when_full, WhenFull::Drop { .. });
        if !bounded && waiting as f64 > few.max(f64::from(open.in_flight_limit())) {
            short.grew = true;
            short.reasons.push(format!(
                "{waiting} arrivals waited at the end of the window: {:.1} a second ended of \
                 {rate_per_s:.1} that were due",
                arrived.ended as f64 / window_s
            ));
        }
        // What comes and goes within the window grows for a while, too, but has gone at its end.
        if let Some(slope) = arrived.outstanding.slope_per_s()
            && slope > SHORTFALL * rate_per_s
            && arrived.outstanding.at_end() as f64 > few
        {
            short.grew = true;
            short.reasons.push(format!(
                "what was due and had not ended grew by {slope:.1} a second, at {rate_per_s:.1} \
                 arrivals a second"
            ));
        }
        if let Some(growth) = arrived.outstanding.short_growth_per_s()
            && growth > SHORT_WINDOW * rate_per_s
            && arrived.outstanding.at_end() as f64 > SHORT_WINDOW * intended as f64
        {
            short.grew = true;
            short.reasons.push(format!(
                "what was due and had not ended grew by {growth:.1} a second within a few seconds, \
                 at {rate_per_s:.1} arrivals a second"
            ));
        }
        short
    }
}

#[cfg(test)]
mod tests;
