//! Tests of `document`: what programs write is what their templates say.

use std::str::FromStr;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use docstone_model::template::{Distribution, IntType, KeyDistribution};
use docstone_model::{Generator, Template};
use proptest::prelude::*;
use serde_json::json;

use crate::Documents;
use crate::sample::{loaded, plan};

/// Constants of every type.
fn constants() -> Vec<Bson> {
    vec![
        Bson::Double(-0.5),
        Bson::String("späße 🦀".to_owned()),
        Bson::String(String::new()),
        Bson::Array(vec![Bson::Int32(1), Bson::Null, Bson::Array(Vec::new())]),
        Bson::Document(doc! {"a": {"b": [1, 2_i64, "three"]}, "": {}}),
        Bson::Boolean(true),
        Bson::Null,
        Bson::RegularExpression(bson::Regex {
            pattern: "^a.*".try_into().unwrap(),
            options: "i".try_into().unwrap(),
        }),
        Bson::JavaScriptCode("f()".to_owned()),
        Bson::JavaScriptCodeWithScope(bson::JavaScriptCodeWithScope {
            code: "f(x)".to_owned(),
            scope: doc! {"x": 1},
        }),
        Bson::Int32(i32::MIN),
        Bson::Int64(i64::MAX),
        Bson::Timestamp(bson::Timestamp {
            time: 7,
            increment: 9,
        }),
        Bson::Binary(bson::Binary {
            subtype: bson::spec::BinarySubtype::Generic,
            bytes: vec![0, 255, 0],
        }),
        Bson::ObjectId(ObjectId::from_bytes([7; 12])),
        Bson::DateTime(bson::DateTime::from_millis(-1)),
        Bson::Symbol("symbol".to_owned()),
        Bson::Decimal128(bson::Decimal128::from_str("1.50").unwrap()),
        Bson::Undefined,
        Bson::MaxKey,
        Bson::MinKey,
    ]
}

fn generators() -> impl Strategy<Value = Generator> {
    let int_type = prop_oneof![Just(None), Just(Some(IntType::Long))];
    let int = |(a, b, int_type): (i64, i64, Option<IntType>)| Generator::Int {
        min: a.min(b),
        max: a.max(b),
        distribution: Distribution::Uniform,
        int_type,
    };
    prop_oneof![
        (-1000_i64..1000, 1_i64..9).prop_map(|(start, step)| Generator::Sequence { start, step }),
        (any::<i64>(), any::<i64>(), int_type.clone()).prop_map(int),
        (-50_i64..50, -50_i64..50, int_type).prop_map(int),
        (0_u32..80).prop_map(|length| Generator::String { length }),
        Just(Generator::Uuid {}),
        Just(Generator::ObjectId {}),
        Just(Generator::Now {}),
        Just(Generator::Key {
            distribution: KeyDistribution::Uniform,
            collection: Some("keys".to_owned()),
            working_set: None,
            inserted: None,
        }),
    ]
}

fn templates() -> impl Strategy<Value = Template> {
    let leaf = prop_oneof![
        prop::sample::select(constants()).prop_map(Template::Constant),
        generators().prop_map(Template::Generator),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Template::Array),
            fields(inner).prop_map(Template::Document),
        ]
    })
}

/// Fields with names that differ.
fn fields(
    value: impl Strategy<Value = Template>,
) -> impl Strategy<Value = Vec<(String, Template)>> {
    prop::collection::btree_map("[a-zäöü.$]{0,6}", value, 0..6)
        .prop_map(|fields| fields.into_iter().collect())
}

/// Fails unless `value` is what the template may give for a document.
fn check(template: &Template, value: &Bson, number: u64) {
    match (template, value) {
        (Template::Constant(expected), value) => assert_eq!(expected, value),
        (Template::Document(fields), Bson::Document(document)) => {
            assert!(fields.iter().map(|(name, _)| name).eq(document.keys()));
            for ((_, template), value) in fields.iter().zip(document.values()) {
                check(template, value, number);
            }
        }
        (Template::Array(items), Bson::Array(values)) => {
            assert_eq!(items.len(), values.len());
            for (template, value) in items.iter().zip(values) {
                check(template, value, number);
            }
        }
        (Template::Generator(generator), value) => check_drawn(generator, value, number),
        (template, value) => panic!("{template:?} gave {value:?}"),
    }
}

fn check_drawn(generator: &Generator, value: &Bson, number: u64) {
    match (generator, value) {
        (Generator::Sequence { start, step }, Bson::Int64(value)) => {
            assert_eq!(*value, start + i64::try_from(number).unwrap() * step);
        }
        (
            Generator::Int {
                min, max, int_type, ..
            },
            Bson::Int32(value),
        ) => {
            assert!((*min..=*max).contains(&i64::from(*value)));
            assert_eq!(*int_type, None);
        }
        (
            Generator::Int {
                min, max, int_type, ..
            },
            Bson::Int64(value),
        ) => {
            assert!((min..=max).contains(&value));
            let fits = i32::try_from(*min).is_ok() && i32::try_from(*max).is_ok();
            assert!(!fits || int_type.is_some());
        }
        (Generator::String { length }, Bson::String(value)) => {
            assert_eq!(value.len(), *length as usize);
            assert!(value.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        }
        (Generator::Uuid {}, Bson::Binary(value)) => {
            assert_eq!(value.subtype, bson::spec::BinarySubtype::Uuid);
            assert_eq!((value.bytes[6] >> 4, value.bytes[8] >> 6), (4, 2));
            assert_eq!(value.bytes.len(), 16);
        }
        (Generator::ObjectId {}, Bson::ObjectId(value)) => {
            assert_eq!(value.bytes()[6..], number.to_be_bytes()[2..]);
        }
        (Generator::Now {}, Bson::DateTime(value)) => {
            let age_ms = bson::DateTime::now().timestamp_millis() - value.timestamp_millis();
            assert!((0..60_000).contains(&age_ms));
        }
        (Generator::Key { .. }, Bson::String(value)) => assert_eq!(value.len(), 5),
        (generator, value) => panic!("{generator:?} gave {value:?}"),
    }
}

proptest! {
    #[test]
    fn a_document_is_what_its_template_says(fields in fields(templates()), number in 0_u64..1000) {
        let mut plan = plan(
            &[
                ("c", 1000, json!({})),
                ("keys", 3, json!({"_id": {"$string": {"length": 5}}})),
            ],
            &[],
        );
        plan.data[0].document = Some(Template::Document(fields.clone()));
        let mut raw = bson::raw::RawDocumentBuf::new();
        Documents::new(&plan, &plan.data[0]).unwrap().write(number, &mut raw);
        let mut document = Document::try_from(raw.clone()).expect("valid BSON");
        // What the library encodes is byte for byte what the program wrote.
        prop_assert_eq!(&bson::raw::RawDocumentBuf::try_from(&document).unwrap(), &raw);
        prop_assert_eq!(document.keys().next().map(String::as_str), Some("_id"));
        prop_assert!(document.remove("_id").is_some());
        check(&Template::Document(fields), &Bson::Document(document), number);
    }

    #[test]
    fn equal_seeds_give_equal_bytes_and_others_do_not(seed in any::<u64>(), number in any::<u64>()) {
        let mut plan = plan(&[("c", 1, json!({"_id": {"$uuid": {}}, "s": {"$string": {}}}))], &[]);
        plan.seed = seed;
        let document = loaded(&plan, number);
        prop_assert_eq!(&document, &loaded(&plan, number));
        plan.seed = seed.wrapping_add(1);
        let other = loaded(&plan, number);
        prop_assert_ne!(document.get("_id"), other.get("_id"));
        prop_assert_ne!(document.get("s"), other.get("s"));
    }
}

#[test]
fn a_constant_document_is_a_template_too() {
    let mut plan = plan(&[("c", 1, json!({}))], &[]);
    plan.data[0].document = Some(Template::Constant(Bson::Document(
        doc! {"a": 1, "_id": "x"},
    )));
    assert_eq!(loaded(&plan, 0), doc! {"_id": "x", "a": 1});
}
