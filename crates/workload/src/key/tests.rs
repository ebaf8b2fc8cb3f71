//! Tests of `key`.

use serde_json::{Value, json};

use crate::Stream;
use crate::error::Fault;
use crate::sample::{decoded, find, insert, plan, refused, workload};

fn key() -> Value {
    find(&json!({"_id": {"$key": {}}}))
}

fn collection() -> String {
    "c".to_owned()
}

#[test]
fn keys_need_a_collection_with_data() {
    let error = refused(&[("other", 5, json!({}))], key());
    assert_eq!(
        error.fault,
        Fault::KeyWithoutData {
            collection: collection()
        }
    );
    assert_eq!(
        error.to_string(),
        "operation `op`, filter._id: `$key` draws from collection `c`, which is not in `data`; \
         add it there"
    );
    let error = refused(&[("c", 0, json!({}))], key());
    assert_eq!(
        error.fault,
        Fault::KeyOfEmptyCollection {
            collection: collection()
        }
    );
}

#[test]
fn keys_need_ids_that_can_be_computed_again() {
    for id in [
        json!({"$now": {}}),
        json!({"$key": {"collection": "c"}}),
        json!({"a": [1, {"$now": {}}], "b": {"$sequence": {}}}),
        json!("constant"),
        json!({"a": 1}),
    ] {
        let error = refused(&[("c", 2, json!({"_id": id}))], key());
        assert_eq!(
            error.fault,
            Fault::KeyNotReproducible {
                collection: collection()
            }
        );
    }
}

#[test]
fn one_document_may_have_a_constant_id() {
    let plan = plan(
        &[("c", 1, json!({"_id": "constant"}))],
        &[("op", "c", key())],
    );
    let mut stream = crate::Stream::new(&workload(&plan), 0, 0, 0);
    assert_eq!(stream.prepare(0).filter.get_str("_id").unwrap(), "constant");
}

#[test]
fn a_fault_of_the_other_collections_id_is_named_there() {
    let data = [("c", 3, json!({"_id": {"a\0b": {"$sequence": {}}}}))];
    let error = refused(&data, key());
    assert_eq!(error.subject, "collection `c`");
    assert_eq!(error.field, "document._id.a\0b");
}

#[test]
fn keys_may_come_from_a_named_collection_and_stand_anywhere() {
    let filter = json!({"$or": [{"x": {"$in": [{"$key": {"collection": "d"}}, 5]}}]});
    let data = [
        ("c", 0, json!({})),
        (
            "d",
            4,
            json!({"_id": {"part": {"$sequence": {"start": 10}}, "kind": "d"}}),
        ),
    ];
    let plan = plan(&data, &[("op", "c", find(&filter))]);
    let mut stream = crate::Stream::new(&workload(&plan), 0, 0, 0);
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..100 {
        let (filter, _) = crate::sample::decoded(stream.prepare(number));
        let x = filter.get_array("$or").unwrap()[0].as_document().unwrap();
        let values = x.get_document("x").unwrap().get_array("$in").unwrap();
        assert_eq!(values[1], bson::Bson::Int32(5));
        let key = values[0].as_document().unwrap();
        assert_eq!(key.get_str("kind").unwrap(), "d");
        let _ = seen.insert(key.get_i64("part").unwrap());
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [10, 11, 12, 13]);
}

/// One insert into the first collection.
fn one(first: u64) -> crate::Inserts {
    crate::Inserts {
        collection: 0,
        first,
        count: 1,
    }
}

/// Five loaded documents, inserts, and a find with these arguments of `$key`.
fn growing(id: &Value, arguments: &Value) -> docstone_model::Plan {
    plan(
        &[("c", 5, json!({"_id": id}))],
        &[
            ("insert", "c", insert(&json!({"_id": id}))),
            ("find", "c", find(&json!({"_id": {"$key": arguments}}))),
        ],
    )
}

/// The keys of the finds among these numbers.
fn found(stream: &mut Stream, numbers: std::ops::Range<u64>) -> Vec<bson::Bson> {
    let mut keys = Vec::new();
    for number in numbers {
        let prepared = stream.prepare(number);
        if prepared.inserts.is_none() {
            let (filter, _) = decoded(prepared);
            keys.push(filter.get("_id").expect("a key").clone());
        }
    }
    keys
}

#[test]
fn latest_draws_what_was_acknowledged_and_nothing_else() {
    for id in [
        json!({"$sequence": {"start": 100, "step": 2}}),
        json!({"$uuid": {}}),
        json!({"$object_id": {}}),
        json!({"part": {"$int": {}}, "kind": "x"}),
    ] {
        let plan = growing(&id, &json!({"distribution": "latest"}));
        let workload = workload(&plan);
        let mut stream = Stream::new(&workload, 0, 0, 0);
        let loaded: Vec<_> = (0..5).map(|number| id_of(&plan, number)).collect();
        let before = found(&mut stream, 0..200);
        assert!(before.iter().all(|key| loaded.contains(key)), "{before:?}");
        // The inserts that were prepared so far have not ended. Two do, one of them failed.
        workload.end_inserts(one(5), |_| true);
        workload.end_inserts(one(6), |_| false);
        workload.end_inserts(one(8), |_| true);
        let inserted =
            bson::Bson::try_from(workload.inserted_id(0, 5).expect("an insert")).expect("a value");
        let after = found(&mut stream, 200..1_200);
        let newest = after.iter().filter(|key| **key == inserted).count();
        // Two of seven positions, the hottest: 2.5 times the average and more.
        assert!(newest * 2 > after.len(), "{newest} of {}", after.len());
        let known = |key: &bson::Bson| loaded.contains(key) || *key == inserted;
        assert!(after.iter().all(known), "{after:?}");
    }
}

fn id_of(plan: &docstone_model::Plan, number: u64) -> bson::Bson {
    crate::sample::loaded(plan, number)
        .get("_id")
        .expect("an id")
        .clone()
}

#[test]
fn other_distributions_draw_inserted_documents_where_the_file_says_so() {
    for (arguments, grows) in [
        (json!({}), false),
        (json!({"inserted": true}), true),
        (json!({"distribution": "latest", "inserted": false}), false),
        (
            json!({"distribution": {"exponential": {}}, "inserted": true}),
            true,
        ),
        (
            json!({"working_set": {"last": 0.1}, "inserted": true}),
            true,
        ),
    ] {
        let plan = growing(&json!({"$sequence": {}}), &arguments);
        let workload = workload(&plan);
        for number in 5..50 {
            workload.end_inserts(one(number), |_| true);
        }
        let mut stream = Stream::new(&workload, 0, 0, 0);
        let keys = found(&mut stream, 0..500);
        let beyond = keys.iter().any(|key| key.as_i64() >= Some(5));
        assert_eq!(beyond, grows, "{arguments}");
        assert!(keys.iter().all(|key| key.as_i64() < Some(50)));
    }
}

#[test]
fn inserted_documents_whose_key_is_unknown_are_refused() {
    let latest = || find(&json!({"_id": {"$key": {"distribution": "latest"}}}));
    let data = [("c", 5, json!({"_id": {"$sequence": {}}}))];
    for (inserts, why) in [
        (vec![json!({"_id": {"$now": {}}})], "does not follow"),
        (
            vec![
                json!({"_id": {"$sequence": {}}}),
                json!({"_id": {"$int": {}}}),
            ],
            "in another way",
        ),
        (vec![json!({"_id": {"$uuid": {}}})], "of another type"),
    ] {
        let mut operations = vec![("find", "c", latest())];
        operations.extend(inserts.iter().map(|form| ("insert", "c", insert(form))));
        let plan = plan(&data, &operations);
        let error = crate::Workload::compile(&plan, &crate::Facts::default()).expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.field, "filter._id");
    }
}
