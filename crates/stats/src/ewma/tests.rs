//! Tests of `ewma`.

use proptest::prelude::*;

use super::RateMeter;

const ALPHAS: [f64; 3] = [
    0.079_955_585_370_676_71,
    0.016_528_546_178_382_51,
    0.005_540_151_995_103_271,
];

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * one.abs().max(other.abs()).max(1.0)
}

fn rates(meter: &RateMeter) -> [f64; 3] {
    [
        meter.m1_ops_per_s(),
        meter.m5_ops_per_s(),
        meter.m15_ops_per_s(),
    ]
}

#[test]
fn weights_are_those_of_dropwizard() {
    let meter = RateMeter::new();
    for (rate, alpha) in meter.rates.iter().zip(ALPHAS) {
        assert!((rate.alpha - alpha).abs() < 1e-15, "{} {alpha}", rate.alpha);
    }
}

#[test]
fn the_first_tick_sets_all_rates_to_the_mean() {
    let mut meter = RateMeter::new();
    meter.mark(3);
    meter.advance(4.999);
    assert!(rates(&meter).iter().all(|&rate| rate == 0.0));
    meter.advance(5.0);
    assert!(rates(&meter).iter().all(|&rate| close(rate, 0.6)));
}

#[test]
fn rates_decay_as_the_published_tables_say() {
    // Three events in the first 5 s, then none: the rates after 1, 5 and 15 minutes.
    let mut meter = RateMeter::new();
    meter.mark(3);
    meter.advance(5.0);
    meter.advance(65.0);
    assert!((meter.m1_ops_per_s() - 0.220_727_66).abs() < 1e-8);
    assert!((meter.m5_ops_per_s() - 0.491_238_45).abs() < 1e-8);
    assert!((meter.m15_ops_per_s() - 0.561_304_19).abs() < 1e-8);
    meter.advance(905.0);
    assert!((meter.m1_ops_per_s() - 0.000_000_18).abs() < 1e-8);
    assert!((meter.m5_ops_per_s() - 0.029_872_24).abs() < 1e-8);
    assert!((meter.m15_ops_per_s() - 0.220_727_66).abs() < 1e-8);
}

#[test]
fn a_later_tick_moves_the_rate_by_its_weight() {
    let mut meter = RateMeter::new();
    meter.mark(500);
    meter.advance(5.0);
    meter.mark(1_000);
    meter.advance(10.0);
    for (rate, alpha) in rates(&meter).into_iter().zip(ALPHAS) {
        assert!(close(rate, 100.0 + alpha * 100.0));
    }
}

#[test]
fn the_mean_counts_all_events() {
    let mut meter = RateMeter::new();
    assert!(close(meter.mean_ops_per_s(0.0), 0.0));
    meter.mark(10);
    meter.advance(5.0);
    meter.mark(20);
    assert!(close(meter.mean_ops_per_s(6.0), 5.0));
}

#[test]
fn a_time_that_is_none_changes_nothing() {
    let mut meter = RateMeter::new();
    meter.mark(10);
    for elapsed_s in [-7.0, f64::NAN, f64::NEG_INFINITY, f64::INFINITY] {
        meter.advance(elapsed_s);
    }
    assert_eq!(meter.ticks, 0);
}

proptest! {
    #[test]
    fn a_long_silence_is_many_short_ones(events in 1_u64..1_000_000, silence in 0_u32..500) {
        let mut step_by_step = RateMeter::new();
        step_by_step.mark(events);
        for second in 0..=5 + silence {
            step_by_step.advance(f64::from(second));
        }
        let mut at_once = RateMeter::new();
        at_once.mark(events);
        at_once.advance(f64::from(5 + silence));
        for (one, other) in rates(&step_by_step).into_iter().zip(rates(&at_once)) {
            prop_assert!((one - other).abs() <= 1e-9 * one.abs());
        }
    }

    #[test]
    fn rates_stay_between_the_least_and_the_most(per_tick in prop::collection::vec(0_u64..1000, 1..60)) {
        let mut meter = RateMeter::new();
        for (tick, &events) in per_tick.iter().enumerate() {
            meter.mark(events);
            meter.advance((tick + 1) as f64 * 5.0);
        }
        let least = *per_tick.iter().min().unwrap() as f64 / 5.0;
        let most = *per_tick.iter().max().unwrap() as f64 / 5.0;
        for rate in rates(&meter) {
            prop_assert!((least - 1e-9..=most + 1e-9).contains(&rate));
        }
    }
}
