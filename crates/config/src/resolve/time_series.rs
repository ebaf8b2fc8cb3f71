//! Operations that no server does on a time series.

use docstone_model::OperationKind;
use docstone_model::plan::TimeSeries;

use super::data::Collections;
use super::operation::Operations;
use crate::spot::Spot;

/// Records operations that a time series does not take.
pub(super) fn check(operations: &Operations, data: &Collections, root: &Spot<'_>) {
    for (name, plan) in operations {
        let Some(plan) = plan else { continue };
        let collection = data.get(&plan.collection);
        let series = collection.and_then(|collection| collection.options.time_series.as_ref());
        let Some(fault) = series.and_then(|series| fault(&plan.kind, series)) else {
            continue;
        };
        let help = "insert, find, count and delete, or use a collection without `time_series`";
        root.at("operations").at(name).fault(
            format!("`{}` is a time series: {fault}", plan.collection),
            Some(help.to_owned()),
        );
    }
}

/// Changes of single documents, in files.
const SINGLE: [&str; 5] = [
    "update_one",
    "replace_one",
    "find_one_and_update",
    "find_one_and_replace",
    "find_one_and_delete",
];

/// What a time series does not take of an operation. Updates are limited in all versions: to many
/// documents, found and changed by the meta field alone.
fn fault(kind: &OperationKind, series: &TimeSeries) -> Option<String> {
    if kind.upserts() {
        return Some("the server does no upsert there".to_owned());
    }
    match kind.name() {
        name if SINGLE.contains(&name) => Some(format!("the server does no {name} there")),
        "update_many" if series.meta.is_none() => {
            Some("the server updates only its meta field, and it has none".to_owned())
        }
        _ => None,
    }
}
