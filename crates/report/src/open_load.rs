//! Open load in words: rates, arrivals, and what happens when too many are in flight.

use docstone_model::plan::{Arrivals, OpenLoad, Rate, SchedulePlan, WhenFull};

use crate::units::{self, plural};

/// Stages that are shown; a trace of rates may have a million.
const MAX_STAGES: usize = 8;

/// When operations are due: `50/s poisson`, `0/s to 100/s uniform`.
pub(crate) fn schedule_words(open: &OpenLoad) -> String {
    let (stages, arrivals) = match &open.schedule {
        SchedulePlan::Times { times_ns, .. } => {
            return format!(
                "{} at recorded times",
                plural(times_ns.len() as u64, "arrival")
            );
        }
        SchedulePlan::Rates { stages, arrivals } => (stages, arrivals),
    };
    let mut rates: Vec<String> = match stages.as_slice() {
        [one] => vec![rate_words(one.rate)],
        stages => stages
            .iter()
            .take(MAX_STAGES)
            .map(|stage| {
                let rate = rate_words(stage.rate);
                format!("{rate} for {}", units::duration(stage.duration_ns))
            })
            .collect(),
    };
    if stages.len() > MAX_STAGES {
        let all = units::count(stages.len() as u64);
        rates.push(format!("... ({all} stages)"));
    }
    let arrivals = match *arrivals {
        Arrivals::Uniform => "uniform".to_owned(),
        Arrivals::Poisson => "poisson".to_owned(),
        Arrivals::Jittered { interval_ns } => {
            format!("jittered over {}", units::duration(interval_ns))
        }
    };
    format!("{} {arrivals}", rates.join(", "))
}

/// What becomes of arrivals that find too many in flight.
pub(crate) fn when_full_words(open: &OpenLoad) -> String {
    match open.when_full {
        WhenFull::Queue => "more wait".to_owned(),
        WhenFull::Drop { after_ns: 0 } => "more are dropped".to_owned(),
        WhenFull::Drop { after_ns } => {
            format!("more are dropped after {}", units::duration(after_ns))
        }
    }
}

fn rate_words(rate: Rate) -> String {
    match rate {
        Rate::Linear {
            from_per_s,
            to_per_s,
        } if from_per_s.max(to_per_s) <= 0.0 => "a pause".to_owned(),
        Rate::Linear {
            from_per_s,
            to_per_s,
        } if from_per_s.to_bits() == to_per_s.to_bits() => per_s(from_per_s),
        Rate::Linear {
            from_per_s,
            to_per_s,
        } => format!("{} to {}", per_s(from_per_s), per_s(to_per_s)),
        Rate::Random {
            min_per_s,
            max_per_s,
            every_ns,
        } => format!(
            "{} to {} drawn each {}",
            per_s(min_per_s),
            per_s(max_per_s),
            units::duration(every_ns)
        ),
    }
}

/// A rate with up to three decimals, as short as it can be.
fn per_s(rate_per_s: f64) -> String {
    let text = format!("{rate_per_s:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}/s")
}

#[cfg(test)]
mod tests {
    use docstone_model::plan::RateStage;

    use super::*;

    fn open(rates: &[(f64, f64)], arrivals: Arrivals) -> OpenLoad {
        let stage = |(from_per_s, to_per_s): &(f64, f64)| RateStage {
            duration_ns: 5_000_000_000,
            rate: Rate::Linear {
                from_per_s: *from_per_s,
                to_per_s: *to_per_s,
            },
        };
        OpenLoad {
            schedule: SchedulePlan::Rates {
                stages: rates.iter().map(stage).collect(),
                arrivals,
            },
            max_in_flight: None,
            settled_in_flight: None,
            when_full: WhenFull::Queue,
            give_up_after_ns: None,
        }
    }

    #[test]
    fn rates_read_as_they_were_written() {
        let words = |rates: &[_], arrivals| schedule_words(&open(rates, arrivals));
        assert_eq!(words(&[(0.5, 0.5)], Arrivals::Poisson), "0.5/s poisson");
        assert_eq!(
            words(&[(0.0, 100.0)], Arrivals::Uniform),
            "0/s to 100/s uniform"
        );
        let jittered = Arrivals::Jittered {
            interval_ns: 1_000_000_000,
        };
        assert_eq!(
            words(&[(50.0, 50.0), (0.0, 0.0)], jittered),
            "50/s for 5s, a pause for 5s jittered over 1s"
        );
        let many = words(&[(1.0, 1.0); 1_000], Arrivals::Uniform);
        assert!(
            many.ends_with(", 1/s for 5s, ... (1,000 stages) uniform"),
            "{many}"
        );
    }
}
