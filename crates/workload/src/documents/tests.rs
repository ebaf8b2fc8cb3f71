//! Tests of `documents`.

use bson::Document;
use bson::raw::RawDocumentBuf;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Documents;
use crate::error::Fault;
use crate::sample::{loaded, plan};

fn collection(count: u64, document: Value) -> docstone_model::Plan {
    plan(&[("c", count, document)], &[])
}

#[test]
fn documents_are_pinned() {
    // A change here changes the documents of every plan that people have.
    let plan = collection(
        10,
        json!({"_id": {"$uuid": {}}, "n": {"$sequence": {}}, "i": {"$int": {"min": 1, "max": 100}},
            "s": {"$string": {"length": 12}}, "o": {"$object_id": {}}}),
    );
    let document = loaded(&plan, 3);
    assert_eq!(
        document.to_string(),
        concat!(
            r#"{ "_id": Binary(0x4, aLzE9jG2QJiy+Um7GN3Aew==), "n": 3, "i": 57, "#,
            r#""s": "pHl2UDOs4IQT", "o": ObjectId("6592008056c5000000000003") }"#
        )
    );
}

#[test]
fn a_document_without_an_id_gets_an_object_id_that_rises() {
    let plan = collection(10, json!({"kind": "order"}));
    let mut documents = Documents::new(&plan, &plan.data[0]).unwrap();
    let mut before = [0; 12];
    for number in [0, 1, 255, 256, 65_535, 1_000_000, (1 << 48) - 1] {
        let document = loaded(&plan, number);
        assert_eq!(document.keys().collect::<Vec<_>>(), ["_id", "kind"]);
        let id = document.get_object_id("_id").unwrap();
        assert!(id.bytes() > before);
        assert_eq!(documents.id(number).as_object_id(), Some(id));
        assert_eq!(id.timestamp().timestamp_millis(), 1_704_067_200_000);
        before = id.bytes();
    }
}

#[test]
fn the_id_stands_first_wherever_the_template_has_it() {
    let plan = collection(10, json!({"a": 1, "_id": {"$sequence": {}}, "b": 2}));
    let document = loaded(&plan, 4);
    assert_eq!(document.keys().collect::<Vec<_>>(), ["_id", "a", "b"]);
}

#[test]
fn fields_do_not_change_the_id() {
    let short = collection(10, json!({"_id": {"$uuid": {}}}));
    let long = collection(10, json!({"x": {"$int": {}}, "_id": {"$uuid": {}}}));
    assert_eq!(loaded(&short, 5).get("_id"), loaded(&long, 5).get("_id"));
}

#[test]
fn writing_again_replaces_what_was_there() {
    let plan = collection(
        10,
        json!({"_id": {"$sequence": {}}, "s": {"$string": {"length": 40}}}),
    );
    let mut documents = Documents::new(&plan, &plan.data[0]).unwrap();
    let mut out = RawDocumentBuf::new();
    out.append(bson::raw::cstr!("left"), "over");
    for number in 0..10 {
        documents.write(number, &mut out);
        assert_eq!(
            Document::try_from(out.clone()).unwrap(),
            loaded(&plan, number)
        );
    }
}

#[test]
fn writing_takes_no_memory_after_the_first_document() {
    let plan = collection(
        10,
        json!({"s": {"$string": {"length": 400}}, "d": {"n": {"$now": {}}}}),
    );
    let mut documents = Documents::new(&plan, &plan.data[0]).unwrap();
    let mut out = RawDocumentBuf::new();
    documents.write(0, &mut out);
    let taken = allocation_counter::measure(|| {
        for number in 1..100 {
            documents.write(number, &mut out);
        }
    });
    assert_eq!(taken.count_total, 0);
}

#[test]
fn a_collection_without_a_template_is_empty_documents() {
    let mut plan = collection(0, json!({}));
    plan.data[0].document = None;
    assert_eq!(loaded(&plan, 0).keys().collect::<Vec<_>>(), ["_id"]);
}

#[test]
fn what_only_a_load_knows_is_refused_in_loaded_documents() {
    for generator in ["$worker", "$worker_sequence", "$field_range"] {
        let document = json!({"a": {"b": [{generator: {}}]}});
        let plan = collection(1, document.clone());
        let error = Documents::new(&plan, &plan.data[0]).unwrap_err();
        assert_eq!(error.fault, Fault::OnlyUnderLoad { generator });
        assert_eq!(error.subject, "collection `c`");
        assert_eq!(error.field, "document.a.b.0");
        let plan = collection(0, document);
        assert!(Documents::new(&plan, &plan.data[0]).is_ok());
    }
}

#[test]
fn a_sequence_must_fit_its_documents() {
    let start = i64::MAX - 9;
    let plan = collection(10, json!({"n": {"$sequence": {"start": start}}}));
    assert_eq!(loaded(&plan, 9).get_i64("n").unwrap(), i64::MAX);
    let plan = collection(11, json!({"n": {"$sequence": {"start": start}}}));
    let error = Documents::new(&plan, &plan.data[0]).unwrap_err();
    assert_eq!(error.fault, Fault::SequenceOverflow);
}

#[test]
fn sixteen_mebibytes_are_the_limit() {
    // Two strings; `_id` with 17 bytes, each string with 8 besides its characters, 5 around all.
    let of = |bytes: u64| {
        let length = bytes - 17 - 16 - 5 - 8_000_000;
        collection(
            1,
            json!({"a": {"$string": {"length": 8_000_000}}, "b": {"$string": {"length": length}}}),
        )
    };
    let plan = of(16_777_216);
    assert!(Documents::new(&plan, &plan.data[0]).is_ok());
    let plan = of(16_777_217);
    let error = Documents::new(&plan, &plan.data[0]).unwrap_err();
    assert_eq!(
        error.fault,
        Fault::TooLarge {
            size_bytes: 16_777_217
        }
    );
    assert_eq!(error.field, "document");
}

#[test]
fn types_that_the_server_refuses_as_id_are_refused() {
    for id in [
        json!([1]),
        json!({"$regularExpression": {"pattern": "a", "options": ""}}),
    ] {
        let plan = collection(1, json!({"_id": id}));
        let error = Documents::new(&plan, &plan.data[0]).unwrap_err();
        assert_eq!(
            (error.fault, error.field.as_str()),
            (Fault::IdType, "document._id")
        );
    }
}

proptest! {
    #[test]
    fn the_id_alone_is_that_of_the_document(number in 0_u64..1 << 40) {
        for id in [
            json!({"$uuid": {}}),
            json!({"$object_id": {}}),
            json!({"$sequence": {"start": 7, "step": -3}}),
            json!({"$int": {}}),
            json!({"$string": {}}),
            json!({"a": {"$int": {}}, "b": ["x", {"$uuid": {}}]}),
        ] {
            let plan = collection(1, json!({"_id": id, "x": {"$int": {}}}));
            let mut documents = Documents::new(&plan, &plan.data[0]).unwrap();
            let id = bson::Bson::try_from(documents.id(number)).unwrap();
            let document = loaded(&plan, number);
            prop_assert_eq!(document.get("_id"), Some(&id));
        }
    }
}
