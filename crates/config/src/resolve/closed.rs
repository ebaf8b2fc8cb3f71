//! Closed load: how many workers, and how long each pauses between two operations.

use docstone_model::plan::{ClosedLoad, ThinkTime};

use super::{needs::needs, workers};
use crate::raw::{Step, TextOr, ThinkTimeMap};
use crate::spot::Spot;
use crate::units::DurationNs;

/// The keys of a think time that is drawn.
const THINK_TIME_KEYS: [&str; 3] = ["exponential", "min", "max"];

/// Resolves `closed` of a step. `None` if something in it is wrong; the reasons are recorded.
pub(super) fn resolve(raw: &Step, step: &Spot<'_>) -> Option<ClosedLoad> {
    let Some(closed) = &raw.closed else {
        step.missing("closed", "say how many workers: `closed: {concurrency: 8}`");
        return None;
    };
    let at = step.at("closed");
    let workers = workers::resolve(closed, (step, &at), raw.duration);
    let think_time = think_time(closed.think_time.as_ref(), &at);
    let (concurrency, stages) = workers?;
    Some(ClosedLoad {
        concurrency,
        stages,
        think_time: think_time?,
    })
}

/// True if the number of workers says how long the step takes.
pub(super) fn is_timed(raw: &Step, step: &Spot<'_>) -> bool {
    let concurrency = raw.closed.as_ref().map(|closed| &closed.concurrency);
    let is_ramp = matches!(concurrency, Some(Some(TextOr::Map(_))));
    is_ramp || step.at("closed").at("stages").exists()
}

/// Resolves the think time of a worker, or of a step. `None` if something in it is wrong.
pub(super) fn think_time(
    raw: Option<&TextOr<DurationNs, ThinkTimeMap>>,
    at: &Spot<'_>,
) -> Option<ThinkTime> {
    let at = at.at("think_time");
    match raw {
        None => (!at.has_value()).then_some(ThinkTime::None),
        Some(TextOr::Text(DurationNs(0))) => Some(ThinkTime::None),
        Some(TextOr::Text(DurationNs(ns))) => Some(ThinkTime::Constant { ns: *ns }),
        Some(TextOr::Map(map)) => drawn(map, &at),
    }
}

/// A think time that is drawn each time.
fn drawn(raw: &ThinkTimeMap, at: &Spot<'_>) -> Option<ThinkTime> {
    let keys = at.keys();
    let bound = ["min", "max"].into_iter().find(|key| keys.contains(key));
    match (keys.contains(&"exponential"), bound) {
        (true, Some(bound)) => {
            at.at(bound).contradicts(
                &at.at("exponential"),
                format!("`{bound}` and `exponential` exclude each other"),
                "an exponential think time has only its mean, an even one `min` and `max`",
            );
            None
        }
        (true, None) => match raw.exponential {
            Some(DurationNs(0)) => {
                at.at("exponential").fault(
                    "the mean of an exponential think time must be above 0",
                    Some("make it longer, or leave out `think_time` for no pause".to_owned()),
                );
                None
            }
            Some(DurationNs(mean_ns)) => Some(ThinkTime::Exponential { mean_ns }),
            None => {
                let help = "give its mean: `think_time: {exponential: 10ms}`";
                at.missing("exponential", help);
                None
            }
        },
        (false, Some(_)) => even(raw, at),
        (false, None) => {
            if keys.is_empty() {
                at.key_fault(
                    "the think time is empty",
                    Some("write `10ms`, `{exponential: 10ms}` or `{min: 5ms, max: 15ms}`".into()),
                );
            }
            None
        }
    }
}

fn even(raw: &ThinkTimeMap, at: &Spot<'_>) -> Option<ThinkTime> {
    let help = "an even think time lies between two: `{min: 5ms, max: 15ms}`";
    needs(&["min", "max"], &THINK_TIME_KEYS, at, help);
    let (min, max) = (raw.min?, raw.max?);
    if min.0 > max.0 {
        at.at("min").contradicts(
            &at.at("max"),
            "`min` is above `max`".to_owned(),
            "exchange them",
        );
        return None;
    }
    Some(match max.0 {
        0 => ThinkTime::None,
        ns if ns == min.0 => ThinkTime::Constant { ns },
        _ => ThinkTime::Uniform {
            min_ns: min.0,
            max_ns: max.0,
        },
    })
}
