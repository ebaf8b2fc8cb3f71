//! Which keys can be drawn: those whose document's number is enough to compute them again.

use std::sync::Arc;

use bson::Bson;
use docstone_model::{CollectionPlan, Generator, OperationKind, OperationPlan, Plan, Template};

use crate::document::{IdProgram, Ids, InsertedKeys, KeySource, Keys, Lineage};
use crate::error::{CompileError, Fault};
use crate::facts::Facts;
use crate::inserted::Inserted;

/// The keys of all collections that the plan sets up, for documents that are loaded.
pub(crate) fn keys_of(plan: &Plan) -> Result<Keys, CompileError> {
    keys(plan, |_, _| Ok(None))
}

/// The same for operations under load, with the documents that the load inserts where they are
/// asked for.
pub(crate) fn keys_under_load(plan: &Plan, facts: &Facts) -> Result<Keys, CompileError> {
    keys(plan, |data, kind| inserted(plan, facts, data, kind))
}

/// The keys that a collection's inserts make, or why they cannot be drawn.
type InsertedSource = Option<Result<Arc<InsertedKeys>, Fault>>;

fn keys(
    plan: &Plan,
    inserted: impl Fn(&CollectionPlan, u8) -> Result<InsertedSource, CompileError>,
) -> Result<Keys, CompileError> {
    let mut keys = Keys::default();
    for data in &plan.data {
        let collection = data.name.clone();
        let source = if data.count == 0 {
            Err(Fault::KeyOfEmptyCollection { collection })
        } else if has_reproducible_ids(data) {
            let IdProgram { kind, value } = IdProgram::of_data(plan.seed, data)?;
            Ok(KeySource {
                count: data.count,
                kind,
                ids: Ids {
                    lineage: Lineage::loaded(plan.seed, &data.name),
                    value,
                },
                inserted: inserted(data, kind)?,
            })
        } else {
            Err(Fault::KeyNotReproducible { collection })
        };
        keys.insert(&data.name, source);
    }
    Ok(keys)
}

/// What the load inserts into a collection, as far as a `$key` asks for it. `kind` is the BSON type
/// of the `_id` of the documents that are loaded.
fn inserted(
    plan: &Plan,
    facts: &Facts,
    data: &CollectionPlan,
    kind: u8,
) -> Result<InsertedSource, CompileError> {
    let inserts: Vec<(&OperationPlan, &Template)> = plan
        .calls()
        .filter(|operation| operation.collection == data.name)
        .filter_map(|operation| Some((operation, operation.kind.inserted()?)))
        .collect();
    let Some((operation, document)) = inserts.first().copied() else {
        return Ok(None);
    };
    if !asks_for_inserted(plan, &data.name) {
        return Ok(None);
    }
    let fault = |operation: &OperationPlan, why| {
        let operation = operation.name.clone();
        Ok(Some(Err(Fault::KeyOfInserted { operation, why })))
    };
    for (other, template) in &inserts {
        if !inserts_reproducible_ids(&other.kind) {
            return fault(
                other,
                "whose `_id` does not follow from the document's number",
            );
        }
        if template.field("_id") != document.field("_id") {
            return fault(
                other,
                "whose `_id` is made in another way than that of others",
            );
        }
    }
    let of = facts.collection(plan, &data.name);
    let id = IdProgram::of_insert((plan.seed, facts), (operation, document), of)?;
    if id.kind != kind {
        return fault(
            operation,
            "whose `_id` is of another type than that of the loaded documents",
        );
    }
    Ok(Some(Ok(Arc::new(InsertedKeys {
        documents: Arc::new(Inserted::new(of.next_document)),
        ids: Ids {
            lineage: Lineage::of_era(plan.seed, &data.name, of.era),
            value: id.value,
        },
    }))))
}

/// True if a `$key` of an operation draws documents that are inserted into this collection.
fn asks_for_inserted(plan: &Plan, name: &str) -> bool {
    let mut asks = false;
    for operation in plan.calls() {
        for template in operation.kind.templates() {
            template.for_each_generator(&mut |generator| {
                if let Generator::Key {
                    distribution,
                    collection,
                    inserted,
                    ..
                } = generator
                {
                    let collection = collection.as_ref().unwrap_or(&operation.collection);
                    asks |= collection == name && distribution.draws_inserted(*inserted);
                }
            });
        }
    }
    asks
}

/// True if the `_id` of each document is a function of its number, and they can differ.
pub fn has_reproducible_ids(data: &CollectionPlan) -> bool {
    let id = match &data.document {
        Some(Template::Constant(Bson::Document(document))) if document.contains_key("_id") => {
            return data.count <= 1;
        }
        document => document.as_ref().and_then(|document| document.field("_id")),
    };
    let Some(id) = id else {
        return true; // an `ObjectId` made from the number
    };
    let mut drawn = false;
    id.for_each_generator(&mut |_: &Generator| drawn = true);
    id.is_reproducible() && (drawn || data.count <= 1)
}

/// True if the `_id` of each document that an operation inserts is a function of the document's
/// number; false for operations that insert nothing.
pub fn inserts_reproducible_ids(operation: &OperationKind) -> bool {
    let Some(document) = operation.inserted() else {
        return false;
    };
    document.field("_id").is_none_or(Template::is_reproducible)
}

#[cfg(test)]
mod tests;
