//! Operations that found nothing most of the time: their latencies are those of a search that ends
//! early, and no reply has a document in it.

use docstone_engine::TrialResult;
use docstone_model::Plan;
use docstone_model::record::{Warning, WarningKind};

use super::operation::{by_name, merge};

/// The share of misses above which they are said.
const MOST: f64 = 0.5;

/// Of fewer operations nothing is said.
const FEW: u64 = 20;

/// A warning for each operation that mostly missed. What is deleted is expected to be gone the next
/// time.
pub(super) fn warnings(plan: &Plan, result: &TrialResult) -> Vec<Warning> {
    let looked_at = result.slots.iter().filter(|slot| {
        let operation = slot.key.operation();
        operation.is_some_and(|operation| !plan.operations[operation].kind.deletes())
    });
    let of = |(name, slots): (&str, Vec<_>)| {
        let counters = merge(slots.into_iter())?.counters;
        let (missed, all) = (counters.not_found, counters.ok + counters.not_found);
        let mostly = all >= FEW && missed as f64 > MOST * all as f64;
        mostly.then(|| Warning {
            kind: WarningKind::Misses,
            text: format!(
                "{missed} of {all} times {name} found nothing: its latencies are mostly those of \
                 misses; look at its filter, and at the range that its values are drawn from"
            ),
        })
    };
    by_name(plan, looked_at)
        .into_iter()
        .filter_map(of)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn said(found: usize, missed: u64) -> Vec<String> {
        let mut slot = fixture::slot(0, 0, &vec![1_000; found], &[]);
        slot.counters.not_found = missed;
        let plan = fixture::plan(Vec::new());
        let said = warnings(&plan, &fixture::result(vec![slot]));
        said.into_iter().map(|warning| warning.text).collect()
    }

    #[test]
    fn an_operation_that_mostly_missed_is_named_with_its_figures() {
        let said = said(40, 60);
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("60 of 100 times find found nothing"));
    }

    #[test]
    fn half_of_them_or_a_few_are_no_reason_to_say_anything() {
        assert!(said(50, 50).is_empty());
        assert!(said(2, 17).is_empty());
        assert!(said(0, 0).is_empty());
    }
}
