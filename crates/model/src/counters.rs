//! What is counted for one operation of one group.

use std::collections::BTreeMap;

use crate::error_class::ErrorClass;

/// Counters of one operation of one group, over one interval or a whole step. They add up:
/// `intended = started + dropped + backlog_at_end`,
/// `started = ok + not_found + errors + in_flight_at_end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Operations that the schedule called for; in closed load the same as `started`.
    pub intended: u64,
    /// Operations that were sent.
    pub started: u64,
    /// Operations that succeeded and touched at least one document.
    pub ok: u64,
    /// Operations that succeeded and touched no document.
    pub not_found: u64,
    /// Operations that failed, timeouts included.
    pub errors: u64,
    /// Operations that passed their own limit; part of `errors`.
    pub timeouts: u64,
    /// Repeated attempts that the client made by itself.
    pub retries: u64,
    /// Arrivals that were never sent, by policy.
    pub dropped: u64,
    /// Latencies above the histogram's range (600 s), recorded at its end.
    pub saturated: u64,
    /// Documents inserted, read, counted, changed or deleted.
    pub documents: u64,
    /// Operations whose number of documents is unknown (write concern 0).
    pub documents_unknown: u64,
    /// Encoded bytes of filters, documents and updates that were sent.
    pub bytes_out: u64,
    /// Encoded bytes of documents that were received.
    pub bytes_in: u64,
    /// Successes (`ok` and `not_found`) that ended inside the measured window.
    pub completed_in_window: u64,
    /// Errors by class.
    pub errors_by_class: BTreeMap<ErrorClass, u64>,
}

impl Counters {
    /// Adds another set of counters to this one.
    pub fn add(&mut self, other: &Self) {
        self.intended += other.intended;
        self.started += other.started;
        self.ok += other.ok;
        self.not_found += other.not_found;
        self.errors += other.errors;
        self.timeouts += other.timeouts;
        self.retries += other.retries;
        self.dropped += other.dropped;
        self.saturated += other.saturated;
        self.documents += other.documents;
        self.documents_unknown += other.documents_unknown;
        self.bytes_out += other.bytes_out;
        self.bytes_in += other.bytes_in;
        self.completed_in_window += other.completed_in_window;
        for (class, count) in &other.errors_by_class {
            *self.errors_by_class.entry(*class).or_default() += count;
        }
    }

    /// Operations that ended, in success or not.
    pub fn ended(&self) -> u64 {
        self.ok + self.not_found + self.errors
    }
}
