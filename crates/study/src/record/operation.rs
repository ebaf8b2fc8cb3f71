//! The record of one operation, of one group or merged over several.

use std::collections::BTreeMap;

use docstone_engine::{SlotData, summarize};
use docstone_model::Plan;
use docstone_model::record::OperationRecord;

/// The record of what one slot, or several merged ones, counted in a window.
pub(crate) fn operation_record(slot: &SlotData, window_ns: u64) -> OperationRecord {
    let counters = &slot.counters;
    let succeeded = counters.ok + counters.not_found > 0;
    OperationRecord {
        intended: counters.intended,
        started: counters.started,
        ok: counters.ok,
        not_found: counters.not_found,
        errors: counters.errors,
        errors_by_code: counters
            .errors_by_class
            .iter()
            .map(|(class, count)| (class.to_string(), *count))
            .collect(),
        error_messages: slot.error_messages.clone(),
        timeouts: counters.timeouts,
        retries: counters.retries,
        dropped: counters.dropped,
        backlog_at_end: counters.intended - counters.started - counters.dropped,
        in_flight_at_end: slot.in_flight_at_end,
        censored: slot.censored,
        saturated: counters.saturated,
        documents: (counters.documents_unknown == 0).then_some(counters.documents),
        bytes_out: counters.bytes_out,
        bytes_in: counters.bytes_in,
        completed_in_window: counters.completed_in_window,
        throughput_ops_per_s: (succeeded && window_ns > 0)
            .then(|| counters.completed_in_window as f64 * 1e9 / window_ns as f64),
        service_ns: summarize(&slot.service),
        response_ns: slot.key.open.then(|| summarize(&slot.response)),
        error_ns: summarize(&slot.error),
    }
}

/// Slots by the name under which they stand in the results: that of an operation or of a step,
/// whatever the group, or `iterations`.
pub(crate) fn by_name<'a>(
    plan: &'a Plan,
    slots: impl Iterator<Item = &'a SlotData>,
) -> BTreeMap<&'a str, Vec<&'a SlotData>> {
    let mut by_name: BTreeMap<&str, Vec<&SlotData>> = BTreeMap::new();
    for slot in slots {
        by_name.entry(slot.key.name(plan)).or_default().push(slot);
    }
    by_name
}

/// Several slots as one: counts are added and histograms merged, never averaged. `None` if there
/// is no slot.
pub(crate) fn merge<'a>(mut slots: impl Iterator<Item = &'a SlotData>) -> Option<SlotData> {
    let mut merged = slots.next()?.clone();
    slots.for_each(|slot| merged.add(slot));
    Some(merged)
}
