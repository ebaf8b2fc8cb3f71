//! Intervals of which a schedule is made.

use crate::defaults::INTERVAL_NS;
use crate::spot::Spot;
use crate::units::DurationNs;

/// The shortest interval that is drawn or filled on its own: shorter ones are work without end.
const SHORTEST_NS: u64 = 1_000_000;

/// An interval of at least a millisecond; a second where it is left out.
pub(super) fn interval_ns(key: &str, raw: Option<DurationNs>, at: &Spot<'_>) -> Option<u64> {
    match raw {
        None => (!at.has_value()).then_some(INTERVAL_NS),
        Some(DurationNs(ns)) if ns < SHORTEST_NS => {
            let help = Some("leave it out for 1s".to_owned());
            at.fault(format!("`{key}` must be at least 1ms"), help);
            None
        }
        Some(DurationNs(ns)) => Some(ns),
    }
}
