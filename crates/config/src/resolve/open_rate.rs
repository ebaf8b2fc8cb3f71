//! Rates of arrivals: constant, a ramp, or drawn at random.

use docstone_model::plan::Rate;

use super::interval::interval_ns;
use super::needs::needs;
use crate::raw::{RateMap, TextOr};
use crate::spot::Spot;
use crate::units::ArrivalRate;

/// The keys of a rate that is not constant.
const KEYS: [&str; 5] = ["from", "to", "min", "max", "every"];

/// The same rate throughout.
pub(super) fn constant(per_s: f64) -> Rate {
    Rate::Linear {
        from_per_s: per_s,
        to_per_s: per_s,
    }
}

/// Resolves the `rate` below a spot.
pub(super) fn rate(raw: Option<&TextOr<ArrivalRate, RateMap>>, above: &Spot<'_>) -> Option<Rate> {
    match raw {
        None => {
            above.missing("rate", "say how many arrive, such as `rate: 50/s`");
            None
        }
        Some(TextOr::Text(rate)) => Some(constant(rate.0)),
        Some(TextOr::Map(map)) => changing(map, &above.at("rate")),
    }
}

fn changing(raw: &RateMap, at: &Spot<'_>) -> Option<Rate> {
    let keys = at.keys();
    let first = |known: &[&'static str]| known.iter().copied().find(|key| keys.contains(key));
    let (ramp, random) = (first(&["from", "to"]), first(&["min", "max", "every"]));
    match (ramp, random) {
        (None, None) => {
            if keys.is_empty() {
                let help = "write `50/s`, `{from: 0/s, to: 100/s}` or `{min: 10/s, max: 30/s}`";
                at.key_fault("the rate is empty", Some(help.to_owned()));
            }
            None
        }
        (Some(ramp), Some(random)) => {
            at.at(random).contradicts(
                &at.at(ramp),
                format!("`{ramp}` and `{random}` exclude each other"),
                "a ramp has `from` and `to`, a random rate `min`, `max` and `every`",
            );
            None
        }
        (Some(_), None) => {
            let help = "a ramp goes from one rate to another: `{from: 0/s, to: 100/s}`";
            needs(&["from", "to"], &KEYS, at, help);
            Some(Rate::Linear {
                from_per_s: raw.from?.0,
                to_per_s: raw.to?.0,
            })
        }
        (None, Some(_)) => random_rate(raw, at),
    }
}

fn random_rate(raw: &RateMap, at: &Spot<'_>) -> Option<Rate> {
    let help = "a random rate lies between two: `{min: 10/s, max: 30/s}`";
    needs(&["min", "max"], &KEYS, at, help);
    let every_ns = interval_ns("every", raw.every, &at.at("every"));
    let (min, max) = (raw.min?.0, raw.max?.0);
    if min > max {
        at.at("min").contradicts(
            &at.at("max"),
            format!("`min` is above `max`: {min}/s and {max}/s"),
            "exchange them",
        );
        return None;
    }
    Some(Rate::Random {
        min_per_s: min,
        max_per_s: max,
        every_ns: every_ns?,
    })
}
