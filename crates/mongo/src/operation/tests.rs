//! Tests of the raw commands.

use super::*;
use bson::{Bson, Document, doc};
use docstone_model::Template;
use docstone_model::plan::Limits;
use docstone_model::template::Context;
use serde_json::json;

fn template() -> Template {
    Template::from_json(&json!({"_id": 1}), Context::Any).expect("valid")
}

fn shown(kind: OperationKind) -> Document {
    let prepared = PreparedOperation {
        filter: rawdoc! { "_id": 7_i64 },
        payload: rawdoc! { "v": 1_i32 },
        ..PreparedOperation::default()
    };
    sent(kind, &prepared)
}

fn sent(kind: OperationKind, prepared: &PreparedOperation) -> Document {
    let plan = OperationPlan {
        name: "op".to_owned(),
        collection: "orders".to_owned(),
        kind,
        timeout_ns: 1,
        options: docstone_model::plan::CallOptions::default(),
    };
    Document::try_from(&*command(&plan, prepared)).expect("valid BSON")
}

fn limits() -> Limits {
    Limits {
        projection: Some(json!({"_id": 0})),
        sort: Some(json!({"v": -1})),
        skip: Some(4),
        limit: Some(5),
        batch_size: Some(2),
    }
}

#[test]
fn insert_sends_the_document_as_it_is() {
    assert_eq!(
        shown(OperationKind::InsertOne {
            document: template()
        }),
        doc! {"insert": "orders", "ordered": true, "documents": [{"v": 1}]}
    );
}

#[test]
fn a_batch_sends_all_of_its_documents_and_whether_they_are_ordered() {
    let kind = OperationKind::InsertMany {
        document: template(),
        count: 3,
        ordered: false,
    };
    let prepared = PreparedOperation {
        payload: rawdoc! { "v": 1_i32 },
        batch: vec![rawdoc! { "v": 2_i32 }, rawdoc! { "v": 3_i32 }],
        ..PreparedOperation::default()
    };
    assert_eq!(
        sent(kind, &prepared),
        doc! {"insert": "orders", "ordered": false, "documents": [{"v": 1}, {"v": 2}, {"v": 3}]}
    );
}

#[test]
fn finds_send_filter_and_limits() {
    let one = shown(OperationKind::FindOne {
        filter: template(),
        options: limits(),
    });
    assert_eq!(
        one,
        doc! {"find": "orders", "singleBatch": true, "limit": 1_i64, "projection": {"_id": 0},
        "sort": {"v": -1}, "filter": {"_id": 7_i64}}
    );
    let many = shown(OperationKind::FindMany {
        filter: template(),
        options: limits(),
    });
    assert_eq!(
        many,
        doc! {"find": "orders", "skip": 4_i64, "limit": 5_i64, "batchSize": 2, "projection": {"_id": 0},
        "sort": {"v": -1}, "filter": {"_id": 7_i64}}
    );
}

#[test]
fn count_is_the_count_command_and_no_aggregation() {
    assert_eq!(
        shown(OperationKind::Count { filter: template() }),
        doc! {"count": "orders", "query": {"_id": 7_i64}}
    );
}

#[test]
fn updates_differ_in_multi_and_upsert() {
    let update = |kind| {
        let command = shown(kind);
        command.get_array("updates").expect("updates")[0].clone()
    };
    let one = OperationKind::UpdateOne {
        filter: template(),
        update: template(),
        upsert: false,
        array_filters: None,
    };
    assert_eq!(
        update(one),
        Bson::from(doc! {"q": {"_id": 7_i64}, "u": {"v": 1}})
    );
    let many = OperationKind::UpdateMany {
        filter: template(),
        update: template(),
        upsert: true,
        array_filters: None,
    };
    assert_eq!(
        update(many),
        Bson::from(doc! {"q": {"_id": 7_i64}, "u": {"v": 1}, "upsert": true, "multi": true})
    );
    let replace = OperationKind::ReplaceOne {
        filter: template(),
        document: template(),
        upsert: true,
    };
    assert_eq!(
        update(replace),
        Bson::from(doc! {"q": {"_id": 7_i64}, "u": {"v": 1}, "upsert": true})
    );
}

#[test]
fn deletes_differ_in_their_limit() {
    for (kind, limit) in [
        (OperationKind::DeleteOne { filter: template() }, 1),
        (OperationKind::DeleteMany { filter: template() }, 0),
    ] {
        assert_eq!(
            shown(kind),
            doc! {"delete": "orders", "deletes": [{"q": {"_id": 7_i64}, "limit": limit}],
            "ordered": true}
        );
    }
}

#[test]
fn stages_and_array_filters_are_part_of_an_update() {
    let stages = OperationKind::UpdateOne {
        filter: template(),
        update: template(),
        upsert: false,
        array_filters: None,
    };
    let prepared = PreparedOperation {
        arguments: rawdoc! { "update": [{ "$set": { "v": 1_i32 } }] },
        ..PreparedOperation::default()
    };
    assert_eq!(
        sent(stages.clone(), &prepared)
            .get_array("updates")
            .expect("updates")[0],
        Bson::from(doc! {"q": {}, "u": [{"$set": {"v": 1}}]})
    );
    let prepared = PreparedOperation {
        arguments: rawdoc! { "array_filters": [{ "x.n": 1_i32 }] },
        ..PreparedOperation::default()
    };
    assert_eq!(
        sent(stages, &prepared)
            .get_array("updates")
            .expect("updates")[0],
        Bson::from(doc! {"q": {}, "u": {}, "arrayFilters": [{"x.n": 1}]})
    );
}

#[test]
fn an_aggregation_that_writes_has_no_batch_size() {
    let aggregate = |stages: serde_json::Value| OperationKind::Aggregate {
        pipeline: Template::from_json(&stages, Context::Any).expect("valid"),
        allow_disk_use: true,
        batch_size: Some(7),
    };
    let cursor = |kind| {
        shown(kind)
            .get_document("cursor")
            .expect("a cursor")
            .clone()
    };
    assert_eq!(cursor(aggregate(json!([]))), doc! {"batchSize": 7});
    assert_eq!(cursor(aggregate(json!([{"$out": "o"}]))), doc! {});
}
