//! Open load: how arrivals are spread, and what happens when too many operations are in flight.

use std::path::Path;

use docstone_model::plan::{Arrivals, OpenLoad, WhenFull};

use super::interval::interval_ns;
use super::schedule::Reader;
use crate::defaults::{GIVE_UP_AFTER_NS, INTERVAL_NS, MAX_CONCURRENCY};
use crate::raw::{ARRIVALS, Open, Step, TextOr, WHEN_FULL, cure};
use crate::spot::Spot;
use crate::units::{DurationNs, DurationOrNever};

/// Resolves `open` of a step. `None` if something in it is wrong; the reasons are recorded.
/// `folder` is where the workload file is.
pub(super) fn resolve(raw: &Step, step: &Spot<'_>, folder: &Path) -> Option<OpenLoad> {
    let at = step.at("open");
    let Some(open) = &raw.open else {
        step.missing(
            "open",
            "say how many operations arrive: `open: {rate: 50/s}`",
        );
        return None;
    };
    let arrivals = arrivals(open, &at);
    let reader = Reader {
        duration: raw.duration,
        step,
        at: &at,
        folder,
    };
    let schedule = reader.schedule(open, arrivals);
    if let Some(schedule) = &schedule {
        reader.check_count(schedule);
    }
    let when_full = when_full(open, &at);
    let give_up_after_ns = give_up_after(open, &at);
    let max_in_flight = max_in_flight(open, &at);
    Some(OpenLoad {
        schedule: schedule?,
        max_in_flight: max_in_flight?,
        settled_in_flight: None,
        when_full: when_full?,
        give_up_after_ns: give_up_after_ns?,
    })
}

fn arrivals(open: &Open, at: &Spot<'_>) -> Option<Arrivals> {
    let at = at.at("arrivals");
    match &open.arrivals {
        None => (!at.has_value()).then_some(Arrivals::Poisson),
        Some(TextOr::Text(name)) => match name.as_str() {
            "poisson" => Some(Arrivals::Poisson),
            "uniform" => Some(Arrivals::Uniform),
            "jittered" => Some(Arrivals::Jittered {
                interval_ns: INTERVAL_NS,
            }),
            _ => {
                at.unknown("kind of arrivals", name, &ARRIVALS);
                None
            }
        },
        Some(TextOr::Map(map)) => {
            let Some(jittered) = &map.jittered else {
                at.missing("jittered", "write `arrivals: {jittered: {interval: 5s}}`");
                return None;
            };
            let interval = jittered.interval;
            let at = at.at("jittered").at("interval");
            Some(Arrivals::Jittered {
                interval_ns: interval_ns("interval", interval, &at)?,
            })
        }
    }
}

fn when_full(open: &Open, at: &Spot<'_>) -> Option<WhenFull> {
    let at = at.at("when_full");
    match &open.when_full {
        None => (!at.has_value()).then_some(WhenFull::Queue),
        Some(TextOr::Text(name)) => match name.as_str() {
            "queue" => Some(WhenFull::Queue),
            "drop" => Some(WhenFull::Drop { after_ns: 0 }),
            _ => {
                at.unknown("word", name, &WHEN_FULL);
                None
            }
        },
        Some(TextOr::Map(map)) => {
            let Some(drop) = &map.drop else {
                at.missing("drop", "write `when_full: {drop: {after: 100ms}}`");
                return None;
            };
            Some(WhenFull::Drop {
                after_ns: drop.after.map_or(0, |after| after.0),
            })
        }
    }
}

/// `None` is a mistake, `Some(None)` a limit that is set later.
#[expect(clippy::option_option, reason = "two kinds of nothing")]
fn max_in_flight(open: &Open, at: &Spot<'_>) -> Option<Option<u32>> {
    let at = at.at("max_in_flight");
    match open.max_in_flight {
        None => (!at.has_value()).then_some(None),
        Some(limit) if !(1..=MAX_CONCURRENCY).contains(&limit) => {
            at.fault(
                format!("`max_in_flight` must be 1 to {MAX_CONCURRENCY}, not {limit}"),
                cure("max_in_flight").map(str::to_owned),
            );
            None
        }
        limit => Some(limit),
    }
}

/// `None` is a mistake, `Some(None)` is `never`.
#[expect(clippy::option_option, reason = "two kinds of nothing")]
fn give_up_after(open: &Open, at: &Spot<'_>) -> Option<Option<u64>> {
    let at = at.at("give_up_after");
    match open.give_up_after {
        None => (!at.has_value()).then_some(Some(GIVE_UP_AFTER_NS)),
        Some(DurationOrNever(None)) => Some(None),
        Some(DurationOrNever(Some(DurationNs(0)))) => {
            let help = Some("write `give_up_after: never` to keep going".to_owned());
            at.fault("`give_up_after` must be above 0", help);
            None
        }
        Some(DurationOrNever(Some(after))) => Some(Some(after.0)),
    }
}
