//! What messages say: docstone's words, the key, the range, and no mistake that is not one.

use super::parts::{PARTS, Parts, data, load};
use super::*;

const KEYED: &str = "{o: {find_one: {collection: c, filter: {_id: {$key: {}}}}}}";

fn counted(count: &str) -> Parts<'static> {
    let data = format!("{{c: {{count: {count}, document: {{fields: {{n: 1}}}}}}}}");
    Parts {
        data: data.leak(),
        operations: KEYED,
        ..PARTS
    }
}

fn whole(text: &str) -> String {
    messages(text, &Overrides::default()).join("\n")
}

#[test]
fn a_whole_number_may_be_written_with_an_exponent() {
    assert_eq!(counted("3e9").plan().data[0].count, 3_000_000_000);
    assert_eq!(counted("1.0").plan().data[0].count, 1);
    let text = "[{closed: {concurrency: 1e2}, duration: 1s}]";
    let plan = Parts {
        load: text,
        ..PARTS
    }
    .plan();
    assert_eq!(plan.steps[0].loads[0].model.concurrency(), 100);
}

#[test]
fn a_wrong_count_is_the_only_mistake_and_names_the_range() {
    for (count, found) in [
        ("1.5", "found 1.5"),
        ("-3", "found -3"),
        ("18446744073709551616", "found 18446744073709551616"),
        ("1e30", "found 1e30"),
        ("1_000_000_000_000_001", "not 1000000000000001"),
        ("many", "expected a whole number, found text"),
        (
            ".inf",
            "expected a whole number, found a number that is not finite",
        ),
    ] {
        // A `$key` that draws from it is not wrong for that.
        let message = counted(count).wrong();
        assert!(
            message.contains("`count`") && message.contains(found),
            "{count}: {message}"
        );
        if !count.starts_with(['m', '.']) {
            assert!(message.contains("1000000000000000"), "{message}");
        }
    }
}

#[test]
fn the_words_of_the_yaml_parser_are_replaced_where_they_are_its_own() {
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned()
        + &["ab", "bc", "cd", "de", "ef", "fg"]
            .map(|pair| {
                let (of, name) = pair.split_at(1);
                format!(
                    "{name}: &{name} [{}]\n",
                    vec![format!("*{of}"); 10].join(",")
                )
            })
            .concat();
    let good = Parts { ..PARTS }.text();
    for (text, expected) in [
        (
            format!("{good}---\n{good}"),
            "a second document begins here",
        ),
        (bomb, "aliases"),
        (
            "load: *steps\n".to_owned(),
            "nothing before it has this anchor",
        ),
        ("seed: !!int abc\n".to_owned(), "does not fit its tag"),
        ("x: &x 5\ndata: {<<: *x}\n".to_owned(), "`<<` takes a map"),
        ("name: a: b\n".to_owned(), "in quotes"),
        ("data:\n\tc: {}\n".to_owned(), "indent with blanks"),
    ] {
        let message = whole(&text);
        assert!(message.contains(expected), "{expected}: {message}");
        for leaked in ["from_str", "budget", "policy", "Nodes", "defined at line"] {
            assert!(!message.contains(leaked), "{message}");
        }
    }
}

#[test]
fn numbers_that_bson_does_not_hold_are_no_other_numbers() {
    let field = |value: &str| {
        data(&format!(
            "{{c: {{count: 1, document: {{fields: {{x: {value}}}}}}}}}"
        ))
    };
    for value in [".nan", ".inf", "-.inf", "1e999"] {
        assert!(field(value).contains("$numberDouble"), "{value}");
    }
    for value in ["18446744073709551615", "99999999999999999999"] {
        let message = field(value);
        assert!(
            message.contains("does not fit 64 bits") && message.contains(value),
            "{message}"
        );
    }
    let weight = Parts {
        scenario: "{mix: {o: .inf}}",
        ..PARTS
    };
    let message = weight.wrong();
    assert!(message.contains("`o`: expected a number"), "{message}");
}

#[test]
fn extended_json_and_generators_say_what_they_take() {
    for (value, expected) in [
        ("{$oid: zz}", "`$oid` takes 24 hexadecimal digits"),
        ("{$numberDecimal: abc}", "`$numberDecimal` takes"),
        (
            "{$string: {length: -1}}",
            "`length` of `$string`: expected a whole number from 0 to 4294967295, found -1",
        ),
        (
            "{$int: {min: x}}",
            "`min` of `$int`: expected a whole number from",
        ),
        (
            "{$sequence: 5}",
            "`$sequence`: expected a map of its arguments",
        ),
    ] {
        let message = data(&format!(
            "{{c: {{count: 1, document: {{fields: {{x: {value}}}}}}}}}"
        ));
        assert!(message.contains(expected), "{value}: {message}");
        assert!(!message.contains("BSON error"), "{message}");
    }
}

#[test]
fn an_unset_variable_is_named_also_where_a_password_stands() {
    let text = Parts { ..PARTS }.text().replace(
        "target: private",
        "target: 'mongodb://bob:${MONGO_PASS}@h/'",
    );
    let message = whole(&text);
    assert!(message.contains("`MONGO_PASS` is not set"), "{message}");
    // What is no name of a variable may be a part of a password.
    let text = text.replace("${MONGO_PASS}", "${ge heim}");
    assert!(!whole(&text).contains("heim"), "{}", whole(&text));
}

#[test]
fn more_workers_than_one_machine_can_stop_are_refused_with_the_reason() {
    let message = load("[{closed: {concurrency: 100001}, duration: 1s}]");
    assert!(
        message.contains("`concurrency`") && message.contains("connection"),
        "{message}"
    );
    let group = "{load: [{closed: {concurrency: 60000}, duration: 1s}]}";
    let text = Parts { ..PARTS }.text();
    let (head, _) = text.split_once("load:").expect("it has a load");
    let message = whole(&format!("{head}groups: {{a: {group}, b: {group}}}\n"));
    assert!(
        message.contains("the step has 120000 workers together")
            && message.contains("`concurrency`"),
        "{message}"
    );
}

#[test]
fn names_that_the_results_use_are_refused() {
    for name in ["all", "drain", "iterations", "schedule_lag"] {
        let operations = format!("{{{name}: {{count: {{collection: c}}}}}}");
        let message = Parts {
            operations: &operations,
            ..PARTS
        }
        .wrong();
        assert!(
            message.contains(&format!("`{name}` cannot be")),
            "{message}"
        );
        let text = Parts { ..PARTS }.text();
        let (head, load) = text.split_once("load:").expect("it has a load");
        let message = whole(&format!(
            "{head}groups: {{{name}: {{load: {}}}}}\n",
            load.trim()
        ));
        assert!(
            message.contains(&format!("`{name}` cannot be the name of a group")),
            "{message}"
        );
    }
}

#[test]
fn a_key_that_is_no_text_has_its_line() {
    let message = whole("name: x\n? [a, b]\n: y\n");
    assert!(
        message.starts_with("f.yaml:2: a key must be text"),
        "{message}"
    );
}

#[test]
fn an_end_without_a_value_is_said() {
    let message = load("[{closed: {concurrency: 1}, duration: }]");
    assert!(
        message.contains("nothing says when the step ends"),
        "{message}"
    );
}
