//! Closed load in words: workers and their pauses.

use docstone_model::plan::{ClosedLoad, ThinkTime, WorkerStage};

use crate::units::{self, plural};

/// Stages that are shown.
const MAX_STAGES: usize = 8;

/// How many workers there are: `64 workers`, `0 to 64 workers`.
pub(crate) fn workers_words(closed: &ClosedLoad) -> String {
    match closed.stages.as_slice() {
        [] => plural(u64::from(closed.concurrency), "worker"),
        [_] => format!("{} workers", concurrency_words(closed)),
        _ => format!("workers: {}", concurrency_words(closed)),
    }
}

/// The same without the word: `64`, `0 to 64`, or stages with their durations.
pub(crate) fn concurrency_words(closed: &ClosedLoad) -> String {
    let stages = &closed.stages;
    let mut words: Vec<String> = match stages.as_slice() {
        [] => return units::count(u64::from(closed.concurrency)),
        [one] => return line_words(one),
        stages => stages
            .iter()
            .take(MAX_STAGES)
            .map(|stage| {
                let length = units::duration(stage.duration_ns);
                format!("{} for {length}", line_words(stage))
            })
            .collect(),
    };
    if stages.len() > MAX_STAGES {
        let all = units::count(stages.len() as u64);
        words.push(format!("... ({all} stages)"));
    }
    words.join(", ")
}

fn line_words(stage: &WorkerStage) -> String {
    let (from, to) = (u64::from(stage.from), u64::from(stage.to));
    match (from, to) {
        (0, 0) => "a pause".to_owned(),
        (from, to) if from == to => units::count(from),
        (from, to) => format!("{} to {}", units::count(from), units::count(to)),
    }
}

/// The pause of a worker between two operations: `think time 5ms`. `None` where there is none.
pub(crate) fn think_time_words(closed: &ClosedLoad) -> Option<String> {
    pause_words(closed.think_time).map(|words| format!("think time {words}"))
}

/// How long a pause is: `5ms`, `exponential, 10ms in the mean`. `None` where there is none.
pub(crate) fn pause_words(think_time: ThinkTime) -> Option<String> {
    Some(match think_time {
        ThinkTime::None => return None,
        ThinkTime::Constant { ns } => units::duration(ns),
        ThinkTime::Exponential { mean_ns } => {
            format!("exponential, {} in the mean", units::duration(mean_ns))
        }
        ThinkTime::Uniform { min_ns, max_ns } => {
            let (min, max) = (units::duration(min_ns), units::duration(max_ns));
            format!("{min} to {max}, evenly drawn")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_read_as_they_were_written() {
        const S: u64 = 1_000_000_000;
        let words = |stages: &[(u32, u32)]| {
            let stage = |(from, to): &(u32, u32)| WorkerStage {
                duration_ns: 30 * S,
                from: *from,
                to: *to,
            };
            workers_words(&ClosedLoad {
                stages: stages.iter().map(stage).collect(),
                ..ClosedLoad::steady(1)
            })
        };
        assert_eq!(words(&[]), "1 worker");
        assert_eq!(words(&[(0, 64)]), "0 to 64 workers");
        assert_eq!(
            words(&[(0, 64), (64, 64), (0, 0)]),
            "workers: 0 to 64 for 30s, 64 for 30s, a pause for 30s"
        );
        assert!(words(&[(1, 1); 9]).ends_with(", 1 for 30s, ... (9 stages)"));
    }

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
