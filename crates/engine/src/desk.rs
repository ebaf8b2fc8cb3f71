//! What a worker does with one operation, whatever load and scenario it belongs to: it is begun,
//! sent within its limit, and recorded.

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use docstone_workload::{PreparedOperation, Stream, Workload};

use crate::clock::Clock;
use crate::control::Control;
use crate::deadlines::Deadlines;
use crate::drill::DrilledOperation;
use crate::ended::Ended;
use crate::recorder::Recorder;
use crate::target::Session;
use crate::turn::Turn;

/// What the plan asks of the workers of one group.
#[derive(Debug)]
pub(crate) struct Terms {
    /// Position in the step's loads.
    pub(crate) load: usize,
    /// The first slot of the group; the position among those of the group is added to it.
    pub(crate) first_slot: usize,
    /// The slot of the group's iterations, where they are counted besides operations.
    pub(crate) iteration_slot: Option<usize>,
    /// Limits of one operation by position among the slots of the group, in nanoseconds.
    pub(crate) timeouts_ns: Vec<u64>,
    /// The end of the group's window; `u64::MAX` where only the number of operations ends it.
    pub(crate) end_ns: u64,
}

/// What a worker needs for all of its operations. Everything but `control` and `workload` is its
/// thread's own.
pub(crate) struct Desk {
    pub(crate) terms: Rc<Terms>,
    pub(crate) control: Arc<Control>,
    pub(crate) clock: Clock,
    pub(crate) recorder: Rc<RefCell<Recorder>>,
    pub(crate) deadlines: Rc<Deadlines>,
    pub(crate) workload: Arc<Workload>,
}

/// Where one operation at a time is drawn and sent: a worker has as many as it can have in flight.
pub(crate) struct Lane<S> {
    /// Its position among the places of its thread.
    pub(crate) place: usize,
    pub(crate) stream: Stream,
    pub(crate) session: S,
}

/// From what an operation or an iteration begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Begin {
    /// In closed load: at once.
    Closed,
    /// In open load: an arrival.
    Turn(Turn),
    /// A step of an iteration; in open load, the time from which its response counts.
    Step(Option<u64>),
}

impl Desk {
    /// The end of the group's window, or the time at which the trial was stopped.
    pub(crate) fn stop_after_ns(&self) -> u64 {
        self.terms
            .end_ns
            .min(self.control.stop_ns.load(Ordering::Relaxed))
    }

    /// Records that something begins.
    pub(crate) fn begin(&self, place: usize, slot: usize, begin: Begin, now_ns: u64) {
        let mut recorder = self.recorder.borrow_mut();
        match begin {
            Begin::Closed => recorder.started(place, slot, now_ns, None),
            Begin::Turn(turn) => recorder.dispatched(place, slot, turn, now_ns),
            Begin::Step(since_ns) => recorder.started(place, slot, now_ns, since_ns),
        }
    }

    /// Sends one operation and waits for its end or its limit; returns the time of that.
    pub(crate) async fn execute<S: Session>(
        &self,
        place: usize,
        session: &mut S,
        operation: &PreparedOperation,
        begin: Begin,
    ) -> (Ended, u64) {
        let bytes_out = operation.encoded_bytes();
        let limit_ns = self.terms.timeouts_ns[operation.slot];
        let slot = self.terms.first_slot + operation.slot;
        let started_ns = self.clock.now_ns();
        self.begin(place, slot, begin, started_ns);
        let deadline_ns = started_ns.saturating_add(limit_ns);
        let execution = pin!(session.execute(operation));
        let outcome = self.deadlines.within(place, deadline_ns, execution).await;
        let ended = match outcome {
            Some(outcome) => Ended::Outcome(outcome),
            None => Ended::TimedOut {
                limit_ns,
                bytes_out,
            },
        };
        let now_ns = self.clock.now_ns();
        let inserts = operation.inserts;
        operation.each_insert(&mut |before, inserts| {
            let acknowledged = |position| ended.acknowledged(before + position);
            self.workload.end_inserts(inserts, acknowledged);
        });
        if let Some(drill) = &mut self.recorder.borrow_mut().drill {
            let operation = DrilledOperation {
                slot,
                inserts,
                started_ns,
            };
            drill.ended(operation, &ended, now_ns);
        }
        (ended, now_ns)
    }

    /// Records how something ended.
    pub(crate) fn end(&self, place: usize, ended: Ended, now_ns: u64) {
        let end_ns = self.stop_after_ns();
        self.recorder
            .borrow_mut()
            .ended(place, ended, now_ns, end_ns);
    }
}
