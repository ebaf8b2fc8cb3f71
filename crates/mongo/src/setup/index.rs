//! The indexes of a collection, built before or after loading.

use std::time::Duration;

use bson::{Bson, Document, doc};
use docstone_engine::target::TargetError;
use docstone_model::plan::IndexBuild;
use docstone_model::{CollectionPlan, IndexPlan};
use mongodb::error::Error;
use mongodb::options::IndexOptions;
use mongodb::{Database, IndexModel};

use crate::error::{self, plan_error, setup_error};
use crate::number::integer;

/// An index of the same name or the same keys exists with other options.
const INDEX_CONFLICTS: [i32; 2] = [85, 86];

/// Creates the indexes of the plan that are built at this time.
pub(super) async fn create(
    database: &Database,
    collection: &CollectionPlan,
    build: IndexBuild,
) -> Result<(), TargetError> {
    let what = format!("{}.{}", database.name(), collection.name);
    let mut due = collection.indexes.iter();
    while let Some(index) = due.find(|index| index.build == build) {
        let model = model(index).map_err(|fault| {
            plan_error(format!("{what}: index {}: {fault}", index.name()), None)
        })?;
        let creating = database
            .collection::<Document>(&collection.name)
            .create_index(model)
            .await;
        creating.map_err(|problem| index_error(&what, index, &problem))?;
    }
    Ok(())
}

/// The index as the server is asked for it.
///
/// # Errors
/// What it cannot be asked for, in words.
fn model(index: &IndexPlan) -> Result<IndexModel, &'static str> {
    let mut keys = Document::new();
    for (field, direction) in &index.keys {
        let direction = Bson::try_from(direction.clone());
        let direction = direction.map_err(|_| "a key is no direction")?;
        let _ = keys.insert(field.clone(), direction);
    }
    let collation = index.collation.clone().map(serde_json::from_value);
    let collation = collation.transpose().map_err(|_| COLLATION_FAULT)?;
    let after = index.expire_after_s.map(u64::from).map(Duration::from_secs);
    let options = IndexOptions::builder()
        .name(index.name())
        .unique(index.unique.then_some(true))
        .sparse(index.sparse.then_some(true))
        .expire_after(after)
        .partial_filter_expression(partial(index)?)
        .collation(collation)
        .build();
    Ok(IndexModel::builder().keys(keys).options(options).build())
}

const COLLATION_FAULT: &str = "its `collation` has other keys or values than locale, strength, \
                               caseLevel, caseFirst, numericOrdering, alternate, maxVariable, \
                               normalization and backwards take";

fn partial(index: &IndexPlan) -> Result<Option<Document>, &'static str> {
    match index.partial.clone().map(Bson::try_from) {
        None => Ok(None),
        Some(Ok(Bson::Document(filter))) => Ok(Some(filter)),
        Some(_) => Err("`partial` is no document"),
    }
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
    let same_index = has_keys(plan, keys) && is_alike(plan, there);
    // An index that differs in its time to live is the same in another form, which the server
    // refuses under any name.
    let lives_s = there.get("expireAfterSeconds").and_then(integer);
    let same_form = lives_s == plan.expire_after_s.map(i64::from);
    // Under the same name it must be the same index in the same form, under another none at all.
    if same_name {
        !same_index || !same_form
    } else {
        same_index
    }
}

fn has_keys(plan: &IndexPlan, keys: &Document) -> bool {
    keys.len() == plan.keys.len()
        && keys
            .iter()
            .zip(&plan.keys)
            .all(|((field, there), (of, direction))| {
                field == of && is_same(there, Bson::try_from(direction.clone()).ok().as_ref())
            })
}

/// Numbers are the same by their value.
fn is_same(there: &Bson, wanted: Option<&Bson>) -> bool {
    let number = integer(there);
    Some(there) == wanted || number.is_some() && number == wanted.and_then(integer)
}

/// True if both are the same in the options that are part of what an index is: two that differ in
/// one of them stand side by side under different names.
fn is_alike(plan: &IndexPlan, there: &Document) -> bool {
    let is = |option: &str| there.get_bool(option).unwrap_or(false);
    let same_partial = partial(plan)
        .is_ok_and(|wanted| there.get_document("partialFilterExpression").ok() == wanted.as_ref());
    is("unique") == plan.unique
        && is("sparse") == plan.sparse
        && same_partial
        && has_collation(plan, there)
}

/// The server adds what the plan leaves open.
fn has_collation(plan: &IndexPlan, there: &Document) -> bool {
    match (&plan.collation, there.get_document("collation")) {
        (None, Err(_)) => true,
        (Some(wanted), Ok(there)) => {
            wanted
                .as_object()
                .into_iter()
                .flatten()
                .all(|(key, value)| {
                    let wanted = Bson::try_from(value.clone()).ok();
                    there
                        .get(key)
                        .is_some_and(|there| is_same(there, wanted.as_ref()))
                })
        }
        _ => false,
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
            ..IndexPlan::default()
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
            ..IndexPlan::default()
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
