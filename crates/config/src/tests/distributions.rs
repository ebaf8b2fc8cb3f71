//! Distributions of numbers and keys, as they are written and as they are wrong.

use docstone_model::Template;
use docstone_model::template::{Distribution, Generator, KeyDistribution, WorkingSet};

use super::parts::{PARTS, Parts};
use super::{Overrides, no_env, plan_from_text};

fn finding(value: &str) -> String {
    format!("{{o: {{find_one: {{collection: c, filter: {{_id: {value}}}}}}}}}")
}

fn read(value: &str) -> Generator {
    let operations = finding(value);
    let plan = Parts {
        operations: &operations,
        ..PARTS
    }
    .plan();
    let filter = plan.operations[0].kind.filter().expect("a find");
    match filter.field("_id") {
        Some(Template::Generator(generator)) => generator.clone(),
        other => panic!("{other:?}"),
    }
}

/// All mistakes, as they are shown.
fn wrong(value: &str) -> String {
    Parts {
        operations: &finding(value),
        ..PARTS
    }
    .mistakes()
}

#[test]
fn a_distribution_is_a_name_or_a_name_with_arguments() {
    let key = |written: &str| match read(&format!("{{$key: {{distribution: {written}}}}}")) {
        Generator::Key { distribution, .. } => distribution,
        other => panic!("{other:?}"),
    };
    assert_eq!(key("zipfian"), KeyDistribution::Zipfian { theta: 0.99 });
    assert_eq!(
        key("{zipfian: {theta: 0.8}}"),
        KeyDistribution::Zipfian { theta: 0.8 }
    );
    assert_eq!(key("{latest: }"), KeyDistribution::Latest { theta: 0.99 });
    assert_eq!(key("sequential"), KeyDistribution::Sequential);
    assert_eq!(
        key("{hotspot: {keys: 0.1, draws: 1}}"),
        KeyDistribution::Hotspot {
            keys: 0.1,
            draws: 1.0
        }
    );
    let number = read("{$int: {min: 1, max: 9, distribution: {normal: {mean: 3}}}}");
    let Generator::Int { distribution, .. } = number else {
        panic!("{number:?}");
    };
    let normal = Distribution::Normal {
        mean: Some(3.0),
        stddev: None,
    };
    assert_eq!(distribution, normal);
}

#[test]
fn a_working_set_is_a_share_of_the_first_or_of_the_last() {
    let set = |written: &str| match read(&format!("{{$key: {{working_set: {written}}}}}")) {
        Generator::Key { working_set, .. } => working_set,
        other => panic!("{other:?}"),
    };
    assert_eq!(set("0.1"), Some(WorkingSet::First(0.1)));
    assert_eq!(set("{last: 1}"), Some(WorkingSet::Last(1.0)));
}

/// A value, what is marked in it, the message, and the cure.
const WRONG: [[&str; 4]; 17] = [
    [
        "{$key: {distribution: zipfain}}",
        "zipfain",
        "unknown `distribution` of `$key`: `zipfain`",
        "did you mean `zipfian`?",
    ],
    [
        "{$key: {distribution: {hotspt: {}}}}",
        "hotspt",
        "unknown `distribution` of `$key`: `hotspt`",
        "did you mean `hotspot`?",
    ],
    [
        "{$key: {distribution: normal}}",
        "normal",
        "unknown `distribution` of `$key`: `normal`",
        "known here: uniform, zipfian, scrambled_zipfian, latest, hotspot, exponential, \
             sequential",
    ],
    [
        "{$int: {distribution: latest}}",
        "latest",
        "unknown `distribution` of `$int`: `latest`",
        "known here: uniform, normal, exponential, zipfian",
    ],
    [
        "{$key: {distribution: {zipfian: {tetha: 1}}}}",
        "tetha",
        "`zipfian` has no argument `tetha`",
        "did you mean `theta`?",
    ],
    [
        "{$key: {distribution: {zipfian: {theta: 0}}}}",
        "0",
        "`theta` must be above 0 and at most 10, not 0",
        "",
    ],
    [
        "{$key: {distribution: {zipfian: {theta: hot}}}}",
        "hot",
        "`theta` of `$key`: expected a number, found text",
        "",
    ],
    [
        "{$key: {distribution: {hotspot: {keys: 1.5}}}}",
        "1.5",
        "`keys` is a share: it must be above 0 and at most 1 (all), not 1.5",
        "",
    ],
    [
        "{$key: {distribution: {exponential: {draws: 1}}}}",
        "1",
        "`draws` must be below 1",
        "`hotspot` can have all of them",
    ],
    [
        "{$key: {distribution: {uniform: {a: 1}}}}",
        "{uniform: {a: 1}}",
        "expected a name without arguments",
        "",
    ],
    [
        "{$key: {distribution: {latest: {}, zipfian: {}}}}",
        "{latest: {}, zipfian: {}}",
        "expected a map with one name",
        "",
    ],
    [
        "{$key: {distribution: 5}}",
        "5",
        "expected text, or a map with one name",
        "",
    ],
    [
        "{$key: {working_set: 0}}",
        "0",
        "`working_set` is a share: it must be above 0",
        "",
    ],
    [
        "{$key: {working_set: {lst: 0.1}}}",
        "lst",
        "unknown `working_set` of `$key`: `lst`",
        "did you mean `last`?",
    ],
    [
        "{$int: {min: 1, max: 9, distribution: {normal: {mean: 10}}}}",
        "10",
        "`mean` must lie between `min` (1) and `max` (9), not at 10",
        "",
    ],
    [
        "{$int: {max: 9_007_199_254_740_992, distribution: zipfian}}",
        "zipfian",
        "needs fewer than 9007199254740992 (2^53)",
        "move `min` and `max` together",
    ],
    [
        "{$int: {min: 2, max: 1, distribution: zipfian}}",
        "{min: 2",
        "`min` (2) must not be above `max` (1)",
        "",
    ],
];

#[test]
fn what_is_wrong_with_a_distribution_is_shown_where_it_stands() {
    for [value, marked, message, cure] in WRONG {
        let text = wrong(value);
        assert!(text.contains(message), "{value}\n{text}");
        assert!(text.contains(cure), "{value}\n{text}");
        let line = text.lines().find(|line| line.contains(value));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        let marks = text.lines().filter_map(|line| line.find('^')).next_back();
        let marks = marks.expect("it is marked");
        let under = line.get(marks..).unwrap_or_default();
        assert!(under.starts_with(marked), "{value}\n{text}");
    }
}

#[test]
fn several_wrong_distributions_are_shown_at_once() {
    let text = wrong(
        "{$in: [{$key: {distribution: zip}}, {$int: {distribution: {zipfian: {theta: 11}}}}, \
         {$key: {working_set: 2}}]}",
    );
    for message in ["`zip`", "`theta` must be", "`working_set` is a share"] {
        assert!(text.contains(message), "{text}");
    }
}

/// The mistakes of a file that inserts documents with these `_id`s and finds one by a `$key`.
fn growing(ids: &[&str], key: &str) -> Result<(), String> {
    let inserts: Vec<String> = (0..)
        .zip(ids)
        .map(|(number, id)| {
            format!("i{number}: {{insert_one: {{collection: c, document: {{_id: {id}}}}}}}, ")
        })
        .collect();
    let inserts = inserts.concat();
    let operations = format!(
        "{{{inserts}find: {{find_one: {{collection: c, filter: {{_id: {{$key: {key}}}}}}}}}}}"
    );
    let text = Parts {
        data: "{c: {count: 10, document: {fields: {_id: {$sequence: {}}}}}}",
        operations: &operations,
        scenario: "{mix: {find: 1}}",
        ..PARTS
    }
    .text();
    match plan_from_text("f.yaml", &text, &Overrides::default(), &no_env) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.render(false)),
    }
}

#[test]
fn inserted_documents_are_drawn_where_their_id_follows_from_their_number() {
    let sequence = "{$sequence: {}}";
    for key in ["{distribution: latest}", "{inserted: true}"] {
        assert_eq!(growing(&[sequence, sequence], key), Ok(()));
        let text = growing(&["{$now: {}}"], key).expect_err("unknown");
        assert!(text.contains("what `i0` inserts"), "{text}");
        assert!(text.contains("`inserted: false` here"), "{text}");
        let text = growing(&[sequence, "{$uuid: {}}"], key).expect_err("two ways");
        assert!(text.contains("what `i0` and `i1` insert"), "{text}");
    }
    for key in ["{}", "{distribution: latest, inserted: false}"] {
        assert_eq!(growing(&["{$now: {}}", "{$uuid: {}}"], key), Ok(()));
    }
    for name in ["scrambled_zipfian", "sequential"] {
        let key = format!("{{distribution: {name}, inserted: true}}");
        let text = growing(&[sequence], &key).expect_err("no growth");
        assert!(text.contains("`inserted` cannot be true"), "{text}");
    }
}
