//! Known answers and properties of schedules.

use docstone_model::plan::{Rate, RateStage};
use proptest::prelude::*;

use super::*;

const S: u64 = 1_000_000_000;
const ALL: Share = Share { first: 0, step: 1 };

fn ns(seconds: f64) -> u64 {
    curve::whole(seconds * 1e9)
}

fn stage(seconds: f64, from_per_s: f64, to_per_s: f64) -> RateStage {
    RateStage {
        duration_ns: ns(seconds),
        rate: Rate::Linear {
            from_per_s,
            to_per_s,
        },
    }
}

fn rates(stages: &[RateStage], arrivals: Arrivals) -> SchedulePlan {
    SchedulePlan::Rates {
        stages: stages.to_vec(),
        arrivals,
    }
}

fn key(seed: u64) -> StreamKey {
    StreamKey::new(seed).text("schedule")
}

fn times_ns(plan: &SchedulePlan, seed: u64) -> Vec<u64> {
    let arrivals = Schedule::new(plan, key(seed), ALL);
    arrivals.map(|arrival| arrival.intended_ns).collect()
}

fn in_each_second(times_ns: &[u64], seconds: u64) -> Vec<usize> {
    let in_second = |second| times_ns.iter().filter(|t| **t / S == second).count();
    (0..seconds).map(in_second).collect()
}

const JITTERED: Arrivals = Arrivals::Jittered { interval_ns: S };

#[test]
fn half_an_arrival_a_second_is_five_in_ten_seconds() {
    let uniform = rates(&[stage(10.0, 0.5, 0.5)], Arrivals::Uniform);
    assert_eq!(times_ns(&uniform, 1), [S, 3 * S, 5 * S, 7 * S, 9 * S]);
    let jittered = rates(&[stage(10.0, 0.5, 0.5)], JITTERED);
    assert_eq!(times_ns(&jittered, 1).len(), 5);
}

#[test]
fn uniform_arrivals_do_not_drift_in_a_day() {
    // A third of a second is no whole number of nanoseconds.
    let plan = rates(&[stage(86_400.0, 3.0, 3.0)], Arrivals::Uniform);
    let mut arrivals = Schedule::new(&plan, key(1), ALL);
    let last = arrivals.by_ref().last().expect("some");
    assert_eq!(last.number, 3 * 86_400 - 1);
    let exact_ns = 86_400 * S - S / 6;
    assert!(last.intended_ns.abs_diff(exact_ns) <= 1, "{last:?}");
}

#[test]
fn a_million_a_second_are_a_million() {
    let plan = rates(&[stage(1.0, 1e6, 1e6)], Arrivals::Uniform);
    let times = times_ns(&plan, 1);
    assert_eq!(times.len(), 1_000_000);
    assert_eq!((times[0], times[1]), (500, 1_500));
}

#[test]
fn a_ramp_from_and_to_nothing_has_the_area_under_it() {
    let plan = rates(
        &[stage(10.0, 0.0, 100.0), stage(10.0, 100.0, 0.0)],
        Arrivals::Uniform,
    );
    let times = times_ns(&plan, 1);
    assert_eq!(times.len(), 1_000);
    // The count after t seconds of the ramp is 5 t^2: the 320th half falls at 8 s.
    assert_eq!(
        times.iter().filter(|t| **t < 8 * S).count(),
        320,
        "the area up to 8 s"
    );
    // The ramps are each other's mirror image.
    for (up, down) in times.iter().zip(times.iter().rev()) {
        assert!((up + down).abs_diff(20 * S) <= 2, "{up} {down}");
    }
}

#[test]
fn what_is_left_of_an_arrival_at_the_end_of_a_stage_goes_on_in_the_next() {
    let plan = rates(
        &[
            stage(1.0, 0.4, 0.4),
            stage(1.0, 0.4, 0.4),
            stage(1.0, 0.4, 0.4),
        ],
        Arrivals::Uniform,
    );
    assert_eq!(times_ns(&plan, 1), [S + S / 4]);
}

#[test]
fn nothing_arrives_in_a_pause() {
    let stages = [
        stage(2.0, 50.0, 50.0),
        stage(3.0, 0.0, 0.0),
        stage(1.0, 50.0, 50.0),
    ];
    for arrivals in [Arrivals::Uniform, Arrivals::Poisson, JITTERED] {
        let times = times_ns(&rates(&stages, arrivals), 7);
        let paused = times.iter().filter(|t| (2 * S..5 * S).contains(*t)).count();
        assert_eq!(paused, 0, "{arrivals:?}");
        assert!(times.iter().any(|t| *t >= 5 * S), "{arrivals:?}");
    }
}

#[test]
fn jittered_arrivals_are_exactly_the_rate_in_each_interval() {
    let plan = rates(&[stage(10.0, 50.0, 50.0)], JITTERED);
    let times = times_ns(&plan, 3);
    assert_eq!(in_each_second(&times, 10), vec![50; 10]);
    assert!(times.is_sorted());
    let first = times.iter().filter(|t| **t % S < S / 2).count();
    assert!(
        (200..300).contains(&first),
        "even over the interval: {first}"
    );
}

#[test]
fn jittered_arrivals_stop_with_a_last_interval_that_is_cut_off() {
    let plan = rates(&[stage(1.5, 10.0, 10.0)], JITTERED);
    let times = times_ns(&plan, 3);
    assert_eq!(times.len(), 15);
    assert!(times.iter().all(|t| *t < 3 * S / 2));
}

#[test]
fn poisson_arrivals_have_mean_and_spread_of_exponential_distances() {
    let plan = rates(&[stage(200.0, 500.0, 500.0)], Arrivals::Poisson);
    let times = times_ns(&plan, 11);
    let n = times.len() as f64;
    // Five standard deviations of a Poisson count of mean 100,000.
    assert!((n - 100_000.0).abs() < 5.0 * 100_000_f64.sqrt(), "{n}");
    let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    let spread = variance.sqrt() / mean;
    assert!((0.97..1.03).contains(&spread), "{spread}");
}

#[test]
fn a_rate_that_is_drawn_anew_stays_within_its_bounds_and_differs() {
    let random = RateStage {
        duration_ns: 20 * S + S / 2,
        rate: Rate::Random {
            min_per_s: 10.0,
            max_per_s: 30.0,
            every_ns: S,
        },
    };
    let plan = rates(&[random], JITTERED);
    let counts = in_each_second(&times_ns(&plan, 5), 20);
    assert!(counts.iter().all(|n| (9..=31).contains(n)), "{counts:?}");
    assert!(counts.iter().any(|n| *n != counts[0]), "{counts:?}");
}

#[test]
fn recorded_times_are_kept_to_the_nanosecond() {
    let plan = SchedulePlan::Times {
        times_ns: vec![0, 5, 5, 1_000],
        duration_ns: S,
    };
    assert_eq!(times_ns(&plan, 1), [0, 5, 5, 1_000]);
}

fn arrivals() -> impl Strategy<Value = Arrivals> {
    prop_oneof![
        Just(Arrivals::Uniform),
        Just(Arrivals::Poisson),
        (1_000_000..3 * S).prop_map(|interval_ns| Arrivals::Jittered { interval_ns }),
    ]
}

fn stages() -> impl Strategy<Value = Vec<RateStage>> {
    let linear = (0.001..5.0, 0.0..800.0, 0.0..800.0)
        .prop_map(|(seconds, from, to)| stage(seconds, from, to));
    let random = (0.001..5.0, 0.0..300.0, 0.0..500.0, 1_000_000..3 * S).prop_map(
        |(seconds, min_per_s, more, every_ns): (f64, f64, f64, u64)| RateStage {
            duration_ns: ns(seconds),
            rate: Rate::Random {
                min_per_s,
                max_per_s: min_per_s + more,
                every_ns,
            },
        },
    );
    prop::collection::vec(prop_oneof![3 => linear, 1 => random], 1..5)
}

proptest! {
    #[test]
    fn shares_together_are_the_whole_and_none_takes_anothers(
        stages in stages(), arrivals in arrivals(), seed: u64, shares in 1_u64..9,
    ) {
        let plan = rates(&stages, arrivals);
        let whole: Vec<Arrival> = Schedule::new(&plan, key(seed), ALL).collect();
        let mut parts: Vec<Arrival> = (0..shares)
            .flat_map(|first| Schedule::new(&plan, key(seed), Share { first, step: shares }))
            .collect();
        parts.sort_by_key(|arrival| arrival.number);
        prop_assert_eq!(whole, parts);
    }

    #[test]
    fn intended_starts_never_fall_and_lie_within_the_duration(
        stages in stages(), arrivals in arrivals(), seed: u64,
    ) {
        let plan = rates(&stages, arrivals);
        let times = times_ns(&plan, seed);
        prop_assert!(times.is_sorted());
        prop_assert!(times.iter().all(|t| *t < plan.duration_ns()));
    }

    #[test]
    fn uniform_and_jittered_counts_are_the_area_under_linear_rates(
        parts in prop::collection::vec((0.001..5.0, 0.0..800.0, 0.0..800.0), 1..5), jittered: bool,
    ) {
        let stages: Vec<_> = parts.iter().map(|(s, from, to)| stage(*s, *from, *to)).collect();
        let area: f64 = parts.iter().map(|(s, from, to)| s * (from + to) / 2.0).sum();
        let arrivals = if jittered { JITTERED } else { Arrivals::Uniform };
        let count = times_ns(&rates(&stages, arrivals), 1).len() as f64;
        prop_assert!((count - area).abs() <= 1.001, "{} against {}", count, area);
    }

    #[test]
    fn another_seed_gives_other_poisson_arrivals_and_the_same_seed_the_same(seed: u64) {
        let plan = rates(&[stage(1.0, 100.0, 100.0)], Arrivals::Poisson);
        prop_assert_eq!(times_ns(&plan, seed), times_ns(&plan, seed));
        prop_assert_ne!(times_ns(&plan, seed), times_ns(&plan, seed.wrapping_add(1)));
    }
}
