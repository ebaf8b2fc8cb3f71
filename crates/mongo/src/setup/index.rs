//! The indexes of a collection, built after loading.

use bson::{Bson, Document, doc};
use docstone_engine::target::TargetError;
use docstone_model::{CollectionPlan, IndexPlan};
use mongodb::error::Error;
use mongodb::options::IndexOptions;
use mongodb::{Database, IndexModel};

use crate::error::{self, plan_error, setup_error};
use crate::number::integer;

/// An index of the same name or the same keys exists with other options.
const INDEX_CONFLICTS: [i32; 2] = [85, 86];

/// Creates the indexes of the plan.
pub(super) async fn create(
    database: &Database,
    collection: &CollectionPlan,
) -> Result<(), TargetError> {
    let what = format!("{}.{}", database.name(), collection.name);
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

/// Refuses indexes that the collection, which is kept, has in another form.
pub(super) async fn check(
    database: &Database,
    collection: &CollectionPlan,
) -> Result<(), TargetError> {
    if collection.indexes.is_empty() {
        return Ok(());
    }
    let what = format!("{}.{}", database.name(), collection.name);
    let failed = |problem: Error| setup_error(&format!("list the indexes of {what}"), &problem);
    // As documents: the driver's type has not all options that the server may tell.
    let list = doc! {"listIndexes": &collection.name};
    let mut cursor = database.run_cursor_command(list).await.map_err(failed)?;
    while cursor.advance().await.map_err(failed)? {
        let there: Document = cursor.deserialize_current().map_err(failed)?;
        if let Some(index) = collection
            .indexes
            .iter()
            .find(|plan| conflict(plan, &there))
        {
            return Err(plan_error(
                format!(
                    "{what} has an index {} like {} of the plan, but with other keys or options",
                    there.get_str("name").unwrap_or("?"),
                    index.name()
                ),
                Some("drop that index, or let --drop load the collection anew"),
            ));
        }
    }
    Ok(())
}

/// Options that are part of what an index is, besides its keys and `unique`: two indexes that
/// differ in one of them stand side by side under different names.
const DISTINCT: [&str; 3] = ["sparse", "partialFilterExpression", "collation"];

/// Options that are not: an index with one of them is the same index in another form, which the
/// server refuses under any name.
const OTHER_FORM: [&str; 1] = ["expireAfterSeconds"];

/// True where the server would refuse the index of the plan because of the one that is there.
fn conflict(plan: &IndexPlan, there: &Document) -> bool {
    // The server keeps the keys of a text index in a form of its own.
    let Ok(keys) = there.get_document("key") else {
        return false;
    };
    if keys.contains_key("_fts") {
        return false;
    }
    let same_name = there.get_str("name").ok() == Some(plan.name().as_str());
    let same_keys = keys.len() == plan.keys.len()
        && keys
            .iter()
            .zip(&plan.keys)
            .all(|((field, there), (of, direction))| {
                field == of
                    && Bson::try_from(direction.clone()).is_ok_and(|direction| {
                        &direction == there
                            || integer(&direction).is_some()
                                && integer(&direction) == integer(there)
                    })
            });
    let same_unique = there.get_bool("unique").unwrap_or(false) == plan.unique;
    let has = |options: &[&str]| options.iter().any(|option| there.contains_key(*option));
    let same_index = same_keys && same_unique && !has(&DISTINCT);
    // Under the same name it must be the same index in the same form, under another none at all.
    if same_name {
        !same_index || has(&OTHER_FORM)
    } else {
        same_index
    }
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

    #[test]
    fn an_index_that_is_there_in_another_form_is_a_conflict() {
        let plan = IndexPlan {
            keys: vec![("a".to_owned(), json!(1))],
            unique: false,
        };
        let conflicts = |there: Document| conflict(&plan, &there);
        assert!(!conflicts(doc! {"name": "a_1", "key": {"a": 1.0}}));
        assert!(!conflicts(doc! {"name": "b_1", "key": {"b": 1}}));
        assert!(conflicts(
            doc! {"name": "a_1", "key": {"a": 1}, "unique": true}
        ));
        assert!(conflicts(
            doc! {"name": "a_1", "key": {"a": 1}, "sparse": true}
        ));
        assert!(conflicts(doc! {"name": "a_1", "key": {"b": 1}}));
        assert!(conflicts(doc! {"name": "mine", "key": {"a": 1}}));
        assert!(conflicts(
            doc! {"name": "mine", "key": {"a": 1}, "expireAfterSeconds": 60}
        ));
        assert!(!conflicts(
            doc! {"name": "mine", "key": {"a": 1}, "unique": true}
        ));
        assert!(!conflicts(doc! {"name": "mine", "key": {"a": 1, "b": 1}}));
    }
}
