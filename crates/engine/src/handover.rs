//! What an engine thread hands to the trial: a filled interval each second, and its end.

use std::collections::BTreeMap;

use docstone_model::record::ConnectionCounts;
use docstone_model::{Counters, ErrorClass};
use docstone_stats::Latencies;

use crate::arrival_gaps::Noticed;
use crate::drill::DrillResult;
use crate::silence::Silence;
use crate::target::{TargetError, TargetEvent};

/// What threads tell the trial.
#[derive(Debug)]
pub(crate) enum Message {
    /// Connections are open and warm.
    Ready,
    /// Connections could not be opened.
    Failed(TargetError),
    /// An interval has ended.
    Interval {
        thread: usize,
        interval: Box<ThreadInterval>,
    },
    /// All workers have ended.
    Finished { thread: usize, end: Box<ThreadEnd> },
}

/// What a thread knows at its end.
#[derive(Debug)]
pub(crate) struct ThreadEnd {
    pub(crate) end_ns: u64,
    /// Last completion by slot.
    pub(crate) last_end_ns: Vec<u64>,
    pub(crate) silences: Vec<Silence>,
    pub(crate) connections: ConnectionCounts,
    pub(crate) noticed: Vec<Noticed>,
    /// Only of a step with actions.
    pub(crate) drill: Option<DrillResult>,
}

/// What one thread measured of one slot in one interval.
#[derive(Debug, Default)]
pub(crate) struct ThreadSlot {
    pub(crate) counters: Counters,
    pub(crate) in_flight: u64,
    pub(crate) backlog: u64,
    pub(crate) in_flight_at_end: u64,
    pub(crate) censored: u64,
    pub(crate) service: Latencies<u32>,
    pub(crate) response: Latencies<u32>,
    pub(crate) error: Latencies<u32>,
    pub(crate) error_messages: BTreeMap<String, String>,
}

/// What one thread measured in one interval.
#[derive(Debug, Default)]
pub(crate) struct ThreadInterval {
    pub(crate) index: usize,
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    pub(crate) slots: Vec<ThreadSlot>,
    pub(crate) connection_wait: Latencies<u32>,
    pub(crate) schedule_lag: Latencies<u32>,
    pub(crate) queue_wait: Latencies<u32>,
    pub(crate) backlog_age_ns: Option<u64>,
    pub(crate) silence: Option<Silence>,
    pub(crate) events: Vec<TargetEvent>,
}

impl ThreadInterval {
    /// An empty interval.
    pub(crate) fn new(slots: usize) -> Self {
        let slots = (0..slots).map(|_| ThreadSlot::default()).collect();
        Self {
            slots,
            ..Self::default()
        }
    }

    /// Empties it for the next use.
    pub(crate) fn reset(&mut self) {
        for slot in &mut self.slots {
            slot.counters = Counters::default();
            (slot.in_flight, slot.in_flight_at_end, slot.censored) = (0, 0, 0);
            slot.backlog = 0;
            slot.service.reset();
            slot.response.reset();
            slot.error.reset();
            slot.error_messages.clear();
        }
        self.connection_wait.reset();
        self.schedule_lag.reset();
        self.queue_wait.reset();
        self.backlog_age_ns = None;
        self.silence = None;
        self.events.clear();
    }
}

impl ThreadSlot {
    /// An operation succeeded, after a service time and, in open load, a response time.
    pub(crate) fn succeed(
        &mut self,
        (service_ns, response_ns): (u64, Option<u64>),
        documents: Option<u64>,
        in_window: bool,
    ) {
        match documents {
            Some(documents) => self.counters.documents += documents,
            None => self.counters.documents_unknown += 1,
        }
        self.counters.completed_in_window += u64::from(in_window);
        self.service.record(service_ns);
        if let Some(response_ns) = response_ns {
            self.response.record(response_ns);
        }
    }

    /// An operation failed.
    pub(crate) fn fail(
        &mut self,
        latency_ns: u64,
        class: ErrorClass,
        message: impl FnOnce() -> String,
    ) {
        self.counters.errors += 1;
        *self.counters.errors_by_class.entry(class).or_default() += 1;
        self.error.record(latency_ns);
        let _ = self
            .error_messages
            .entry(class.to_string())
            .or_insert_with(message);
    }
}
