//! Which keys can be drawn: those whose document's number is enough to compute them again.

use bson::Bson;
use docstone_model::{CollectionPlan, Generator, OperationKind, Plan, Template};

use crate::document::{IdProgram, KeySource, Keys, Lineage};
use crate::error::{CompileError, Fault};

/// The keys of all collections that the plan sets up.
pub(crate) fn keys_of(plan: &Plan) -> Result<Keys, CompileError> {
    let mut keys = Keys::default();
    for data in &plan.data {
        let collection = data.name.clone();
        let source = if data.count == 0 {
            Err(Fault::KeyOfEmptyCollection { collection })
        } else if has_reproducible_ids(data) {
            let IdProgram { kind, value } = IdProgram::of_data(plan.seed, data)?;
            Ok(KeySource {
                count: data.count,
                lineage: Lineage::loaded(plan.seed, &data.name),
                kind,
                value,
            })
        } else {
            Err(Fault::KeyNotReproducible { collection })
        };
        keys.insert(&data.name, source);
    }
    Ok(keys)
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
    let (drawn, reproducible) = drawn(id);
    reproducible && (drawn || data.count <= 1)
}

/// True if the `_id` of each document that an operation inserts is a function of the document's
/// number; false for operations that insert nothing.
pub fn inserts_reproducible_ids(operation: &OperationKind) -> bool {
    let OperationKind::InsertOne { document } = operation else {
        return false;
    };
    document.field("_id").is_none_or(|id| drawn(id).1)
}

/// Whether something in an `_id` is drawn, and whether all that is drawn is a function of the
/// document's number.
fn drawn(id: &Template) -> (bool, bool) {
    let (mut drawn, mut reproducible) = (false, true);
    id.for_each_generator(&mut |generator: &Generator| {
        drawn = true;
        reproducible &= generator.is_reproducible();
    });
    (drawn, reproducible)
}

#[cfg(test)]
mod tests;
