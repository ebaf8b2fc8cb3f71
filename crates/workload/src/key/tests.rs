//! Tests of `key`.

use serde_json::{Value, json};

use crate::error::Fault;
use crate::sample::{find, plan, refused, workload};

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
