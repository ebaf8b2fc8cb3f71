//! The collection itself and its indexes, built after loading.

use bson::{Bson, Document};
use docstone_engine::target::TargetError;
use docstone_model::{CollectionPlan, IndexPlan};
use mongodb::error::Error;
use mongodb::options::IndexOptions;
use mongodb::{Database, IndexModel};

use crate::error::{self, plan_error, setup_error};

/// The collection exists already.
const NAMESPACE_EXISTS: i32 = 48;

/// An index of the same name or the same keys exists with other options.
const INDEX_CONFLICTS: [i32; 2] = [85, 86];

/// Creates an empty collection where none is, and the indexes of the plan.
pub(super) async fn create(
    database: &Database,
    collection: &CollectionPlan,
) -> Result<(), TargetError> {
    let what = format!("{}.{}", database.name(), collection.name);
    if collection.count == 0 {
        match database.create_collection(&collection.name).await {
            Err(problem) if error::code(&problem) != Some(NAMESPACE_EXISTS) => {
                return Err(setup_error(&format!("create {what}"), &problem));
            }
            _ => {}
        }
    }
    for index in &collection.indexes {
        let model = model(index).ok_or_else(|| {
            plan_error(
                format!(
                    "{what}: index {} has a key that is no direction",
                    index.name()
                ),
                None,
            )
        })?;
        let creating = database
            .collection::<Document>(&collection.name)
            .create_index(model)
            .await;
        creating.map_err(|problem| index_error(&what, index, &problem))?;
    }
    Ok(())
}

fn model(index: &IndexPlan) -> Option<IndexModel> {
    let mut keys = Document::new();
    for (field, direction) in &index.keys {
        let _ = keys.insert(field.clone(), Bson::try_from(direction.clone()).ok()?);
    }
    let options = IndexOptions::builder()
        .name(index.name())
        .unique(index.unique.then_some(true))
        .build();
    Some(IndexModel::builder().keys(keys).options(options).build())
}

fn index_error(what: &str, index: &IndexPlan, problem: &Error) -> TargetError {
    let name = index.name();
    if error::code(problem).is_some_and(|code| INDEX_CONFLICTS.contains(&code)) {
        return plan_error(
            format!(
                "{what} has an index like {name} with other options: {}",
                error::message(problem)
            ),
            Some("drop that index, or let --drop load the collection anew"),
        );
    }
    if error::code(problem) == Some(error::DUPLICATE_KEY) {
        return plan_error(
            format!(
                "{what}: the index {name} is to be unique, and two documents have the same keys: {}",
                error::message(problem)
            ),
            Some("leave out `unique`, or let the documents of the plan differ in its fields"),
        );
    }
    setup_error(&format!("create index {name} on {what}"), problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;
    use serde_json::json;

    #[test]
    fn keys_keep_their_order_and_the_servers_default_name() {
        let index = IndexPlan {
            keys: vec![
                ("customer".to_owned(), json!(1)),
                ("at".to_owned(), json!(-1)),
            ],
            unique: true,
        };
        let model = model(&index).expect("valid");
        assert_eq!(model.keys, doc! {"customer": 1, "at": -1});
        let options = model.options.expect("options");
        assert_eq!(options.name.as_deref(), Some("customer_1_at_-1"));
        assert_eq!(options.unique, Some(true));
    }
}
