//! When a trial of open load is given up: its backlog is old, still grows, and no outage is the
//! reason.

use docstone_model::{LoadModel, StepPlan};

use crate::interval::IntervalData;

/// How long after an outage a backlog may still be there because of it.
const AFTER_OUTAGE_NS: u64 = 30_000_000_000;

/// Looks at each interval of one step.
#[derive(Debug)]
#[expect(
    clippy::struct_field_names,
    reason = "the unit is the last part of a name"
)]
pub(crate) struct BacklogGuard {
    /// The least of the groups; `u64::MAX` where none is ever given up.
    limit_ns: u64,
    last_age_ns: u64,
    quiet_from_ns: u64,
}

impl BacklogGuard {
    /// The guard of a step.
    pub(crate) fn new(step: &StepPlan) -> Self {
        let limits = step.loads.iter().filter_map(|load| match &load.model {
            LoadModel::Open(open) => open.give_up_after_ns,
            LoadModel::Closed(_) => None,
        });
        Self {
            limit_ns: limits.min().unwrap_or(u64::MAX),
            last_age_ns: 0,
            quiet_from_ns: 0,
        }
    }

    /// The age of a backlog for which the trial is to be given up.
    pub(crate) fn look(&mut self, data: &IntervalData) -> Option<u64> {
        let age_ns = data.backlog_age_ns.unwrap_or(0);
        let grows = age_ns > std::mem::replace(&mut self.last_age_ns, age_ns);
        if data.outage.is_some() {
            self.quiet_from_ns = data.to_ns.saturating_add(AFTER_OUTAGE_NS);
        }
        let hopeless = age_ns > self.limit_ns && grows && data.to_ns >= self.quiet_from_ns;
        (hopeless && !data.drain).then_some(age_ns)
    }
}

#[cfg(test)]
mod tests {
    use docstone_model::Outage;
    use docstone_stats::Latencies;

    use super::*;

    const S: u64 = 1_000_000_000;

    fn guard() -> BacklogGuard {
        BacklogGuard {
            limit_ns: 30 * S,
            last_age_ns: 0,
            quiet_from_ns: 0,
        }
    }

    fn second(t: u64, age_s: u64, outage: bool) -> IntervalData {
        IntervalData {
            from_ns: (t - 1) * S,
            to_ns: t * S,
            drain: false,
            slots: Vec::new(),
            iterations: Vec::new(),
            schedule_lag: Latencies::new(),
            backlog_age_ns: Some(age_s * S),
            outage: outage.then_some(Outage {
                from_ns: 0,
                to_ns: t * S,
                errors: 0,
                retries: 0,
            }),
        }
    }

    #[test]
    fn an_old_backlog_that_grows_is_given_up_and_one_that_shrinks_is_not() {
        let mut guard = guard();
        assert_eq!(guard.look(&second(40, 29, false)), None, "not old enough");
        assert_eq!(guard.look(&second(41, 32, false)), Some(32 * S));
        assert_eq!(guard.look(&second(42, 31, false)), None, "it shrinks");
    }

    #[test]
    fn during_an_outage_and_for_30_seconds_after_it_nothing_is_given_up() {
        let mut guard = guard();
        assert_eq!(guard.look(&second(40, 35, true)), None);
        assert_eq!(guard.look(&second(69, 64, false)), None);
        assert_eq!(guard.look(&second(70, 65, false)), Some(65 * S));
    }

    #[test]
    fn nothing_is_given_up_in_the_drain() {
        let mut guard = guard();
        let mut data = second(40, 35, false);
        data.drain = true;
        assert_eq!(guard.look(&data), None);
    }
}
