//! One load step of one group: how load is produced, and until when.

use std::path::Path;

use docstone_model::plan::ActionPlan;
use docstone_model::{LoadModel, Stop};

use super::action;
use super::closed;
use super::names::folder_fault;
use super::open;
use crate::defaults::{MAX_COUNT, SHORTEST_STEP_NS};
use crate::nearest::nearest;
use crate::raw::{Step, cure};
use crate::spot::Spot;

/// What one group says of one step.
pub(super) struct StepPart {
    pub(super) name: Option<String>,
    /// None where the group leaves it to the others.
    pub(super) warmup: Option<bool>,
    pub(super) drain_ns: Option<u64>,
    pub(super) load: Option<(LoadModel, Stop)>,
    pub(super) actions: Vec<ActionPlan>,
}

/// Resolves one step of one group.
pub(super) fn step_part(raw: &Step, at: &Spot<'_>, folder: &Path) -> StepPart {
    if let Some(name) = &raw.name
        && let Some(why) = folder_fault(name)
    {
        at.at("name").fault(
            format!("the step's name `{name}` cannot be used: {why}"),
            None,
        );
    }
    check_stop(raw, at);
    let load = load(raw, at, folder);
    let stop = load.as_ref().map(|(_, stop)| *stop);
    StepPart {
        name: raw.name.clone(),
        warmup: raw.warmup,
        drain_ns: raw.drain.map(|drain| drain.0),
        load,
        actions: action::resolve(raw, at, stop),
    }
}

/// What is sent, and until when.
fn load(raw: &Step, at: &Spot<'_>, folder: &Path) -> Option<(LoadModel, Stop)> {
    let (closed_at, open_at) = (at.at("closed"), at.at("open"));
    match (closed_at.exists(), open_at.exists()) {
        (true, true) => {
            open_at.contradicts(
                &closed_at,
                "`closed` and `open` exclude each other in one step".to_owned(),
                "remove one of them, or put them into two `groups`",
            );
            None
        }
        (false, false) => {
            let meant = |key: &&str| nearest(key, &["closed", "open"]).is_some();
            if !at.keys().iter().any(meant) {
                at.key_fault(
                    "missing key `closed` or `open`",
                    Some(
                        "say how many workers, `closed: {concurrency: 8}`, or how many \
                         operations arrive, `open: {rate: 50/s}`"
                            .to_owned(),
                    ),
                );
            }
            // What ends it is checked as well.
            let _ = stop(raw, at);
            None
        }
        (true, false) => {
            let closed = closed::resolve(raw, at);
            let stop = if closed::is_timed(raw, at) {
                closed.as_ref().map(|closed| Stop {
                    duration_ns: Some(closed.duration_ns()),
                    operations: count(raw),
                })
            } else {
                stop(raw, at)
            };
            closed.map(LoadModel::Closed).zip(stop)
        }
        (false, true) => {
            let open = open::resolve(raw, at, folder)?;
            let stop = Stop {
                duration_ns: Some(open.schedule.duration_ns()),
                operations: count(raw),
            };
            Some((LoadModel::Open(open), stop))
        }
    }
}

/// Records a duration and a number of operations that cannot be.
fn check_stop(raw: &Step, at: &Spot<'_>) {
    if let Some(duration) = raw
        .duration
        .filter(|duration| duration.0 < SHORTEST_STEP_NS)
    {
        let help = if at.at("open").exists() {
            "make it longer: open load needs its time, such as `duration: 30s`"
        } else {
            "for a few operations, stop by `operations` or `iterations` instead"
        };
        at.at("duration").fault(
            format!(
                "`duration` must be at least 100ms, not {}",
                humantime::format_duration(std::time::Duration::from_nanos(duration.0))
            ),
            Some(help.to_owned()),
        );
    }
    for (key, number) in [
        ("operations", raw.operations),
        ("iterations", raw.iterations),
    ] {
        if let Some(number) = number.filter(|n| !(1..=MAX_COUNT).contains(n)) {
            at.at(key).fault(
                format!("`{key}` must be 1 to {MAX_COUNT}, not {number}"),
                cure(key).map(str::to_owned),
            );
        }
    }
}

/// The number of iterations after which the step ends: of a mix, an iteration is one operation, and
/// the first number that is reached ends the step.
fn count(raw: &Step) -> Option<u64> {
    let numbers = raw.operations.into_iter().chain(raw.iterations);
    numbers.min()
}

/// The end of closed load.
fn stop(raw: &Step, at: &Spot<'_>) -> Option<Stop> {
    if raw.duration.is_none() && count(raw).is_none() {
        let keys = at.keys();
        let tried = ["duration", "operations", "iterations"]
            .iter()
            .any(|key| at.at(key).has_value());
        let meant = |key: &&str| {
            let near = nearest(key, &["duration", "operations", "iterations"]);
            near.is_some_and(|near| near != *key)
        };
        if !tried && !keys.iter().any(meant) {
            at.key_fault(
                "nothing says when the step ends",
                Some(
                    "add `duration: 30s` or `operations: 1000`, or both; for a scenario of \
                     steps, `iterations: 1000`"
                        .to_owned(),
                ),
            );
        }
        return None;
    }
    Some(Stop {
        duration_ns: raw.duration.map(|duration| duration.0),
        operations: count(raw),
    })
}
