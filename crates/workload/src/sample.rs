//! Plans for the tests of this crate.

use std::sync::Arc;

use bson::Document;
use docstone_model::Plan;
use serde_json::{Value, json};

use crate::{CollectionFacts, CompileError, Documents, Facts, PreparedOperation, Workload};

/// A plan with seed 42: `data` and `operations` as in `plan.json` but short, one group with all
/// operations in equal shares.
pub(crate) fn plan(data: &[(&str, u64, Value)], operations: &[(&str, &str, Value)]) -> Plan {
    let data: Vec<Value> = data
        .iter()
        .map(|(name, count, document)| {
            json!({"name": name, "count": count, "document": document, "indexes": []})
        })
        .collect();
    let mix: Vec<Value> = (0..operations.len())
        .map(|operation| json!({"operation": operation, "weight": 1.0}))
        .collect();
    let operations: Vec<Value> = operations
        .iter()
        .map(|(name, collection, kind)| {
            json!({"name": name, "collection": collection, "kind": kind, "timeout_ns": 1})
        })
        .collect();
    let plan = json!({
        "format": "docstone.plan/1", "name": "sample", "origin": "run", "seed": 42,
        "target": {
            "uri": "", "private": null, "database": "sample", "database_from": "default",
            "transport": "auto", "compressor": null, "write_concern": null, "pool": null,
            "connect_rate_per_s": null, "connect_timeout_ns": 1, "tls_insecure": false,
        },
        "data": data, "setup": "guarded", "operations": operations,
        "existing": [],
        "groups": [{"name": "main", "scenario": {"mix": mix}, "connections": null}],
        "steps": [], "threads": null,
    });
    serde_json::from_value(plan).expect("a valid plan")
}

/// A find by `_id` in collection `c`.
pub(crate) fn find(filter: &Value) -> Value {
    json!({"find_one": {"filter": filter, "options": {
        "projection": null, "sort": null, "limit": null, "batch_size": null}}})
}

/// An insert of a document.
pub(crate) fn insert(document: &Value) -> Value {
    json!({"insert_one": {"document": document}})
}

/// Facts of one collection.
pub(crate) fn facts(collection: &str, next_document: u64, max_id: Option<i64>, era: u64) -> Facts {
    let facts = CollectionFacts {
        next_document,
        max_id,
        inserts: 0,
        era,
    };
    Facts {
        collections: [(collection.to_owned(), facts)].into(),
        ..Facts::default()
    }
}

/// A plan compiled without facts.
pub(crate) fn workload(plan: &Plan) -> Arc<Workload> {
    Arc::new(Workload::compile(plan, &Facts::default()).expect("a usable plan"))
}

/// The error of a plan with this one operation on collection `c`.
pub(crate) fn refused(data: &[(&str, u64, Value)], kind: Value) -> CompileError {
    Workload::compile(&plan(data, &[("op", "c", kind)]), &Facts::default())
        .expect_err("the operation cannot be used")
}

/// Filter and payload, decoded.
pub(crate) fn decoded(operation: &PreparedOperation) -> (Document, Document) {
    let document = |raw: &bson::raw::RawDocument| Document::try_from(raw).expect("valid BSON");
    (document(&operation.filter), document(&operation.payload))
}

/// Loaded document `number` of the plan's first collection.
pub(crate) fn loaded(plan: &Plan, number: u64) -> Document {
    let mut raw = bson::raw::RawDocumentBuf::new();
    Documents::new(plan, &plan.data[0])
        .expect("a usable template")
        .write(number, &mut raw);
    Document::try_from(raw).expect("valid BSON")
}
