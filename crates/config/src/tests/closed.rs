//! Closed load in the file: workers, their pauses, and what is refused.

use docstone_model::plan::{ClosedLoad, LoadModel, Stop, ThinkTime};

use super::parts::{PARTS, Parts, load};

const MS: u64 = 1_000_000;

/// The closed load of the one step, and its end.
fn closed(step: &str) -> (ClosedLoad, Stop) {
    let load = &format!("[{step}]");
    let plan = Parts { load, ..PARTS }.plan();
    let of_group = plan.steps[0].loads[0].clone();
    match of_group.model {
        LoadModel::Closed(closed) => (closed, of_group.stop),
        LoadModel::Open(_) => panic!("{step} is open"),
    }
}

/// The one message that a step of this `closed` gives.
fn wrong(closed: &str) -> String {
    load(&format!("[{{closed: {closed}, duration: 1s}}]"))
}

#[test]
fn a_think_time_is_constant_exponential_or_even() {
    let think_time = |text: &str| {
        let step = format!("{{closed: {{concurrency: 1{text}}}, duration: 1s}}");
        closed(&step).0.think_time
    };
    for (text, expected) in [
        ("", ThinkTime::None),
        (", think_time: 0s", ThinkTime::None),
        (", think_time: 10ms", ThinkTime::Constant { ns: 10 * MS }),
        (
            ", think_time: {exponential: 10ms}",
            ThinkTime::Exponential { mean_ns: 10 * MS },
        ),
        (
            ", think_time: {min: 5ms, max: 15ms}",
            ThinkTime::Uniform {
                min_ns: 5 * MS,
                max_ns: 15 * MS,
            },
        ),
        (
            ", think_time: {min: 5ms, max: 5ms}",
            ThinkTime::Constant { ns: 5 * MS },
        ),
    ] {
        assert_eq!(think_time(text), expected, "{text}");
    }
}

#[test]
fn a_think_time_that_cannot_be_is_refused_with_its_cure() {
    for (think_time, expected) in [
        ("10", "`10` has no unit"),
        ("{}", "the think time is empty"),
        ("{exponential: 0s}", "must be above 0"),
        ("{exponential: 5}", "`5` has no unit"),
        ("{exponential: ~}", "`exponential` is empty"),
        ("{exponentail: 5ms}", "did you mean `exponential`?"),
        ("{min: 5ms}", "missing key `max`"),
        ("{max: 5ms}", "missing key `min`"),
        ("{min: 9ms, max: 5ms}", "`min` is above `max`"),
        ("{exponential: 5ms, max: 5ms}", "exclude each other"),
    ] {
        let message = wrong(&format!("{{concurrency: 1, think_time: {think_time}}}"));
        assert!(message.contains(expected), "{think_time}: {message}");
    }
}
