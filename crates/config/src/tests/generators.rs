//! Generators of plain values, as they are written and as they are wrong.

use docstone_model::Template;
use docstone_model::template::{Context, GENERATORS};
use serde_json::json;

use super::parts::{PARTS, Parts};

/// A collection of so many documents with these fields.
fn data(fields: &str, count: u64) -> String {
    format!("{{c: {{count: {count}, document: {{fields: {fields}}}}}}}")
}

/// All mistakes, as they are shown.
fn wrong(fields: &str) -> String {
    let data = data(fields, 1_000);
    Parts {
        data: &data,
        ..PARTS
    }
    .mistakes()
}

#[test]
fn arguments_out_of_their_range_are_refused_with_the_range() {
    for (generator, message) in [
        (
            "$double: {min: 2, max: 1}",
            "`min` (2) must not be above `max` (1)",
        ),
        ("$double: {decimals: 13}", "`decimals` must be at most 12"),
        (
            "$double: {max: 1e12, decimals: 9}",
            "more values than a number holds",
        ),
        ("$double: {distribution: zipfian}", "one of whole numbers"),
        (
            "$double: {distribution: {normal: {mean: 2}}}",
            "`mean` must lie between",
        ),
        (
            "$double: {distribution: {normal: {stddev: 0}}}",
            "`stddev` must be above 0",
        ),
        (
            "$double: {distribution: {exponential: {mean: -1}}}",
            "`mean` must be above 0",
        ),
        ("$decimal: {decimals: 16}", "`decimals` must be at most 15"),
        ("$bool: {probability: 1.5}", "`probability` must be from 0"),
        ("$date: {min: yesterday}", "`min` is no date"),
        ("$date: {min: \"2027-01-01\"}", "must not be after `max`"),
        ("$binary: {length: 17_000_000}", "`length` must be at most"),
        ("$binary: {subtype: 2}", "`subtype` must be 0"),
        (
            "$words: {min: 5, max: 4}",
            "`min` (5) must not be above `max` (4)",
        ),
        ("$one_of: []", "`values` must not be empty"),
        ("$one_of: {}", "missing field `values`"),
        ("$one_of: [{$int: {}}]", "`values` are constants"),
        (
            "$one_of: {values: [1, 2], weights: [1]}",
            "`weights` has 1 numbers for 2 values",
        ),
        (
            "$one_of: {values: [1, 2], weights: [0, 0]}",
            "`weights` must be 0 or more",
        ),
        ("$point: {west: -200}", "between -180 and 180 degrees"),
        (
            "$point: {south: 50, north: 40}",
            "`south` not above `north`",
        ),
    ] {
        let text = wrong(&format!("{{v: {{{generator}}}}}"));
        assert!(text.contains(message), "{generator}: {text}");
    }
}

#[test]
fn an_argument_that_is_not_known_is_named_with_those_that_are() {
    let text = wrong("{v: {$double: {mni: 1}}}");
    assert!(text.contains("mni") && text.contains("`min`"), "{text}");
    let text = wrong("{v: {$name: {first: true}}}");
    assert!(text.contains("first"), "{text}");
}

#[test]
fn every_argument_is_optional_but_what_is_captured_or_chosen_from() {
    let needs = ["$captured", "$one_of"];
    for name in GENERATORS.iter().filter(|name| !needs.contains(name)) {
        for arguments in [json!({}), json!(null)] {
            let read = Template::from_json(&json!({"v": {*name: arguments}}), Context::Any);
            let read = read.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
            assert!(
                matches!(read.field("v"), Some(Template::Generator(_))),
                "{name}"
            );
        }
    }
}

#[test]
fn dates_and_bytes_with_a_value_are_extended_json() {
    for value in [
        json!({"$date": "2026-01-31T12:00:00Z"}),
        json!({"$date": {"$numberLong": "5"}}),
        json!({"$binary": {"base64": "AAAA", "subType": "00"}}),
        json!({"$uuid": "00112233-4455-6677-8899-aabbccddeeff"}),
    ] {
        let read = Template::from_json(&json!({"v": value}), Context::Document).expect("valid");
        assert!(
            matches!(read.field("v"), Some(Template::Constant(_))),
            "{value}"
        );
    }
}

#[test]
fn an_id_needs_so_many_values_that_no_two_documents_get_the_same() {
    for id in [
        "{$bool: {}}",
        "{$words: {min: 1}}",
        "{$date: {distribution: normal}}",
    ] {
        let text = wrong(&format!("{{_id: {id}}}"));
        assert!(text.contains("can get the same `_id`"), "{id}: {text}");
    }
    for id in ["{$binary: {length: 12}}", "{$double: {}}"] {
        let data = data(&format!("{{_id: {id}}}"), 100);
        let _ = Parts {
            data: &data,
            ..PARTS
        }
        .plan();
    }
}
