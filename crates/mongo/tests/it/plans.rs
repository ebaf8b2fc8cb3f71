//! Plans for the tests.

use docstone_model::plan::{
    ClosedLoad, CollectionOptions, GroupPlan, Limits, MixEntry, Returned, Scenario,
};
use docstone_model::template::Context;
use docstone_model::{
    CollectionPlan, GroupLoad, LoadModel, MongoUri, OperationKind, OperationPlan, Plan, StepPlan,
    Stop, TargetPlan, Template,
};
use serde_json::{Value, json};

pub(crate) fn template(value: &Value) -> Template {
    Template::from_json(value, Context::Any).expect("a valid template")
}

/// A plan on the shared server, in a database of its own, as one group and one step.
pub(crate) fn plan(uri: &str, database: &str, kinds: Vec<OperationKind>) -> Plan {
    let operations: Vec<OperationPlan> = kinds
        .into_iter()
        .enumerate()
        .map(|(at, kind)| OperationPlan {
            name: format!("{}-{at}", kind.name()),
            collection: "c".to_owned(),
            kind,
            timeout_ns: 30_000_000_000,
            options: docstone_model::plan::CallOptions::default(),
        })
        .collect();
    let mix = (0..operations.len())
        .map(|operation| MixEntry {
            operation,
            weight: 1.0,
        })
        .collect();
    Plan {
        operations,
        groups: vec![GroupPlan {
            name: "main".to_owned(),
            scenario: Scenario::Mix(mix),
            connections: None,
        }],
        steps: vec![StepPlan {
            name: "step-1".to_owned(),
            warmup: false,
            loads: vec![GroupLoad {
                group: 0,
                model: LoadModel::Closed(ClosedLoad::steady(8)),
                stop: Stop {
                    duration_ns: None,
                    operations: Some(1),
                },
            }],
            drain_ns: 10_000_000_000,
            actions: Vec::new(),
        }],
        threads: Some(1),
        ..Plan::new("test", target(uri, database))
    }
}

fn target(uri: &str, database: &str) -> TargetPlan {
    TargetPlan {
        database_from: "file".to_owned(),
        ..TargetPlan::new(MongoUri::new(uri), database)
    }
}

/// A collection `c` of so many documents, numbered from 0.
pub(crate) fn numbered(count: u64) -> CollectionPlan {
    CollectionPlan {
        name: "c".to_owned(),
        count,
        document: Some(template(
            &json!({"_id": {"$sequence": {}}, "n": {"$int": {"max": 9}}}),
        )),
        indexes: Vec::new(),
        options: CollectionOptions::default(),
    }
}

pub(crate) fn insert() -> OperationKind {
    OperationKind::InsertOne {
        document: template(&json!({"_id": {"$sequence": {}}})),
    }
}

pub(crate) fn insert_many(count: u32, ordered: bool) -> OperationKind {
    OperationKind::InsertMany {
        document: template(&json!({"_id": {"$sequence": {}}})),
        count,
        ordered,
    }
}

pub(crate) fn find_one() -> OperationKind {
    OperationKind::FindOne {
        filter: template(&json!({"_id": 1})),
        options: Limits::default(),
    }
}

pub(crate) fn find_many(options: Limits) -> OperationKind {
    OperationKind::FindMany {
        filter: template(&json!({})),
        options,
    }
}

pub(crate) fn count() -> OperationKind {
    OperationKind::Count {
        filter: template(&json!({})),
    }
}

pub(crate) fn update_one(upsert: bool) -> OperationKind {
    OperationKind::UpdateOne {
        filter: template(&json!({})),
        update: template(&json!({})),
        upsert,
        array_filters: None,
    }
}

pub(crate) fn update_many() -> OperationKind {
    let (filter, update) = (template(&json!({})), template(&json!({})));
    OperationKind::UpdateMany {
        filter,
        update,
        upsert: false,
        array_filters: None,
    }
}

pub(crate) fn replace_one(upsert: bool) -> OperationKind {
    let (filter, document) = (template(&json!({})), template(&json!({})));
    OperationKind::ReplaceOne {
        filter,
        document,
        upsert,
    }
}

pub(crate) fn delete_one() -> OperationKind {
    OperationKind::DeleteOne {
        filter: template(&json!({})),
    }
}

pub(crate) fn delete_many() -> OperationKind {
    OperationKind::DeleteMany {
        filter: template(&json!({})),
    }
}

pub(crate) fn count_documents() -> OperationKind {
    OperationKind::CountDocuments {
        filter: template(&json!({})),
    }
}

pub(crate) fn distinct(field: &str) -> OperationKind {
    OperationKind::Distinct {
        field: field.to_owned(),
        filter: template(&json!({})),
    }
}

pub(crate) fn aggregate(pipeline: &Value, batch_size: Option<u32>) -> OperationKind {
    OperationKind::Aggregate {
        pipeline: template(pipeline),
        allow_disk_use: true,
        batch_size,
    }
}

pub(crate) fn find_one_and_update(upsert: bool, returned: Returned) -> OperationKind {
    OperationKind::FindOneAndUpdate {
        filter: template(&json!({})),
        update: template(&json!({})),
        upsert,
        array_filters: None,
        options: sorted(),
        returned,
    }
}

pub(crate) fn find_one_and_replace() -> OperationKind {
    OperationKind::FindOneAndReplace {
        filter: template(&json!({})),
        document: template(&json!({})),
        upsert: false,
        options: sorted(),
        returned: Returned::After,
    }
}

pub(crate) fn find_one_and_delete() -> OperationKind {
    OperationKind::FindOneAndDelete {
        filter: template(&json!({})),
        options: sorted(),
    }
}

fn sorted() -> Limits {
    Limits {
        projection: Some(json!({"b": 0})),
        sort: Some(json!({"_id": -1})),
        ..Limits::default()
    }
}

/// Operations as parts of a bulk or a transaction, on collection `c`.
pub(crate) fn calls(kinds: Vec<OperationKind>) -> Vec<OperationPlan> {
    let call = |kind| OperationPlan {
        name: "part".to_owned(),
        collection: "c".to_owned(),
        kind,
        timeout_ns: 30_000_000_000,
        options: docstone_model::plan::CallOptions::default(),
    };
    kinds.into_iter().map(call).collect()
}

pub(crate) fn bulk_write(kinds: Vec<OperationKind>, ordered: bool) -> OperationKind {
    OperationKind::BulkWrite {
        writes: calls(kinds),
        repeat: 1,
        ordered,
    }
}

pub(crate) fn transaction(kinds: Vec<OperationKind>) -> OperationKind {
    OperationKind::Transaction {
        operations: calls(kinds),
        read_concern: Some("snapshot".to_owned()),
        write_concern: None,
    }
}
