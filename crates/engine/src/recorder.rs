//! What one engine thread has counted: histograms and counters per operation, handed on once a
//! second.
//!
//! Owned by one thread and never locked. Histograms exist per thread and operation, never per
//! worker; those that were handed on come back empty, so that memory stays constant.

use std::sync::mpsc::{Receiver, Sender};

use docstone_model::ErrorClass;
use docstone_model::length::duration;

use crate::drill::ThreadDrill;
use crate::ended::Ended;
use crate::handover::{Message, ThreadInterval};
use crate::phases::{Window, interval_end_ns};
use crate::silence::{Silence, SilenceTracker};
use crate::target::{OperationResult, TargetEvent};
use crate::turn::Turn;

/// An operation or an iteration that has begun.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    slot: usize,
    started_ns: u64,
    /// In open load.
    intended_ns: Option<u64>,
}

impl InFlight {
    /// The response time of what ends now, in open load.
    fn response_ns(&self, now_ns: u64) -> Option<u64> {
        Some(now_ns.saturating_sub(self.intended_ns?))
    }
}

/// The recorder of one thread.
#[derive(Debug)]
pub(crate) struct Recorder {
    current: ThreadInterval,
    window: Window,
    /// By place of this thread: where one operation or one iteration can be in flight.
    in_flight: Vec<Option<InFlight>>,
    /// The first so many slots are those of operations, the others those of iterations.
    operations: usize,
    /// By slot.
    in_flight_count: Vec<u64>,
    /// By slot: arrivals that were due and are neither sent nor dropped.
    waiting_count: Vec<u64>,
    /// The age of the oldest arrival that waits.
    backlog_age_ns: Option<u64>,
    /// Last completion by slot.
    last_end_ns: Vec<u64>,
    silence: SilenceTracker,
    /// Only in a step with actions.
    pub(crate) drill: Option<ThreadDrill>,
    thread: usize,
    sender: Sender<Message>,
    spare: Receiver<ThreadInterval>,
}

impl Recorder {
    /// A recorder for so many slots of operations and of iterations, and `places` places.
    /// Intervals go out by `sender` and come back empty by `spare`.
    pub(crate) fn new(
        thread: usize,
        (operations, iterations, places): (usize, usize, usize),
        window: Window,
        sender: Sender<Message>,
        spare: Receiver<ThreadInterval>,
    ) -> Self {
        let slots = operations + iterations;
        Self {
            current: ThreadInterval::new(slots),
            window,
            in_flight: vec![None; places],
            operations,
            in_flight_count: vec![0; slots],
            waiting_count: vec![0; slots],
            backlog_age_ns: None,
            last_end_ns: vec![0; slots],
            silence: SilenceTracker::default(),
            drill: None,
            thread,
            sender,
            spare,
        }
    }

    /// The places where something can be in flight.
    pub(crate) fn places(&self) -> usize {
        self.in_flight.len()
    }

    /// True while nothing is in flight at a place.
    pub(crate) fn is_idle(&self, place: usize) -> bool {
        self.in_flight[place].is_none()
    }

    /// The plan has nobody work from now on.
    pub(crate) fn rests(&mut self, now_ns: u64) {
        self.silence.rests(now_ns);
    }

    /// The end of the interval that is being recorded.
    pub(crate) fn interval_end_ns(&self) -> u64 {
        interval_end_ns(self.current.from_ns, self.window.end_ns())
    }

    /// An arrival of open load was noticed, `lag_ns` after its intended start.
    pub(crate) fn due(&mut self, slot: usize, lag_ns: u64, now_ns: u64) {
        self.advance(now_ns);
        self.current.slots[slot].counters.intended += 1;
        self.current.schedule_lag.record(lag_ns);
        self.waiting_count[slot] += 1;
    }

    /// An arrival that was due will not be sent.
    pub(crate) fn dropped(&mut self, slot: usize) {
        self.current.slots[slot].counters.dropped += 1;
        self.waiting_count[slot] -= 1;
    }

    /// An arrival still waits at the end: it is recorded at its age, as a response and as a wait.
    pub(crate) fn left_waiting(&mut self, slot: usize, intended_ns: u64, now_ns: u64) {
        let age_ns = now_ns.saturating_sub(intended_ns);
        self.current.slots[slot].response.record(age_ns);
        self.current.queue_wait.record(age_ns);
    }

    /// The age of the oldest arrival that waits now.
    pub(crate) fn backlog_age(&mut self, age_ns: Option<u64>) {
        self.backlog_age_ns = age_ns;
    }

    /// An operation or an iteration of closed load begins now, or a step of an iteration, whose
    /// response counts from `intended_ns` in open load.
    pub(crate) fn started(
        &mut self,
        place: usize,
        slot: usize,
        now_ns: u64,
        intended_ns: Option<u64>,
    ) {
        self.advance(now_ns);
        self.current.slots[slot].counters.intended += 1;
        self.begin(place, slot, (now_ns, intended_ns));
    }

    /// An arrival of open load begins now.
    pub(crate) fn dispatched(&mut self, place: usize, slot: usize, turn: Turn, now_ns: u64) {
        self.advance(now_ns);
        self.current
            .queue_wait
            .record(now_ns.saturating_sub(turn.woke_ns));
        self.waiting_count[slot] -= 1;
        self.begin(place, slot, (now_ns, Some(turn.arrival.intended_ns)));
    }

    fn begin(&mut self, place: usize, slot: usize, (now_ns, intended_ns): (u64, Option<u64>)) {
        self.current.slots[slot].counters.started += 1;
        self.in_flight[place] = Some(InFlight {
            slot,
            started_ns: now_ns,
            intended_ns,
        });
        self.in_flight_count[slot] += 1;
        // Of an iteration, its operations tell whether the target is silent.
        if slot < self.operations {
            self.silence.started(now_ns);
        }
    }

    /// An operation or an iteration has ended. `end_ns` is the end of its group's window.
    pub(crate) fn ended(&mut self, place: usize, ended: Ended, now_ns: u64, end_ns: u64) {
        self.advance(now_ns);
        let in_flight = self.in_flight[place]
            .take()
            .expect("an operation ends once, after its start");
        let InFlight {
            slot, started_ns, ..
        } = in_flight;
        let response_ns = in_flight.response_ns(now_ns);
        self.in_flight_count[slot] -= 1;
        self.last_end_ns[slot] = now_ns;
        let is_operation = slot < self.operations;
        let latency_ns = now_ns - started_ns;
        let row = &mut self.current.slots[slot];
        match ended {
            Ended::Outcome(outcome) => {
                if is_operation {
                    self.current
                        .connection_wait
                        .record(outcome.connection_wait_ns);
                }
                row.counters.retries += u64::from(outcome.retries);
                row.counters.bytes_out += outcome.bytes_out;
                row.counters.bytes_in += outcome.bytes_in;
                match outcome.result {
                    OperationResult::Error(error) => {
                        if is_operation {
                            self.silence.failed(outcome.retries);
                        } else {
                            let of_a_step = error.class == ErrorClass::Timeout;
                            row.counters.timeouts += u64::from(of_a_step);
                        }
                        // Of a batch that failed in part.
                        row.counters.documents += outcome.documents.unwrap_or(0);
                        row.fail(latency_ns, error.class, || error.message);
                        return;
                    }
                    OperationResult::Ok => row.counters.ok += 1,
                    OperationResult::NotFound => row.counters.not_found += 1,
                }
                row.succeed(
                    (latency_ns, response_ns),
                    outcome.documents,
                    now_ns <= end_ns,
                );
                if is_operation {
                    self.silence.succeeded(started_ns, now_ns, outcome.retries);
                }
            }
            Ended::TimedOut {
                limit_ns,
                bytes_out,
            } => {
                row.counters.timeouts += 1;
                row.counters.bytes_out += bytes_out;
                row.fail(latency_ns, ErrorClass::Timeout, || {
                    format!(
                        "no answer within the operation's timeout of {}",
                        duration(limit_ns)
                    )
                });
                self.silence.failed(0);
            }
        }
    }

    /// What is in flight at a place was stopped, if there is something: it is recorded at its age.
    pub(crate) fn abandoned(&mut self, place: usize, now_ns: u64) {
        self.advance(now_ns);
        let Some(in_flight) = self.in_flight[place].take() else {
            return;
        };
        let slot = in_flight.slot;
        self.in_flight_count[slot] -= 1;
        let row = &mut self.current.slots[slot];
        row.in_flight_at_end += 1;
        row.censored += 1;
        row.service.record(now_ns - in_flight.started_ns);
        if let Some(response_ns) = in_flight.response_ns(now_ns) {
            row.response.record(response_ns);
        }
        if slot < self.operations {
            self.silence.abandoned();
        }
    }

    /// What the target noticed.
    pub(crate) fn target_events(&mut self, events: Vec<TargetEvent>) {
        self.current.events.extend(events);
    }

    /// The last completion of each slot.
    pub(crate) fn last_end_ns(&self) -> &[u64] {
        &self.last_end_ns
    }

    /// Hands on every interval that has ended.
    pub(crate) fn advance(&mut self, now_ns: u64) {
        loop {
            let end_ns = self.interval_end_ns();
            if now_ns < end_ns {
                return;
            }
            self.hand_on(end_ns);
        }
    }

    /// Hands on the interval that has begun, as far as it went, and ends the recording.
    pub(crate) fn finish(mut self, now_ns: u64) -> Vec<Silence> {
        self.advance(now_ns);
        self.hand_on(now_ns.max(self.current.from_ns));
        self.silence.finish(now_ns)
    }

    fn hand_on(&mut self, to_ns: u64) {
        let fresh = self.spare.try_recv().ok();
        let fresh = fresh.unwrap_or_else(|| ThreadInterval::new(self.current.slots.len()));
        let mut full = std::mem::replace(&mut self.current, fresh);
        full.to_ns = to_ns;
        full.silence = Some(self.silence.current(to_ns));
        full.backlog_age_ns = self.backlog_age_ns;
        let gauges = self.in_flight_count.iter().zip(&self.waiting_count);
        for (slot, (in_flight, waiting)) in full.slots.iter_mut().zip(gauges) {
            // What the end came upon has not ended, though nobody waits for it any more.
            slot.in_flight = *in_flight + slot.in_flight_at_end;
            slot.backlog = *waiting;
        }
        self.current.index = full.index + 1;
        self.current.from_ns = to_ns;
        // The receiver is gone only when the trial is being torn down by a panic.
        drop(self.sender.send(Message::Interval {
            thread: self.thread,
            interval: Box::new(full),
        }));
    }
}
