//! Each generator's values are of its type, between its bounds, and the same for the same stream.

use bson::{Bson, Document, RawDocumentBuf};
use docstone_model::Template;
use docstone_model::template::Context;
use serde_json::{Value as Json, json};

use super::*;
use crate::draw::StreamKey;

/// So many values, through a whole document each, so that the server would read them.
fn drawn(json: &Json, count: u64) -> Vec<Bson> {
    let template = Template::from_json(&json!({"v": json}), Context::Document).expect("valid");
    let Some(Template::Generator(generator)) = template.field("v") else {
        panic!("{json} is no generator");
    };
    let value = value(generator).expect("a plain value");
    let one = |number| {
        let mut draw = StreamKey::new(1).word(number).draw();
        let mut bytes = vec![0; 4];
        bytes.push(value.element_type());
        bytes.extend_from_slice(b"v\0");
        value.write(&mut draw, &mut bytes);
        bytes.push(0);
        let length = u32::try_from(bytes.len()).expect("small").to_le_bytes();
        bytes[..4].copy_from_slice(&length);
        let raw = RawDocumentBuf::from_bytes(bytes).expect("BSON");
        let document = Document::try_from(&*raw).expect("a document");
        document.get("v").expect("a value").clone()
    };
    let all: Vec<_> = (0..count).map(one).collect();
    assert_eq!(all, (0..count).map(one).collect::<Vec<_>>());
    all
}

fn doubles(json: &Json, count: u64) -> Vec<f64> {
    let all = drawn(json, count).into_iter();
    all.map(|value| value.as_f64().expect("a double")).collect()
}

fn texts(json: &Json, count: u64) -> Vec<String> {
    let all = drawn(json, count).into_iter();
    all.map(|value| value.as_str().expect("a text").to_owned())
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / f64::from(u32::try_from(values.len()).expect("small"))
}

#[test]
fn a_double_lies_between_its_bounds_and_has_its_decimals() {
    let plain = doubles(&json!({"$double": {}}), 2_000);
    assert!(plain.iter().all(|value| (0.0..=1.0).contains(value)));
    assert!((mean(&plain) - 0.5).abs() < 0.05);
    let rounded = doubles(
        &json!({"$double": {"min": -1.5, "max": 2.5, "decimals": 1}}),
        2_000,
    );
    for value in &rounded {
        assert_eq!(
            format!("{value}"),
            format!("{}", (value * 10.0).round() / 10.0)
        );
        assert!((-1.5..=2.5).contains(value));
    }
    assert!(rounded.contains(&-1.5) && rounded.contains(&2.5) && rounded.contains(&0.1));
    let one = doubles(&json!({"$double": {"min": 3, "max": 3}}), 3);
    assert_eq!(one, [3.0; 3]);
}

#[test]
fn the_distributions_of_a_double_have_their_means() {
    let normal = json!({"$double": {"min": 0, "max": 100, "distribution": {"normal": {"mean": 30, "stddev": 5}}}});
    let normal = doubles(&normal, 4_000);
    assert!((mean(&normal) - 30.0).abs() < 0.5, "{}", mean(&normal));
    let falling =
        json!({"$double": {"min": 10, "max": 1000, "distribution": {"exponential": {"mean": 20}}}});
    let falling = doubles(&falling, 4_000);
    assert!((mean(&falling) - 30.0).abs() < 2.0, "{}", mean(&falling));
}

#[test]
fn a_decimal_has_the_digits_that_it_was_given() {
    let all = drawn(
        &json!({"$decimal": {"min": -1, "max": 1, "decimals": 2}}),
        2_000,
    );
    let texts: Vec<String> = all
        .iter()
        .map(|value| match value {
            Bson::Decimal128(decimal) => decimal.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    for known in ["-1.00", "0.00", "0.07", "-0.50", "1.00"] {
        assert!(texts.iter().any(|text| text == known), "{known}");
    }
    assert!(texts.iter().all(|text| {
        let value: f64 = text.parse().expect("a number");
        (-1.0..=1.0).contains(&value)
    }));
}

#[test]
fn true_comes_as_often_as_it_was_asked_for() {
    let count = |probability: f64| {
        let all = drawn(&json!({"$bool": {"probability": probability}}), 2_000);
        all.iter()
            .filter(|value| **value == Bson::Boolean(true))
            .count()
    };
    assert_eq!((count(0.0), count(1.0)), (0, 2_000));
    assert!((300..500).contains(&count(0.2)));
}

#[test]
fn a_date_lies_between_its_bounds() {
    let json = json!({"$date": {"min": "2026-01-31", "max": "2026-01-31T00:00:01Z"}});
    for value in drawn(&json, 500) {
        let text = value.as_datetime().expect("a date").to_string();
        assert!(text.starts_with("2026-01-31 0:00:0"), "{text}");
    }
    let all = drawn(&json!({"$date": {}}), 500);
    let years = |year: &str| {
        all.iter().any(|value| {
            value
                .as_datetime()
                .expect("a date")
                .to_string()
                .starts_with(year)
        })
    };
    assert!(years("2020") && years("2025") && !years("2026"));
}

#[test]
fn bytes_have_their_length_and_subtype() {
    for length in [0, 1, 8, 20] {
        for value in drawn(&json!({"$binary": {"length": length, "subtype": 128}}), 5) {
            let Bson::Binary(binary) = value else {
                panic!("{value:?}");
            };
            assert_eq!(binary.bytes.len(), length);
            assert_eq!(u8::from(binary.subtype), 128);
        }
    }
}

#[test]
fn words_are_as_many_as_were_asked_for() {
    let words = texts(&json!({"$words": {"min": 2, "max": 4}}), 500);
    let counts: Vec<usize> = words.iter().map(|text| text.split(' ').count()).collect();
    assert!((2..=4).all(|count| counts.contains(&count)));
    assert!(counts.iter().all(|count| (2..=4).contains(count)));
    assert_eq!(texts(&json!({"$words": {"min": 0}}), 1), [""]);
    let longest = template_longest(&words);
    assert!(
        longest <= docstone_model::template::LONGEST_WORD,
        "{longest}"
    );
    // Both halves of all words come.
    let different: std::collections::BTreeSet<String> =
        texts(&json!({"$words": {"min": 1}}), 9_000)
            .into_iter()
            .collect();
    assert_eq!(different.len(), docstone_model::template::WORDS);
}

fn template_longest(texts: &[String]) -> usize {
    let words = texts.iter().flat_map(|text| text.split(' '));
    words.map(str::len).max().unwrap_or(0)
}

#[test]
fn people_have_names_addresses_and_mail_that_reaches_nobody() {
    for name in texts(&json!({"$name": {}}), 200) {
        assert_eq!(name.split(' ').count(), 2, "{name}");
    }
    for mail in texts(&json!({"$email": {}}), 200) {
        let (_, domain) = mail.split_once('@').expect("an address");
        assert!(domain.starts_with("example."), "{mail}");
        assert_eq!(mail, mail.to_lowercase());
    }
    for address in texts(&json!({"$address": {}}), 200) {
        let (street, city) = address.split_once(", ").expect("two parts");
        assert!(
            street.starts_with(|c: char| c.is_ascii_digit()),
            "{address}"
        );
        assert!(city[..5].parse::<u32>().is_ok(), "{address}");
    }
    for generator in ["$name", "$email", "$address"] {
        let longest = texts(&json!({generator: {}}), 3_000);
        let longest = longest.iter().map(String::len).max();
        assert!(longest <= Some(docstone_model::template::LONGEST_PERSON));
    }
}

#[test]
fn a_point_is_geojson_within_its_box_and_even_over_its_area() {
    let coordinates = |json: &Json, count| -> Vec<(f64, f64)> {
        let all = drawn(json, count).into_iter().map(|value| {
            let point = value.as_document().expect("a document").clone();
            assert_eq!(point.get_str("type").expect("a type"), "Point");
            let at = point.get_array("coordinates").expect("an array");
            assert_eq!((point.len(), at.len()), (2, 2));
            let number = |at: &Bson| at.as_f64().expect("a number");
            (number(&at[0]), number(&at[1]))
        });
        all.collect()
    };
    let json = json!({"$point": {"west": 5, "east": 15, "south": 47, "north": 55}});
    for (longitude, latitude) in coordinates(&json, 500) {
        assert!((5.0..=15.0).contains(&longitude) && (46.999..=55.001).contains(&latitude));
    }
    // Half of the globe lies within 30 degrees of the equator.
    let all = coordinates(&json!({"$point": {}}), 4_000);
    let near = all.iter().filter(|(_, latitude)| latitude.abs() <= 30.0);
    assert!((1_850..2_150).contains(&near.count()));
}
