//! Tests of `stream`.

use std::collections::BTreeSet;
use std::sync::Arc;

use bson::Bson;
use proptest::prelude::*;
use serde_json::json;

use super::Stream;
use crate::sample::{decoded, facts, find, insert, loaded, plan, workload};
use crate::{Facts, PreparedOperation, Workload};

/// A plan with all kinds of draws that do not depend on worker or time.
fn mixed() -> docstone_model::Plan {
    plan(
        &[(
            "c",
            100,
            json!({"_id": {"$uuid": {}}, "s": {"$string": {"length": 7}}}),
        )],
        &[
            ("find", "c", find(&json!({"_id": {"$key": {}}}))),
            (
                "update",
                "c",
                json!({"update_one": {"filter": {"n": {"$gte": {"$int": {"min": 1, "max": 9}}}},
                    "update": {"$set": {"s": {"$string": {}}, "n": {"$sequence": {}}}}, "upsert": false}}),
            ),
            (
                "replace",
                "c",
                json!({"replace_one": {"filter": {"_id": {"$key": {}}},
                    "document": {"u": {"$uuid": {}}, "o": {"$object_id": {}}}, "upsert": false}}),
            ),
        ],
    )
}

fn drawn(stream: &mut Stream, number: u64) -> PreparedOperation {
    stream.prepare(number).clone()
}

#[test]
fn an_operation_is_the_same_for_any_worker_and_in_any_order() {
    let plan = mixed();
    let (one, other) = (workload(&plan), workload(&plan));
    let mut forwards = Stream::new(&one, 0, 3, 0);
    let mut backwards = Stream::new(&other, 0, 3, 17);
    let expected: Vec<_> = (0..500)
        .map(|number| drawn(&mut forwards, number))
        .collect();
    for number in (0..500).rev() {
        let operation = drawn(&mut backwards, number);
        let expected = &expected[usize::try_from(number).unwrap()];
        assert_eq!(operation.operation, expected.operation);
        assert_eq!(operation.filter, expected.filter);
        assert_eq!(operation.payload, expected.payload);
    }
}

#[test]
fn keys_are_ids_of_loaded_documents() {
    let plan = plan(
        &[("c", 10, json!({"_id": {"$uuid": {}}}))],
        &[("find", "c", find(&json!({"_id": {"$key": {}}})))],
    );
    let ids: BTreeSet<String> = (0..10)
        .map(|number| loaded(&plan, number).get("_id").unwrap().to_string())
        .collect();
    let mut stream = Stream::new(&workload(&plan), 0, 0, 0);
    let found: BTreeSet<String> = (0..1000)
        .map(|number| {
            decoded(stream.prepare(number))
                .0
                .get("_id")
                .unwrap()
                .to_string()
        })
        .collect();
    assert_eq!(found, ids);
}

#[test]
fn inserted_ids_are_contiguous_after_the_largest_that_is_there() {
    let plan = plan(
        &[],
        &[(
            "insert",
            "c",
            insert(&json!({"_id": {"$sequence": {"start": 1}}})),
        )],
    );
    let ids = |facts: &Facts| {
        let workload = Arc::new(Workload::compile(&plan, facts).unwrap());
        let mut stream = Stream::new(&workload, 0, 0, 0);
        (0..3)
            .map(|number| decoded(stream.prepare(number)).1.get_i64("_id").unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&Facts::default()), [1, 2, 3]);
    assert_eq!(ids(&facts("c", 0, Some(1_000), 0)), [1001, 1002, 1003]);
    assert_eq!(ids(&facts("c", 500, Some(1_000), 0)), [1001, 1002, 1003]);
    assert_eq!(ids(&facts("c", 500, Some(20), 0)), [501, 502, 503]);
    assert_eq!(ids(&facts("c", 500, None, 0)), [501, 502, 503]);
}

proptest! {
    #[test]
    fn inserts_take_each_number_once_in_any_interleaving(
        order in prop::collection::vec((0_usize..3, any::<u64>()), 1..200),
    ) {
        let document = json!({"_id": {"$sequence": {}}});
        let plan = plan(&[], &[("insert", "c", insert(&document))]);
        let workload = workload(&plan);
        let mut streams: Vec<_> =
            (0..3).map(|worker| Stream::new(&workload, 0, 0, worker)).collect();
        let mut ids: Vec<i64> = order
            .iter()
            .map(|&(stream, number)| {
                decoded(streams[stream].prepare(number)).1.get_i64("_id").unwrap()
            })
            .collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, (0..i64::try_from(order.len()).unwrap()).collect::<Vec<_>>());
        prop_assert_eq!(workload.next_document("c"), Some(order.len() as u64));
    }
}

#[test]
fn worker_and_its_sequence_count_from_one() {
    let document = json!({"w": {"$worker": {}}, "n": {"$worker_sequence": {}}});
    let plan = plan(&[], &[("insert", "c", insert(&document))]);
    let workload = workload(&plan);
    let mut stream = Stream::new(&workload, 0, 0, 4);
    for expected in 1..4_i64 {
        let (filter, payload) = decoded(stream.prepare(7));
        assert!(filter.is_empty());
        assert_eq!(payload.get("w"), Some(&Bson::Int32(5)));
        assert_eq!(payload.get("n"), Some(&Bson::Int64(expected)));
    }
}

#[test]
fn what_a_worker_draws_at_the_same_time_is_counted_together() {
    let document = json!({"w": {"$worker": {}}, "n": {"$worker_sequence": {}}});
    let plan = plan(&[], &[("insert", "c", insert(&document))]);
    let workload = workload(&plan);
    let mut stream = Stream::new(&workload, 0, 0, 4);
    let mut beside = stream.beside();
    for expected in [1, 3, 5_i64] {
        for (stream, expected) in [(&mut stream, expected), (&mut beside, expected + 1)] {
            let (_, payload) = decoded(stream.prepare(7));
            assert_eq!(payload.get("w"), Some(&Bson::Int32(5)));
            assert_eq!(payload.get("n"), Some(&Bson::Int64(expected)));
        }
    }
}

#[test]
fn preparing_takes_no_memory_after_the_first_operations() {
    let mut plan = mixed();
    plan.operations[1].kind = serde_json::from_value(insert(
        &json!({"s": {"$string": {"length": 500}}, "n": {"w": {"$worker": {}}}}),
    ))
    .unwrap();
    let mut stream = Stream::new(&workload(&plan), 0, 0, 0);
    for number in 0..50 {
        let _ = stream.prepare(number);
    }
    let taken = allocation_counter::measure(|| {
        for number in 50..500 {
            let _ = stream.prepare(number);
        }
    });
    assert_eq!(taken.count_total, 0);
}

#[test]
fn preparing_batches_and_bulks_takes_no_memory_after_the_first_operations() {
    let id = json!({"_id": {"$uuid": {}}, "s": {"$string": {"length": 50}}});
    let one = json!({"name": "1", "collection": "c", "timeout_ns": 1, "kind": insert(&id)});
    let batch = json!({"insert_many": {"document": id, "count": 5, "ordered": true}});
    let bulk = json!({"bulk_write": {"writes": [one], "repeat": 3, "ordered": true}});
    for kind in [batch, bulk] {
        let plan = plan(&[], &[("op", "c", kind)]);
        let mut stream = Stream::new(&workload(&plan), 0, 0, 0);
        let _ = stream.prepare(0);
        let taken = allocation_counter::measure(|| {
            for number in 1..100 {
                let _ = stream.prepare(number);
            }
        });
        assert_eq!(taken.count_total, 0);
    }
}

#[test]
fn groups_and_steps_draw_apart() {
    let mut plan = mixed();
    plan.groups.push(plan.groups[0].clone());
    let workload = workload(&plan);
    let of = |group, step| {
        let mut stream = Stream::new(&workload, group, step, 0);
        (0..50)
            .map(|number| drawn(&mut stream, number).filter)
            .collect::<Vec<_>>()
    };
    assert_ne!(of(0, 0), of(1, 0));
    assert_ne!(of(0, 0), of(0, 1));
    assert_ne!(of(1, 0), of(0, 1));
}

#[test]
fn operations_are_pinned() {
    // A change here changes the load of every plan that people have.
    let mut stream = Stream::new(&workload(&mixed()), 0, 1, 0);
    let lines: Vec<String> = (0..4)
        .map(|number| {
            let operation = stream.prepare(number);
            let (filter, payload) = decoded(operation);
            format!("{} {filter} {payload}", operation.slot)
        })
        .collect();
    assert_eq!(
        lines,
        [
            r#"0 { "_id": Binary(0x4, 2wvwjmCKQbuACMyhRtgRiw==) } {}"#,
            concat!(
                r#"2 { "_id": Binary(0x4, dL+AzjHKT+G3/0aIfj0NSQ==) } "#,
                r#"{ "u": Binary(0x4, eM9KWsFDSA+VuUaE9iB/cA==), "#,
                r#""o": ObjectId("6592008056c5000000000001") }"#
            ),
            r#"0 { "_id": Binary(0x4, 1Ds+7NtNQQS9P15NXQEE2A==) } {}"#,
            concat!(
                r#"2 { "_id": Binary(0x4, /qCJxRGASZW9W6lmnVD9Bg==) } "#,
                r#"{ "u": Binary(0x4, s1kXLhPlS0e7ZF4+1Qo72Q==), "#,
                r#""o": ObjectId("6592008056c5000000000003") }"#
            ),
        ]
    );
}

#[test]
fn a_batch_takes_consecutive_numbers_and_fills_each_document_by_its_own() {
    let batch = |count| json!({"insert_many": {"document": {"_id": {"$sequence": {}}}, "count": count, "ordered": true}});
    let plan = plan(&[], &[("three", "c", batch(3))]);
    let workload = workload(&plan);
    let (mut one, mut other) = (
        Stream::new(&workload, 0, 0, 0),
        Stream::new(&workload, 0, 0, 1),
    );
    let ids = |stream: &mut Stream, number| -> Vec<i64> {
        let prepared = stream.prepare(number);
        let inserts = prepared.inserts.unwrap();
        let ids: Vec<i64> = (prepared.documents())
            .map(|document| document.get_i64("_id").unwrap())
            .collect();
        let numbers: Vec<i64> = (inserts.numbers())
            .map(|(_, number)| i64::try_from(number).unwrap())
            .collect();
        assert_eq!(ids, numbers);
        ids
    };
    assert_eq!(ids(&mut one, 0), [0, 1, 2]);
    assert_eq!(ids(&mut other, 1), [3, 4, 5]);
    assert_eq!(ids(&mut one, 2), [6, 7, 8]);
}

#[test]
fn of_a_batch_that_failed_in_part_only_what_was_acknowledged_is_drawn() {
    let id = json!({"_id": {"$sequence": {}}});
    let batch = json!({"insert_many": {"document": id, "count": 4, "ordered": false}});
    let key = json!({"_id": {"$key": {"distribution": "uniform", "inserted": true}}});
    let plan = plan(
        &[("c", 1, id)],
        &[("insert", "c", batch), ("find", "c", find(&key))],
    );
    let workload = workload(&plan);
    let mut stream = Stream::new(&workload, 0, 0, 0);
    let insert = (0..).find_map(|number| stream.prepare(number).inserts);
    workload.end_inserts(insert.unwrap(), |position| position != 1);
    let mut drawn = BTreeSet::new();
    for number in 100..1_000 {
        let prepared = stream.prepare(number);
        if prepared.inserts.is_none() {
            let _ = drawn.insert(decoded(prepared).0.get_i64("_id").unwrap());
        }
    }
    let first = i64::try_from(insert.unwrap().first).unwrap();
    assert!(drawn.contains(&0) && drawn.contains(&first), "{drawn:?}");
    assert!(
        drawn.contains(&(first + 3)) && !drawn.contains(&(first + 1)),
        "{drawn:?}"
    );
}

#[test]
fn the_operations_of_a_bulk_are_drawn_one_after_the_other_and_its_inserts_have_positions() {
    let insert = json!({"insert_one": {"document": {"_id": {"$sequence": {}}}}});
    let update = json!({"update_one": {"filter": {"n": {"$int": {"max": 9}}},
        "update": {"$set": {"v": 1}}, "upsert": false}});
    let call = |kind: &serde_json::Value| json!({"name": "1", "collection": "c", "kind": kind, "timeout_ns": 1});
    let bulk = json!({"bulk_write": {"writes": [call(&update), call(&insert)], "repeat": 2, "ordered": true}});
    let plan = plan(&[], &[("bulk", "c", bulk)]);
    let workload = workload(&plan);
    let mut stream = Stream::new(&workload, 0, 0, 0);
    let _ = stream.prepare(0);
    let prepared = stream.prepare(1);
    assert_eq!(prepared.calls.len(), 4);
    let ids: Vec<Option<i64>> = (prepared.calls.iter())
        .map(|call| call.payload.get_i64("_id").ok())
        .collect();
    assert_eq!(ids, [None, Some(2), None, Some(3)]);
    let mut inserts = Vec::new();
    prepared.each_insert(&mut |before, inserted| inserts.push((before, inserted.first)));
    assert_eq!(inserts, [(0, 2), (1, 3)]);
    assert_eq!(workload.next_document("c"), Some(4));
}
