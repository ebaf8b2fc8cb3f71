//! Open load in the file: rates, stages, arrivals, and what is refused.

use docstone_model::plan::{
    Arrivals, LoadModel, OpenLoad, Rate, RateStage, SchedulePlan, Stop, WhenFull,
};

use super::parts::{PARTS, Parts, load};
use super::*;

const S: u64 = 1_000_000_000;

/// The open load of the one step, and its end.
fn open(step: &str) -> (OpenLoad, Stop) {
    let load = &format!("[{step}]");
    let plan = Parts { load, ..PARTS }.plan();
    let of_group = plan.steps[0].loads[0].clone();
    match of_group.model {
        LoadModel::Open(open) => (open, of_group.stop),
        LoadModel::Closed(_) => panic!("{step} is closed"),
    }
}

fn stages(open: &OpenLoad) -> &[RateStage] {
    match &open.schedule {
        SchedulePlan::Rates { stages, .. } => stages,
        SchedulePlan::Times { .. } => panic!("recorded times"),
    }
}

fn arrivals(step: &str) -> Arrivals {
    match open(step).0.schedule {
        SchedulePlan::Rates { arrivals, .. } => arrivals,
        SchedulePlan::Times { .. } => panic!("recorded times"),
    }
}

fn linear(from_per_s: f64, to_per_s: f64) -> Rate {
    Rate::Linear {
        from_per_s,
        to_per_s,
    }
}

#[test]
fn a_rate_and_a_duration_are_open_load_with_defaults() {
    let (open, stop) = open("{open: {rate: 50/s}, duration: 5m}");
    assert_eq!(
        open,
        OpenLoad {
            schedule: SchedulePlan::Rates {
                stages: vec![RateStage {
                    duration_ns: 300 * S,
                    rate: linear(50.0, 50.0),
                }],
                arrivals: Arrivals::Poisson,
            },
            max_in_flight: None,
            settled_in_flight: None,
            when_full: WhenFull::Queue,
            give_up_after_ns: Some(30 * S),
        }
    );
    assert_eq!((stop.duration_ns, stop.operations), (Some(300 * S), None));
}

#[test]
fn rates_have_units_and_fractions() {
    for (text, per_s) in [
        ("0.5/s", 0.5),
        ("3/min", 0.05),
        ("3/m", 0.05),
        ("7200/h", 2.0),
        ("10/5s", 2.0),
        ("2/ms", 2_000.0),
        ("1_000/s", 1_000.0),
    ] {
        let (open, _) = open(&format!("{{open: {{rate: {text}}}, duration: 1h}}"));
        assert_eq!(stages(&open)[0].rate, linear(per_s, per_s), "{text}");
    }
}

#[test]
fn rates_may_rise_fall_be_drawn_and_pause() {
    let (ramp, _) = open("{open: {rate: {from: 0/s, to: 100/s}}, duration: 1m}");
    assert_eq!(stages(&ramp)[0].rate, linear(0.0, 100.0));
    for (every, every_ns) in [("", S), (", every: 250ms", S / 4)] {
        let text = format!("{{open: {{rate: {{min: 10/s, max: 30/s{every}}}}}, duration: 1m}}");
        let random = Rate::Random {
            min_per_s: 10.0,
            max_per_s: 30.0,
            every_ns,
        };
        assert_eq!(stages(&open(&text).0)[0].rate, random);
    }
    let (staged, stop) = open(
        "{open: {stages: [{duration: 10s, rate: 50/s}, {duration: 30s, rate: {from: 50/s, to: \
         500/s}}, {duration: 5s, rate: 0/s}]}, operations: 700}",
    );
    let found: Vec<_> = stages(&staged)
        .iter()
        .map(|stage| (stage.duration_ns / S, stage.rate))
        .collect();
    assert_eq!(
        found,
        [
            (10, linear(50.0, 50.0)),
            (30, linear(50.0, 500.0)),
            (5, linear(0.0, 0.0))
        ]
    );
    assert_eq!(
        (stop.duration_ns, stop.operations),
        (Some(45 * S), Some(700))
    );
}

#[test]
fn arrivals_and_what_happens_when_full_are_chosen_by_word_or_map() {
    let with = |keys: &str| format!("{{open: {{rate: 50/s, {keys}}}, duration: 1m}}");
    for (keys, expected) in [
        ("arrivals: uniform", Arrivals::Uniform),
        ("arrivals: poisson", Arrivals::Poisson),
        ("arrivals: jittered", Arrivals::Jittered { interval_ns: S }),
        (
            "arrivals: {jittered: {interval: 5s}}",
            Arrivals::Jittered { interval_ns: 5 * S },
        ),
        (
            "arrivals: {jittered: {}}",
            Arrivals::Jittered { interval_ns: S },
        ),
    ] {
        assert_eq!(arrivals(&with(keys)), expected, "{keys}");
    }
    let drop = |after_ns| WhenFull::Drop { after_ns };
    for (keys, expected) in [
        ("when_full: queue", WhenFull::Queue),
        ("when_full: drop", drop(0)),
        ("when_full: {drop: {after: 100ms}}", drop(S / 10)),
    ] {
        assert_eq!(open(&with(keys)).0.when_full, expected, "{keys}");
    }
    for (keys, expected) in [("never", None), ("5s", Some(5 * S))] {
        let (open, _) = open(&with(&format!("give_up_after: {keys}")));
        assert_eq!(open.give_up_after_ns, expected, "{keys}");
    }
    let (open, _) = open(&with("max_in_flight: 1000"));
    assert_eq!(open.max_in_flight, Some(1_000));
}

#[test]
fn variables_stand_for_rates_and_limits() {
    let env = |name: &str| match name {
        "RATE" => Some("75/s".to_owned()),
        "LIMIT" => Some("5".to_owned()),
        _ => None,
    };
    let load = "[{open: {rate: '${RATE}', max_in_flight: '${LIMIT}'}, duration: 1s}]";
    let text = Parts { load, ..PARTS }.text();
    let plan = plan_from_text("f.yaml", &text, &Overrides::default(), &env)
        .unwrap_or_else(|error| panic!("{error}"));
    let LoadModel::Open(open) = &plan.steps[0].loads[0].model else {
        panic!("closed");
    };
    assert_eq!(open.max_in_flight, Some(5));
    assert!((open.schedule.max_rate_per_s() - 75.0).abs() < f64::EPSILON);
}

/// Steps with one mistake, and what the message says.
const WRONG: [(&str, &str); 39] = [
    ("{open: {rate: 50}, duration: 1s}", "write `50/s`"),
    ("{open: {rate: 0.5}, duration: 1s}", "write `0.5/s`"),
    ("{open: {rate: fast}, duration: 1s}", "`fast` is not a rate"),
    ("{open: {rate: [5/s]}, duration: 1s}", "such as `50/s`"),
    ("{open: {rate: -5/s}, duration: 1s}", "is below 0"),
    ("{open: {rate: inf/s}, duration: 1s}", "is not a rate"),
    (
        "{open: {rate: 2e7/s}, duration: 1s}",
        "at most 10_000_000/s",
    ),
    ("{open: {rate: 0/s}, duration: 1s}", "nothing ever arrives"),
    (
        "{open: {rate: 1/m}, duration: 20s}",
        "too short for its rate: only 0.33",
    ),
    (
        "{open: {rate: 1e7/s}, duration: 90y}",
        "operations would arrive",
    ),
    (
        "{open: {rate: {from: 5/s}}, duration: 1s}",
        "missing key `to`",
    ),
    (
        "{open: {rate: {to: 5/s}}, duration: 1s}",
        "missing key `from`",
    ),
    (
        "{open: {rate: {min: 5/s}}, duration: 1s}",
        "missing key `max`",
    ),
    ("{open: {rate: {}}, duration: 1s}", "the rate is empty"),
    (
        "{open: {rate: {from: 1/s, to: 2/s, max: 3/s}}, duration: 1s}",
        "exclude each other",
    ),
    (
        "{open: {rate: {from: 1/s, tto: 2/s}}, duration: 1s}",
        "did you mean `to`?",
    ),
    (
        "{open: {rate: {min: 9/s, max: 3/s}}, duration: 1s}",
        "`min` is above `max`",
    ),
    (
        "{open: {rate: {min: 1/s, max: 3/s, every: 1us}}, duration: 1s}",
        "at least 1ms",
    ),
    ("{open: {rate: 5/s}}", "missing key `duration`"),
    (
        "{open: {rate: 5/s}, operations: 5}",
        "missing key `duration`",
    ),
    ("{open: {rate: 5/s}, duration: 50ms}", "at least 100ms"),
    (
        "{open: {rate: 5/s, max_in_flight: 0}, duration: 1s}",
        "1 to 100000, not 0",
    ),
    (
        "{open: {rate: 5/s, max_in_flight: 100001}, duration: 1s}",
        "1 to 100000, not 100001",
    ),
    (
        "{open: {rate: 5/s, max_in_flight: -1}, duration: 1s}",
        "from 1 to 100000",
    ),
    (
        "{open: {rate: 5/s, arrivals: poison}, duration: 1s}",
        "did you mean `poisson`?",
    ),
    (
        "{open: {rate: 5/s, arrivals: {jitter: {}}}, duration: 1s}",
        "did you mean `jittered`?",
    ),
    (
        "{open: {rate: 5/s, when_full: dorp}, duration: 1s}",
        "did you mean `drop`?",
    ),
    (
        "{open: {rate: 5/s, give_up_after: 0s}, duration: 1s}",
        "`give_up_after: never`",
    ),
    (
        "{open: {rate: 5/s, stages: []}, duration: 1s}",
        "`rate` and `stages` exclude",
    ),
    (
        "{open: {}, duration: 1s}",
        "nothing says when operations are due",
    ),
    ("{open: ~, duration: 1s}", "`open` is empty"),
    ("{opne: {rate: 5/s}, duration: 1s}", "did you mean `open`?"),
    ("{open: {stages: []}}", "`stages` has no stage"),
    (
        "{open: {stages: [{duration: 1s, rate: 5/s}]}, duration: 1s}",
        "add up",
    ),
    ("{open: {stages: [{rate: 5/s}]}}", "missing key `duration`"),
    ("{open: {stages: [{duration: 1s}]}}", "missing key `rate`"),
    (
        "{open: {stages: [{duration: 0s, rate: 5/s}]}}",
        "must be above 0",
    ),
    (
        "{open: {stages: [{duration: 9ms, rate: 500/s}]}}",
        "at least 100ms",
    ),
    (
        "{open: {rate: 5/s}, closed: {concurrency: 1}, duration: 1s}",
        "`closed` and `open` exclude",
    ),
];

#[test]
fn each_mistake_has_one_message_with_its_line() {
    for (step, expected) in WRONG {
        let message = load(&format!("[{step}]"));
        assert!(message.starts_with("f.yaml:4: "), "{step}: {message}");
        assert!(message.contains(expected), "{step}: {message}");
    }
}

#[test]
fn mistakes_of_open_load_are_told_at_once_with_their_places() {
    let text = "target: private
operations: {o: {count: {collection: c}}}
data: {c: {count: 0}}
load:
  - {open: {rate: 50, arrivals: poison, max_in_flight: 0, give_up_after: soon}}
  - open:
      stages:
        - {duration: 10s, rate: {from: 5/s}}
        - {rate: 5/s}
      when_full: {drop: {affter: 1s}}
  - {open: {rate: 5/s}, closed: {concurrency: 8}, duration: 1s}
";
    let error = plan_from_text("f.yaml", text, &Overrides::default(), &no_env).expect_err("bad");
    insta::assert_snapshot!(error);
}

#[test]
fn groups_of_one_step_may_be_open_and_closed() {
    let text = "target: private
operations: {o: {count: {collection: c}}}
data: {c: {count: 0}}
groups:
  steady: {load: [{open: {rate: 50/s, max_in_flight: 60_000}, duration: 10s}]}
  more: {load: [{closed: {concurrency: 40_000}, duration: 10s}]}
";
    let models: Vec<bool> = plan(text).steps[0]
        .loads
        .iter()
        .map(|load| load.model.is_open())
        .collect();
    assert_eq!(models, [true, false]);
    let more = text.replace("40_000", "40_001");
    let messages = messages(&more, &Overrides::default());
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].contains("100001 operations in flight"),
        "{messages:?}"
    );
}

#[test]
fn the_schema_takes_the_forms_of_open_load_and_no_others() {
    let schema = workload_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let fits = |step: &str| {
        let load = &format!("[{step}]");
        let text = Parts { load, ..PARTS }.text();
        let json: serde_json::Value = serde_saphyr::from_str(&text).expect("YAML");
        validator.is_valid(&json)
    };
    for step in [
        "{open: {rate: 50/s, arrivals: uniform, max_in_flight: 1000}, duration: 5m}",
        "{open: {rate: {from: 0/s, to: 100/s}, when_full: queue}, duration: 1m}",
        "{open: {rate: {min: 10/s, max: 30/s, every: 1s}, when_full: drop}, duration: 1m}",
        "{open: {stages: [{duration: 5s, rate: 0/s}], arrivals: {jittered: {interval: 5s}}}}",
        "{open: {rate: 5/s, when_full: {drop: {after: 1s}}, give_up_after: never}, duration: 5m}",
        "{open: {trace: arrivals.csv}}",
        "{open: {trace: {rates: rates.csv}}, duration: 5m}",
    ] {
        assert!(fits(step), "{step}");
    }
    for step in [
        "{duration: 1s}",
        "{open: {}}",
        "{open: {rate: 50}, duration: 1s}",
        "{open: {rate: {from: 5/s}}, duration: 1s}",
        "{open: {rate: {from: 5/s, to: 6/s, every: 1s}}, duration: 1s}",
        "{open: {rate: 5/s, trace: a.csv}, duration: 1s}",
        "{open: {rate: 5/s, arrivals: poison}, duration: 1s}",
        "{open: {rate: 5/s, max_in_flight: 0}, duration: 1s}",
        "{open: {rate: 5/s, rte: 5}, duration: 1s}",
        "{open: {stages: []}}",
        "{open: {stages: [{rate: 5/s}]}}",
        "{open: {stages: [{duration: 5s, rate: 5/s}]}, duration: 1s}",
        "{open: {rate: 5/s}, closed: {concurrency: 1}, duration: 1s}",
    ] {
        assert!(!fits(step), "{step}");
    }
}
