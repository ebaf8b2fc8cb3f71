//! Closed load in the file: workers, their pauses, and what is refused.

use docstone_model::plan::{ClosedLoad, LoadModel, Stop, ThinkTime};

use super::parts::{PARTS, Parts, load};

const S: u64 = 1_000_000_000;
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
fn workers_may_come_go_and_pause() {
    let stages = |step: &str| {
        let (closed, stop) = closed(step);
        let stages: Vec<_> = closed
            .stages
            .iter()
            .map(|stage| (stage.duration_ns / S, stage.from, stage.to))
            .collect();
        (closed.concurrency, stages, stop)
    };
    let until = |seconds: u64, operations| Stop {
        duration_ns: Some(seconds * S),
        operations,
    };
    assert_eq!(
        stages("{closed: {concurrency: {from: 0, to: 64}}, duration: 30s, operations: 9}"),
        (64, vec![(30, 0, 64)], until(30, Some(9)))
    );
    assert_eq!(
        stages(
            "{closed: {stages: [{duration: 30s, concurrency: {from: 8, to: 64}}, {duration: 1m, \
             concurrency: 32}, {duration: 10s, concurrency: 0}]}}"
        ),
        (
            64,
            vec![(30, 8, 64), (60, 32, 32), (10, 0, 0)],
            until(100, None)
        )
    );
    assert_eq!(
        stages("{closed: {concurrency: 8}, duration: 30s}"),
        (8, vec![], until(30, None))
    );
}

#[test]
fn workers_that_cannot_be_are_refused_with_their_place_and_cure() {
    for (step, expected) in [
        (
            "{closed: {concurrency: {from: 0, to: 8}}}",
            "missing key `duration`",
        ),
        (
            "{closed: {concurrency: {from: 0, to: 8}}, operations: 5}",
            "missing key `duration`",
        ),
        (
            "{closed: {concurrency: {from: 1}}, duration: 1s}",
            "missing key `to`",
        ),
        (
            "{closed: {concurrency: {form: 1, to: 5}}, duration: 1s}",
            "did you mean `from`?",
        ),
        (
            "{closed: {concurrency: {from: 0, to: 0}}, duration: 1s}",
            "nobody ever works",
        ),
        (
            "{closed: {concurrency: {from: 0, to: 100001}}, duration: 1s}",
            "`to` must be 0 to 100000",
        ),
        ("{closed: {stages: []}}", "`stages` has no stage"),
        ("{closed: {stages: ~}}", "`stages` is empty"),
        ("{closed: {stages: [~]}}", "expected a stage"),
        (
            "{closed: {stages: [{duration: 1s}]}}",
            "missing key `concurrency`",
        ),
        (
            "{closed: {stages: [{concurrency: 1}]}}",
            "missing key `duration`",
        ),
        (
            "{closed: {stages: [{duration: 0s, concurrency: 1}]}}",
            "must be above 0",
        ),
        (
            "{closed: {stages: [{duration: 9ms, concurrency: 1}]}}",
            "at least 100ms together",
        ),
        (
            "{closed: {stages: [{duration: 1s, concurrency: 0}]}}",
            "nobody ever works",
        ),
        (
            "{closed: {stages: [{duration: 1s, concurrency: 1}], concurrency: 1}}",
            "exclude each other",
        ),
        (
            "{closed: {stages: [{duration: 1s, concurrency: 1}]}, duration: 1s}",
            "exclude each other",
        ),
        (
            "{closed: {stages: [{duration: 1s, concurrency: 1}], think_tim: 1s}}",
            "did you mean `think_time`?",
        ),
    ] {
        let message = load(&format!("[{step}]"));
        assert!(message.contains(expected), "{step}: {message}");
        assert!(message.contains("f.yaml:4"), "{step}: {message}");
    }
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
