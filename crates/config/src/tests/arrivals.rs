//! Steps of open load in which nothing arrives.

use super::parts::{PARTS, Parts, load};

fn step(rate: &str, arrivals: &str, duration: &str) -> String {
    format!("[{{open: {{rate: {rate}, arrivals: {arrivals}}}, duration: {duration}}}]")
}

#[test]
fn a_step_in_which_uniform_or_jittered_arrivals_are_none_is_refused() {
    for (rate, arrivals, duration, only) in [
        ("0.9/s", "jittered", "1s", "0.9"),
        ("0.19/s", "jittered", "5s", "0.95"),
        ("0.9999/s", "jittered", "1s", "0.99"),
        (
            "{from: 0/s, to: 1.8/s}",
            "{jittered: {interval: 200ms}}",
            "1s",
            "0.9",
        ),
        ("0.5/s", "uniform", "1s", "0.5"),
        ("{from: 1/s, to: 0/s}", "uniform", "1s", "0.5"),
    ] {
        let message = load(&step(rate, arrivals, duration));
        let expected = format!("too short for its rate: only {only} arrivals");
        assert!(message.contains(&expected), "{rate} {arrivals}: {message}");
        assert!(message.contains("make the rate higher"), "{message}");
    }
}

#[test]
fn a_step_in_which_something_arrives_or_may_arrive_is_not_refused() {
    for (rate, arrivals, duration) in [
        ("1/s", "jittered", "1s"),
        ("0.1/s", "jittered", "10s"),
        ("{min: 0/s, max: 1.9/s}", "jittered", "1s"),
        ("0.51/s", "uniform", "1s"),
        ("0.5/s", "poisson", "1s"),
        ("0.9/s", "poisson", "1s"),
    ] {
        let load = &step(rate, arrivals, duration);
        let plan = Parts { load, ..PARTS }.plan();
        assert_eq!(plan.steps.len(), 1, "{rate} {arrivals}");
    }
}
