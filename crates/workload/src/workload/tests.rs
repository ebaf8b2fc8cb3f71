//! Tests of `workload`: compilation of operations and facts.

use std::sync::Arc;

use bson::Bson;
use docstone_model::Plan;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Workload;
use crate::error::Fault;
use crate::sample::{decoded, facts, find, insert, loaded, plan, refused};
use crate::{Facts, Stream};

fn update(update: &Value) -> Value {
    json!({"update_one": {"filter": {}, "update": update, "upsert": false}})
}

fn replace(document: &Value) -> Value {
    json!({"replace_one": {"filter": {}, "document": document, "upsert": false}})
}

/// The first documents that are inserted.
fn inserted(plan: &Plan, facts: &Facts, count: u64) -> Vec<bson::Document> {
    let workload = Arc::new(Workload::compile(plan, facts).expect("a usable plan"));
    let mut stream = Stream::new(&workload, 0, 0, 0);
    (0..count)
        .map(|number| decoded(stream.prepare(number)).1)
        .collect()
}

#[test]
fn a_replacement_must_not_have_an_id() {
    let error = refused(&[], replace(&json!({"a": 1, "_id": 5})));
    assert_eq!(error.fault, Fault::IdInReplacement);
    assert_eq!(error.field, "document");
}

#[test]
fn an_update_needs_operators() {
    for operators in [
        json!({}),
        json!({"a": 1}),
        json!({"$set": {"a": 1}, "b": 1}),
    ] {
        assert_eq!(
            refused(&[], update(&operators)).fault,
            Fault::NoUpdateOperator
        );
    }
    assert_eq!(refused(&[], update(&json!(5))).fault, Fault::NotADocument);
}

#[test]
fn a_filter_must_be_a_document() {
    let error = refused(&[], find(&json!(5)));
    assert_eq!(
        error.to_string(),
        "operation `op`, filter: must be a document"
    );
}

#[test]
fn documents_that_are_too_large_are_refused_with_their_size() {
    let large =
        json!({"a": {"$string": {"length": 16_000_000}}, "b": {"$string": {"length": 800_000}}});
    // 5 around the document, 8 around each string, 17 for the `_id` of an insert.
    let size_bytes = 16_800_000 + 5 + 16;
    assert_eq!(
        refused(&[], replace(&large)).fault,
        Fault::TooLarge { size_bytes }
    );
    let size_bytes = size_bytes + 17;
    assert_eq!(
        refused(&[], insert(&large)).fault,
        Fault::TooLarge { size_bytes }
    );
}

#[test]
fn ranges_of_fields_come_from_the_facts() {
    let range = json!({"$field_range": {"field": "n"}});
    let plan = plan(&[], &[("op", "c", find(&json!({"n": {"$gte": range}})))]);
    let error = Workload::compile(&plan, &Facts::default()).unwrap_err();
    assert_eq!(error.field, "filter.n.$gte");
    let (collection, field) = ("c".to_owned(), "n".to_owned());
    assert_eq!(error.fault, Fault::FieldRangeUnknown { collection, field });

    let mut facts = Facts::default();
    let _ = facts
        .field_ranges
        .insert(("c".to_owned(), "n".to_owned()), (-2, 0));
    let workload = Arc::new(Workload::compile(&plan, &facts).unwrap());
    let mut stream = Stream::new(&workload, 0, 0, 0);
    let seen: std::collections::BTreeSet<i64> = (0..100)
        .map(|number| {
            let (filter, _) = decoded(stream.prepare(number));
            filter.get_document("n").unwrap().get_i64("$gte").unwrap()
        })
        .collect();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [-2, -1, 0]);
}

#[test]
fn inserts_go_on_where_the_loaded_documents_end() {
    let document = json!({"_id": {"$uuid": {}}, "n": {"$sequence": {}}, "s": {"$string": {}},
        "o": {"$object_id": {}}});
    let plan = plan(
        &[("c", 100, document.clone())],
        &[("op", "c", insert(&document))],
    );
    let expected: Vec<_> = (100..110).map(|number| loaded(&plan, number)).collect();
    assert_eq!(inserted(&plan, &Facts::default(), 10), expected);
    assert_eq!(inserted(&plan, &facts("c", 100, None, 0), 10), expected);
}

#[test]
fn another_era_gives_other_keys() {
    for id in [
        json!({"$uuid": {}}),
        json!({"$string": {}}),
        json!({"$object_id": {}}),
    ] {
        let document = json!({"_id": id, "s": {"$string": {}}});
        let plan = plan(&[], &[("op", "c", insert(&document))]);
        let eras = [0, 1, 2].map(|era| inserted(&plan, &facts("c", 100, None, era), 100));
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            for (one, other) in eras[one].iter().zip(&eras[other]) {
                assert_ne!(one.get("_id"), other.get("_id"));
                assert_ne!(one.get("s"), other.get("s"));
            }
        }
    }
}

#[test]
fn all_inserting_operations_of_a_collection_share_its_numbers() {
    let document = insert(&json!({"_id": {"$sequence": {}}}));
    let operations = [
        ("a", "c", document.clone()),
        ("b", "c", document.clone()),
        ("x", "d", document),
    ];
    let workload = crate::sample::workload(&plan(&[], &operations));
    let mut stream = Stream::new(&workload, 0, 0, 0);
    let mut ids: [Vec<i64>; 2] = Default::default();
    for number in 0..300 {
        let operation = stream.prepare(number);
        let of = usize::from(operation.operation == 2);
        ids[of].push(decoded(operation).1.get_i64("_id").unwrap());
    }
    for ids in ids {
        assert_eq!(
            ids,
            (0..i64::try_from(ids.len()).unwrap()).collect::<Vec<_>>()
        );
    }
    assert_eq!(workload.next_document("e"), None);
}

#[test]
fn a_sequence_without_room_after_the_largest_id_is_refused() {
    let plan = plan(
        &[],
        &[("op", "c", insert(&json!({"_id": {"$sequence": {}}})))],
    );
    let error = Workload::compile(&plan, &facts("c", 0, Some(i64::MAX), 0)).unwrap_err();
    assert_eq!(error.fault, Fault::SequenceOverflow);
    assert_eq!(error.field, "document._id");
    let documents = inserted(&plan, &facts("c", 0, Some(i64::MAX - 1), 0), 1);
    assert_eq!(documents[0].get("_id"), Some(&Bson::Int64(i64::MAX)));
    // For as many as the step may insert, where that is known.
    let with_room_for = |inserts| {
        let mut facts = facts("c", 0, Some(i64::MAX - 5), 0);
        facts
            .collections
            .get_mut("c")
            .expect("a collection")
            .inserts = inserts;
        Workload::compile(&plan, &facts).map(drop)
    };
    assert_eq!(with_room_for(5), Ok(()));
    let error = with_room_for(6).unwrap_err();
    assert_eq!(error.fault, Fault::SequenceOverflow);
}

proptest! {
    #[test]
    fn inserted_sequences_step_on_from_beyond_the_largest_id(
        start in -1_000_i64..1_000,
        step in prop_oneof![-20_i64..=-1, 1_i64..=20],
        next_document in 0_u64..100,
        max_id in prop::option::of(-5_000_i64..5_000),
    ) {
        let document = json!({"_id": {"$sequence": {"start": start, "step": step}},
            "n": {"$sequence": {"start": start, "step": step}}});
        let plan = plan(&[], &[("op", "c", insert(&document))]);
        let documents = inserted(&plan, &facts("c", next_document, max_id, 0), 3);
        let ids: Vec<i64> = documents.iter().map(|it| it.get_i64("_id").unwrap()).collect();
        let planned = start + i64::try_from(next_document).unwrap() * step;
        prop_assert_eq!((ids[0] - start) % step, 0);
        prop_assert_eq!(&ids[1..], [ids[0] + step, ids[0] + 2 * step]);
        // Not before the planned value, beyond what is there, and not further than that needs.
        prop_assert!((ids[0] - planned) * step.signum() >= 0);
        if let Some(max_id) = max_id {
            prop_assert!((ids[0] - max_id) * step.signum() > 0);
            let before = ids[0] - step;
            prop_assert!(ids[0] == planned || (before - max_id) * step.signum() <= 0);
        } else {
            prop_assert_eq!(ids[0], planned);
        }
        // Other fields follow the document's number alone.
        prop_assert_eq!(documents[0].get_i64("n").unwrap(), planned);
    }
}
