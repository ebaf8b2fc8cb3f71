//! What became of the inserts that were acknowledged in a step with actions.

use std::collections::BTreeMap;

use docstone_engine::workload::{Workload, inserts_reproducible_ids};
use docstone_engine::{Acknowledged, Deployment, TrialResult};
use docstone_model::record::AcknowledgedRecord;
use docstone_model::{OperationPlan, Plan};

/// Looks up every acknowledged insert of a step, operation by operation.
pub(crate) fn look_up(
    plan: &Plan,
    result: &TrialResult,
    workload: &Workload,
    deployment: Option<&dyn Deployment>,
    write_concern: Option<&str>,
) -> Vec<AcknowledgedRecord> {
    let Some(drill) = &result.drill else {
        return Vec::new();
    };
    // Groups may share an operation.
    let mut by_operation: BTreeMap<usize, Acknowledged> = BTreeMap::new();
    for (slot, numbers) in result.slots.iter().zip(&drill.acknowledged) {
        let Some(operation) = slot.key.operation() else {
            continue;
        };
        if plan.operations[operation].kind.inserted().is_some() {
            by_operation
                .entry(operation)
                .or_default()
                .merge(numbers.clone());
        }
    }
    let mut records = Vec::new();
    for (index, numbers) in by_operation {
        let operation = &plan.operations[index];
        let mut record = AcknowledgedRecord {
            operation: operation.name.clone(),
            collection: operation.collection.clone(),
            write_concern: write_concern.map(str::to_owned),
            acknowledged: Some(numbers.count()),
            ..AcknowledgedRecord::default()
        };
        let not_told = unknown(plan, result, (index, operation));
        match (not_told, deployment) {
            (Some(reason), _) => record.reason = Some(reason),
            (None, None) => record.reason = Some("the target cannot look them up".to_owned()),
            (None, Some(deployment)) => {
                let found = deployment.look_up(index, &numbers, workload);
                record.looked_up = found.looked_up;
                record.missing = (found.looked_up > 0).then_some(found.missing);
                record.missing_ids = found.missing_ids;
                record.reason = found.reason;
            }
        }
        records.push(record);
    }
    records
}

/// Why a document that is not there would say nothing.
fn unknown(
    plan: &Plan,
    result: &TrialResult,
    (index, operation): (usize, &OperationPlan),
) -> Option<String> {
    if !inserts_reproducible_ids(&operation.kind) {
        return Some("its `_id` is not a function of the document's number".to_owned());
    }
    let mut operations = result.slots.iter().filter_map(|slot| slot.key.operation());
    let deletes = operations.any(|of| {
        let mut calls = plan.operations[of].calls().into_iter();
        calls.any(|call| call.kind.deletes() && call.collection == operation.collection)
    });
    if deletes {
        return Some("the step deletes from this collection, too".to_owned());
    }
    let of_insert = result.slots_of(index);
    let unacknowledged: u64 = of_insert.map(|slot| slot.counters.documents_unknown).sum();
    (unacknowledged > 0).then(|| "write concern 0 acknowledges nothing".to_owned())
}
