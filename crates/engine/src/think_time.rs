//! How long a worker of closed load pauses after an operation, and an iteration after a step.
//!
//! A drawn pause is a function of plan, seed, group, step and the number of the operation that
//! ended, so that it is the same for whichever worker took that number, on any number of threads.

use docstone_model::plan::ThinkTime;
use docstone_workload::draw::{Draw, StreamKey};

use crate::schedule::whole;

/// The pauses of one group in one step.
#[derive(Clone, Debug)]
pub(crate) struct Pauses {
    plan: ThinkTime,
    key: StreamKey,
}

impl Pauses {
    /// The pauses of a plan; `key` is of the seed, the group and the step.
    pub(crate) fn new(plan: ThinkTime, key: StreamKey) -> Self {
        Self { plan, key }
    }

    /// The pause after operation `number`, in nanoseconds.
    pub(crate) fn after_ns(&self, number: u64) -> u64 {
        pause_ns(self.plan, || self.key.word(number).draw())
    }
}

/// A pause in nanoseconds, from `draw` where it is drawn.
pub(crate) fn pause_ns(plan: ThinkTime, draw: impl FnOnce() -> Draw) -> u64 {
    match plan {
        ThinkTime::None => 0,
        ThinkTime::Constant { ns } => ns,
        // 1 - u lies in (0, 1], where the logarithm is finite.
        ThinkTime::Exponential { mean_ns } => whole(-(1.0 - draw().unit()).ln() * mean_ns as f64),
        ThinkTime::Uniform { min_ns, max_ns } => {
            min_ns + draw().below((max_ns - min_ns).saturating_add(1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn pauses(plan: ThinkTime) -> Vec<u64> {
        let pauses = Pauses::new(plan, StreamKey::new(1).text("think_time"));
        (0..100_000).map(|number| pauses.after_ns(number)).collect()
    }

    fn mean(pauses: &[u64]) -> f64 {
        pauses.iter().map(|ns| *ns as f64).sum::<f64>() / pauses.len() as f64
    }

    #[test]
    fn a_constant_pause_is_the_same_after_each_operation_and_none_is_none() {
        assert!(
            pauses(ThinkTime::Constant { ns: 7 })
                .iter()
                .all(|ns| *ns == 7)
        );
        assert!(pauses(ThinkTime::None).iter().all(|ns| *ns == 0));
    }

    #[test]
    fn exponential_pauses_have_their_mean_and_their_tail() {
        let drawn = pauses(ThinkTime::Exponential { mean_ns: 10 * MS });
        // The standard error of the mean is 0.3 percent.
        let mean = mean(&drawn) / MS as f64;
        assert!((9.8..10.2).contains(&mean), "{mean}");
        // Of an exponential distribution, e^-1 is above the mean and e^-3 above three times it.
        for (limit, expected) in [(10 * MS, 0.3679), (30 * MS, 0.0498)] {
            let above = drawn.iter().filter(|ns| **ns > limit).count() as f64 / 1e5;
            assert!((above - expected).abs() < 0.01, "{above} above {limit}");
        }
    }

    #[test]
    fn even_pauses_reach_both_bounds_and_no_further() {
        let drawn = pauses(ThinkTime::Uniform {
            min_ns: 5 * MS,
            max_ns: 15 * MS,
        });
        let mean = mean(&drawn) / MS as f64;
        assert!((9.9..10.1).contains(&mean), "{mean}");
        let (least, most) = (drawn.iter().min(), drawn.iter().max());
        assert!((5 * MS..5 * MS + MS / 100).contains(least.expect("drawn")));
        assert!((15 * MS - MS / 100..=15 * MS).contains(most.expect("drawn")));
        let few = Pauses::new(
            ThinkTime::Uniform {
                min_ns: 1,
                max_ns: 2,
            },
            StreamKey::new(1),
        );
        let found: std::collections::BTreeSet<u64> = (0..64).map(|n| few.after_ns(n)).collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_pause_depends_on_its_number_alone() {
        let plan = ThinkTime::Exponential { mean_ns: MS };
        let pauses = Pauses::new(plan, StreamKey::new(7).text("think_time"));
        let forward: Vec<u64> = (0..100).map(|number| pauses.after_ns(number)).collect();
        let mut backward: Vec<u64> = (0..100).rev().map(|n| pauses.after_ns(n)).collect();
        backward.reverse();
        assert_eq!(forward, backward);
        let distinct: std::collections::BTreeSet<&u64> = forward.iter().collect();
        assert_eq!(distinct.len(), 100, "each is drawn anew");
    }
}
