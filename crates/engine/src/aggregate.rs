//! Merges what the threads hand on: intervals while a trial runs, totals at its end.
//!
//! Runs on the calling thread, beside the load, once a second per engine thread.

use std::collections::VecDeque;

use docstone_model::Outage;
use docstone_model::outage::OUTAGE_MIN_NS;
use docstone_stats::Latencies;

use crate::handover::{ThreadInterval, ThreadSlot};
use crate::interval::{IntervalData, SlotData, SlotKey, Waits, add_messages, split};
use crate::phases::Window;
use crate::silence::Silence;

/// Intervals and totals of one trial.
pub(crate) struct Aggregate {
    slots: Vec<SlotKey>,
    totals: Vec<SlotData>,
    waits: Waits,
    /// Intervals that not all threads have handed on, the oldest first.
    pending: VecDeque<Pending>,
    /// Index of the first pending interval.
    first: usize,
    /// By thread: intervals handed on so far; `usize::MAX` once it has ended.
    handed_on: Vec<usize>,
    window: Window,
}

struct Pending {
    data: IntervalData,
    silences: Vec<Silence>,
}

impl Aggregate {
    pub(crate) fn new(slots: &[SlotKey], threads: usize, window: Window) -> Self {
        Self {
            slots: slots.to_vec(),
            totals: slots.iter().map(|key| SlotData::empty(*key)).collect(),
            waits: Waits::default(),
            pending: VecDeque::new(),
            first: 0,
            handed_on: vec![0; threads],
            window,
        }
    }

    /// Takes one thread's interval in; returns the intervals that are complete by it.
    pub(crate) fn interval(
        &mut self,
        thread: usize,
        interval: &ThreadInterval,
    ) -> Vec<IntervalData> {
        self.handed_on[thread] = interval.index + 1;
        let at = interval.index - self.first;
        while self.pending.len() <= at {
            self.pending.push_back(self.new_pending(interval));
        }
        let pending = &mut self.pending[at];
        pending.data.to_ns = pending.data.to_ns.max(interval.to_ns);
        pending.silences.extend(interval.silence);
        let rows = pending.data.slots.iter_mut().zip(&mut self.totals);
        for ((row, total), from) in rows.zip(&interval.slots) {
            add(row, from);
            add(total, from);
        }
        pending.data.schedule_lag.add(&interval.schedule_lag);
        let age_ns = &mut pending.data.backlog_age_ns;
        *age_ns = (*age_ns).max(interval.backlog_age_ns);
        self.waits.connection.add(&interval.connection_wait);
        self.waits.schedule_lag.add(&interval.schedule_lag);
        self.waits.queue.add(&interval.queue_wait);
        self.complete()
    }

    /// A thread has ended: it hands on nothing more.
    pub(crate) fn thread_finished(&mut self, thread: usize) -> Vec<IntervalData> {
        self.handed_on[thread] = usize::MAX;
        self.complete()
    }

    /// The totals.
    pub(crate) fn into_totals(self) -> (Vec<SlotData>, Waits) {
        (self.totals, self.waits)
    }

    fn new_pending(&self, interval: &ThreadInterval) -> Pending {
        let data = IntervalData {
            from_ns: interval.from_ns,
            to_ns: interval.from_ns,
            drain: interval.from_ns >= self.window.end_ns(),
            slots: self.slots.iter().map(|key| SlotData::empty(*key)).collect(),
            iterations: Vec::new(),
            schedule_lag: Latencies::new(),
            backlog_age_ns: None,
            outage: None,
        };
        Pending {
            data,
            silences: Vec::new(),
        }
    }

    fn complete(&mut self) -> Vec<IntervalData> {
        let mut complete = Vec::new();
        // Threads end at different times: an interval is whole when each thread has handed its
        // part on or has ended.
        while self
            .handed_on
            .iter()
            .all(|intervals| *intervals > self.first)
        {
            let Some(pending) = self.pending.pop_front() else {
                break;
            };
            let Pending { mut data, silences } = pending;
            data.outage = ongoing(&silences, data.to_ns);
            self.first += 1;
            // Only now, since each thread adds to all slots at once.
            (data.slots, data.iterations) = split(data.slots);
            if data.to_ns > data.from_ns {
                complete.push(data);
            }
        }
        complete
    }
}

/// The outage that goes on at `now_ns`, if all threads have been silent for long enough and one
/// of them waits.
fn ongoing(silences: &[Silence], now_ns: u64) -> Option<Outage> {
    let silent_from = silences.iter().map(|silence| silence.from_ns).max()?;
    let waiting_from = silences
        .iter()
        .filter_map(|silence| silence.waiting_from_ns)
        .min()?;
    let from_ns = silent_from.max(waiting_from);
    (now_ns >= from_ns + OUTAGE_MIN_NS).then(|| Outage {
        from_ns,
        to_ns: now_ns,
        errors: silences.iter().map(|silence| silence.errors).sum(),
        retries: silences.iter().map(|silence| silence.retries).sum(),
    })
}

/// Adds what one thread measured. Taken apart, so that nothing that is added to it is forgotten here.
fn add(to: &mut SlotData, from: &ThreadSlot) {
    let ThreadSlot {
        counters,
        in_flight,
        backlog,
        in_flight_at_end,
        censored,
        service,
        response,
        error,
        error_messages,
    } = from;
    to.counters.add(counters);
    to.in_flight += in_flight;
    to.backlog += backlog;
    to.in_flight_at_end += in_flight_at_end;
    to.censored += censored;
    to.service.add(service);
    to.response.add(response);
    to.error.add(error);
    to.counters.saturated += error.saturated();
    // An operation above the range of service times is above that of response times, too.
    let of_successes = service.saturated().max(response.saturated());
    to.counters.saturated += of_successes;
    add_messages(&mut to.error_messages, error_messages);
}
