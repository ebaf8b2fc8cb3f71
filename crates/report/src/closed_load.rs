//! Closed load in words: workers and their pauses.

use docstone_model::plan::{ClosedLoad, ThinkTime};

use crate::units;

/// The pause of a worker between two operations: `think time 5ms`. `None` where there is none.
pub(crate) fn think_time_words(closed: &ClosedLoad) -> Option<String> {
    let words = match closed.think_time {
        ThinkTime::None => return None,
        ThinkTime::Constant { ns } => units::duration(ns),
        ThinkTime::Exponential { mean_ns } => {
            format!("exponential, {} in the mean", units::duration(mean_ns))
        }
        ThinkTime::Uniform { min_ns, max_ns } => {
            let (min, max) = (units::duration(min_ns), units::duration(max_ns));
            format!("{min} to {max}, evenly drawn")
        }
    };
    Some(format!("think time {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_think_time_says_how_it_is_distributed() {
        const MS: u64 = 1_000_000;
        let words = |think_time| {
            think_time_words(&ClosedLoad {
                think_time,
                ..ClosedLoad::steady(1)
            })
        };
        assert_eq!(words(ThinkTime::None), None);
        for (think_time, expected) in [
            (ThinkTime::Constant { ns: 5 * MS }, "think time 5ms"),
            (
                ThinkTime::Exponential { mean_ns: 10 * MS },
                "think time exponential, 10ms in the mean",
            ),
            (
                ThinkTime::Uniform {
                    min_ns: MS,
                    max_ns: 9 * MS,
                },
                "think time 1ms to 9ms, evenly drawn",
            ),
        ] {
            assert_eq!(words(think_time).as_deref(), Some(expected));
        }
    }
}
