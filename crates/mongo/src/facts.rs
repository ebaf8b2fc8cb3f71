//! What operations draw from that only the server knows, read anew before each step.
//!
//! Always read from the primary: a secondary that lags would give old ranges, and inserts that go
//! on from them would collide.

mod range;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use bson::{Document, doc};
use docstone_engine::target::TargetError;
use docstone_model::{Generator, OperationKind, OperationPlan, Plan, StepPlan, Template};
use docstone_workload::{CollectionFacts, Facts, OBJECT_ID_TIME};
use mongodb::{Database, IndexModel};

use self::range::{extreme, field_range, has_range};
use crate::error::{code, plan_error, setup_error};
use crate::inserts::most_inserts;
use crate::lookup::estimate;
use crate::number::integer;
use crate::setup;

/// The era that inserts into a collection are drawn from: another for each step, since the number
/// of documents alone would repeat what an earlier step has inserted where documents were deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Era {
    pub(crate) number: u64,
    /// A step has drawn from it.
    pub(crate) used: bool,
}

impl Era {
    /// The first era of a run that has none from a marker. A collection that is not docstone's may
    /// hold what earlier runs inserted, and nothing says which eras are used up.
    fn first(plan: &Plan, collection: &str) -> Self {
        if plan.existing.iter().any(|name| name == collection) {
            Self::of_time(SystemTime::now())
        } else {
            Self::default()
        }
    }

    /// The low half counts seconds since the base time of an `ObjectId`, the high half tells runs
    /// of the same second apart.
    fn of_time(now: SystemTime) -> Self {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds =
            since.as_secs().saturating_sub(u64::from(OBJECT_ID_TIME)) & u64::from(u32::MAX);
        Self {
            number: u64::from(since.subsec_nanos()) << 32 | seconds,
            used: false,
        }
    }

    fn next(&mut self) -> u64 {
        self.number += u64::from(self.used);
        self.used = true;
        self.number
    }
}

/// Creates what the step needs, and reads ranges and numbers. What the reader of the results must
/// know of them goes to `notes`.
pub(crate) async fn prepare(
    database: &Database,
    plan: &Plan,
    step: &StepPlan,
    eras: &mut BTreeMap<String, Era>,
    notes: &mut Vec<String>,
) -> Result<Facts, TargetError> {
    let taking_part: BTreeSet<usize> = step
        .loads
        .iter()
        .flat_map(|load| plan.group_operations(load.group))
        .collect();
    let of_step: Vec<&OperationPlan> = taking_part
        .iter()
        .flat_map(|operation| plan.operations[*operation].calls())
        .collect();
    let grows: BTreeSet<&str> = of_step
        .iter()
        .filter(|operation| operation.kind.inserted().is_some())
        .map(|operation| operation.collection.as_str())
        .collect();
    let drawn = ranges(&of_step);
    check(database, &drawn, &grows).await?;
    // Of the whole step, and only if it can be run, before ranges are read: what is built later is
    // built under the load.
    make(database, plan, &of_step).await?;
    let mut facts = Facts::default();
    for (collection, field) in drawn {
        let range = field_range(database, &collection, &field).await?;
        let range = match range {
            Some(range) => range,
            None if grows.contains(collection.as_str()) => {
                notes.push(format!(
                    "{}.{collection} is empty when the step {} begins: `{field}` is drawn from 0 \
                     alone, and no document that the step inserts is found; for hits, insert \
                     documents first",
                    database.name(),
                    step.name
                ));
                (0, 0)
            }
            None => return Err(empty(database, &collection)),
        };
        let _ = facts.field_ranges.insert((collection, field), range);
    }
    // Operations that sit this step out are compiled all the same, but never drawn.
    for (collection, field) in ranges(&plan.calls().collect::<Vec<_>>()) {
        let _ = facts
            .field_ranges
            .entry((collection, field))
            .or_insert((0, 0));
    }
    for operation in plan.calls() {
        let Some(document) = operation.kind.inserted() else {
            continue;
        };
        let name = &operation.collection;
        let known = collection_facts(database, plan, name, document).await?;
        let entry = facts.collections.entry(name.clone()).or_default();
        // Two operations may insert into one collection by templates of different kinds.
        entry.max_id = entry.max_id.max(known.max_id);
        entry.next_document = entry.next_document.max(known.next_document);
    }
    begin_eras(database, (plan, step), &grows, (eras, &mut facts)).await?;
    Ok(facts)
}

/// Numbers the data sets that a step adds to, and notes it in the markers of those that have grown
/// before.
async fn begin_eras(
    database: &Database,
    (plan, step): (&Plan, &StepPlan),
    grows: &BTreeSet<&str>,
    (eras, facts): (&mut BTreeMap<String, Era>, &mut Facts),
) -> Result<(), TargetError> {
    for &name in grows {
        let unmarked = || Era::first(plan, name);
        let era = eras.entry(name.to_owned()).or_insert_with(unmarked);
        let first = !era.used;
        let number = era.next();
        let known = facts.collections.entry(name.to_owned()).or_default();
        known.era = number;
        known.inserts = most_inserts(plan, step, name);
        if !first {
            setup::begin_era(database, plan, name, number).await?;
        }
    }
    Ok(())
}

/// Refuses a step that draws from what is not there and does not grow.
async fn check(
    database: &Database,
    drawn: &BTreeSet<(String, String)>,
    grows: &BTreeSet<&str>,
) -> Result<(), TargetError> {
    for (collection, field) in drawn {
        let there = has_range(database, collection, field).await?;
        if !there && !grows.contains(collection.as_str()) {
            return Err(empty(database, collection));
        }
    }
    Ok(())
}

/// Collections and fields that the operations draw ranges of.
fn ranges(operations: &[&OperationPlan]) -> BTreeSet<(String, String)> {
    let mut ranges = BTreeSet::new();
    for operation in operations {
        for template in operation.kind.templates() {
            template.for_each_generator(&mut |generator| {
                if let Generator::FieldRange { field } = generator {
                    let _ = ranges.insert((operation.collection.clone(), field.clone()));
                }
            });
        }
    }
    ranges
}

/// Creates what the operations of a step would otherwise wait for under load: the collections that
/// they write to and the indexes of the fields that they draw from.
async fn make(
    database: &Database,
    plan: &Plan,
    operations: &[&OperationPlan],
) -> Result<(), TargetError> {
    for (collection, field) in ranges(operations) {
        // A collection that is not docstone's gets no index that its owner did not ask for.
        if !plan.existing.contains(&collection) {
            create_index(database, &collection, &field).await?;
        }
    }
    let fills = |kind: &OperationKind| kind.inserted().is_some() || kind.upserts();
    let filled: BTreeSet<&str> = operations
        .iter()
        .filter(|operation| fills(&operation.kind))
        .map(|operation| operation.collection.as_str())
        .collect();
    for collection in filled {
        create_collection(database, collection).await?;
    }
    Ok(())
}

/// Creates `{field: 1}`. For `_id` the server has it already, but creates the collection.
async fn create_index(
    database: &Database,
    collection: &str,
    field: &str,
) -> Result<(), TargetError> {
    let index = IndexModel::builder().keys(doc! {field: 1}).build();
    let what = format!(
        "create index {{{field}: 1}} on {}.{collection}",
        database.name()
    );
    match database
        .collection::<Document>(collection)
        .create_index(index)
        .await
    {
        Ok(_) => Ok(()),
        Err(problem) => Err(setup_error(&what, &problem)),
    }
}

/// Creates a collection that is not there. Otherwise the first insert would, and all others would
/// wait for it or collide: the longest times of the step would be those of its making. What the
/// server refuses here, as for one that is there, the load meets too if it matters, and counts it.
async fn create_collection(database: &Database, collection: &str) -> Result<(), TargetError> {
    match database.create_collection(collection).await {
        Err(problem) if code(&problem).is_none() => {
            let what = format!("create {}.{collection}", database.name());
            Err(setup_error(&what, &problem))
        }
        _ => Ok(()),
    }
}

fn empty(database: &Database, collection: &str) -> TargetError {
    plan_error(
        format!(
            "{}.{collection} is empty, so there is nothing to find in it",
            database.name()
        ),
        Some("insert documents first, or at the same time"),
    )
}

async fn collection_facts(
    database: &Database,
    plan: &Plan,
    name: &str,
    document: &Template,
) -> Result<CollectionFacts, TargetError> {
    let planned = plan.data.iter().find(|collection| collection.name == name);
    let there = estimate(database, name).await?;
    let sequence = matches!(
        document.field("_id"),
        Some(Template::Generator(Generator::Sequence { .. }))
    );
    let max_id = if sequence {
        let numbers = doc! {"_id": {"$type": "number"}};
        extreme(database, name, "_id", &numbers, -1)
            .await?
            .as_ref()
            .and_then(integer)
    } else {
        None
    };
    Ok(CollectionFacts {
        next_document: there.max(planned.map_or(0, |collection| collection.count)),
        max_id,
        inserts: 0,
        era: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use docstone_model::template::Context;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn ranges_are_found_in_filters_and_updates() {
        let template = |value| Template::from_json(&value, Context::Any).expect("a valid template");
        let operation = OperationPlan {
            name: "update".to_owned(),
            collection: "perf".to_owned(),
            kind: OperationKind::UpdateOne {
                filter: template(json!({"_id": {"$field_range": {}}})),
                update: template(json!({"$set": {"a": {"$field_range": {"field": "n"}}}})),
                upsert: false,
                array_filters: None,
            },
            timeout_ns: 1,
            options: docstone_model::plan::CallOptions::default(),
        };
        let ranges: Vec<_> = ranges(&[&operation]).into_iter().collect();
        assert_eq!(
            ranges,
            [
                ("perf".to_owned(), "_id".to_owned()),
                ("perf".to_owned(), "n".to_owned())
            ]
        );
    }

    #[test]
    fn each_step_that_inserts_has_an_era_of_its_own() {
        let mut era = Era {
            number: 3,
            used: false,
        };
        assert_eq!([era.next(), era.next(), era.next()], [3, 4, 5]);
    }

    #[test]
    fn runs_without_a_marker_have_eras_of_their_time() {
        let at = |nanos| Era::of_time(UNIX_EPOCH + Duration::from_nanos(nanos)).number;
        let start = (u64::from(OBJECT_ID_TIME) + 7) * 1_000_000_000;
        assert_eq!(at(start), 7);
        assert_eq!(at(start + 3), 3 << 32 | 7);
        assert_ne!(at(start), at(start + 1));
    }
}
