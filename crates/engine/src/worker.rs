//! One worker: an operation, its end, the next operation.
//!
//! In closed load the next follows at once or after a pause; in open load when the schedule has
//! one that is due.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use docstone_workload::Stream;

use crate::clock::Clock;
use crate::control::Control;
use crate::deadlines::Deadlines;
use crate::drill::DrilledOperation;
use crate::open_queue::OpenQueue;
use crate::presence::Presence;
use crate::recorder::{Ended, Recorder};
use crate::target::Session;
use crate::think_time::Pauses;
use crate::turn::Turn;

/// What the plan asks of the workers of one group.
#[derive(Debug)]
pub(crate) struct Terms {
    /// Position in the step's loads.
    pub(crate) load: usize,
    /// The first slot of the group; the mix position is added to it.
    pub(crate) first_slot: usize,
    /// Limits of one operation by mix position, in nanoseconds.
    pub(crate) timeouts_ns: Vec<u64>,
    /// The end of the group's window; `u64::MAX` where only the number of operations ends it.
    pub(crate) end_ns: u64,
}

/// What the plan asks of the workers of a group of closed load.
#[derive(Debug)]
pub(crate) struct ClosedTerms {
    /// When each works.
    pub(crate) presence: Presence,
    /// How long each pauses between two operations.
    pub(crate) pauses: Pauses,
}

/// Where a worker takes its operations from.
pub(crate) enum Source {
    /// Closed load: the next number of the group, when the worker is to work; and the worker's
    /// number in the group.
    Closed(Rc<ClosedTerms>, u32),
    /// Open load: what is due; and the worker's position in the queue.
    Open(Rc<RefCell<OpenQueue>>, usize),
}

/// One worker. Everything but `control` is its thread's own.
pub(crate) struct Worker<S> {
    /// Its position among the workers of its thread.
    pub(crate) local: usize,
    pub(crate) terms: Rc<Terms>,
    pub(crate) source: Source,
    pub(crate) control: Arc<Control>,
    pub(crate) clock: Clock,
    pub(crate) recorder: Rc<RefCell<Recorder>>,
    pub(crate) deadlines: Rc<Deadlines>,
    pub(crate) stream: Stream,
    pub(crate) session: S,
}

impl<S: Session> Worker<S> {
    /// Runs until the window ends, the numbers run out, or the trial is stopped.
    pub(crate) async fn run(mut self) {
        match &self.source {
            Source::Closed(closed, number) => {
                let (closed, number) = (Rc::clone(closed), *number);
                self.run_closed(&closed, number).await;
            }
            Source::Open(queue, position) => {
                let (queue, position) = (Rc::clone(queue), *position);
                self.run_open(&queue, position).await;
            }
        }
    }

    async fn run_open(&mut self, queue: &RefCell<OpenQueue>, position: usize) {
        let recorder = Rc::clone(&self.recorder);
        let mut now_ns = self.clock.now_ns();
        while let Some(turn) = OpenQueue::turn(queue, &recorder, position, now_ns).await {
            now_ns = self.operate(turn.arrival.number, Some(turn)).await;
        }
    }

    /// Works in its times. A worker that leaves ends its operation before, and leaves no number
    /// behind that it has taken.
    async fn run_closed(&mut self, closed: &ClosedTerms, number: u32) {
        let mut now_ns = self.clock.now_ns();
        while let Some(span) = closed.presence.next(number, now_ns) {
            if now_ns < span.from_ns {
                now_ns = self.sleep(span.from_ns).await;
            }
            while now_ns < span.to_ns.min(self.stop_after_ns()) {
                let Some(number) = self.control.numbers[self.terms.load].take() else {
                    return;
                };
                now_ns = self.operate(number, None).await;
                let pause_ns = closed.pauses.after_ns(number);
                if pause_ns > 0 {
                    let until_ns = now_ns.saturating_add(pause_ns).min(span.to_ns);
                    now_ns = self.sleep(until_ns).await;
                }
            }
            if now_ns >= self.stop_after_ns() {
                return;
            }
            if closed.presence.is_pause(now_ns) {
                self.recorder.borrow_mut().rests(now_ns);
            }
        }
        // A pause at the end is part of the step.
        let _ = self.sleep(self.terms.end_ns).await;
    }

    /// Sleeps until a time or the end; returns the time after it.
    async fn sleep(&self, until_ns: u64) -> u64 {
        let until_ns = until_ns.min(self.stop_after_ns());
        tokio::time::sleep_until(self.clock.instant(until_ns)).await;
        self.clock.now_ns()
    }

    fn stop_after_ns(&self) -> u64 {
        self.terms
            .end_ns
            .min(self.control.stop_ns.load(Ordering::Relaxed))
    }

    /// Draws, sends and records one operation; returns the time of its end. What is drawn is
    /// drawn before the clock starts.
    async fn operate(&mut self, number: u64, turn: Option<Turn>) -> u64 {
        let operation = self.stream.prepare(number);
        let bytes_out = operation.encoded_bytes();
        let slot = self.terms.first_slot + operation.slot;
        let limit_ns = self.terms.timeouts_ns[operation.slot];
        let document = operation.document;
        let started_ns = self.clock.now_ns();
        {
            let mut recorder = self.recorder.borrow_mut();
            match turn {
                None => recorder.started(self.local, slot, started_ns),
                Some(turn) => recorder.dispatched(self.local, slot, turn, started_ns),
            }
        }
        let deadline_ns = started_ns.saturating_add(limit_ns);
        let execution = self.session.execute(operation);
        let outcome = self.deadlines.within(self.local, deadline_ns, execution);
        let ended = match outcome.await {
            Some(outcome) => Ended::Outcome(outcome),
            None => Ended::TimedOut {
                limit_ns,
                bytes_out,
            },
        };
        let now_ns = self.clock.now_ns();
        let end_ns = self.stop_after_ns();
        let mut recorder = self.recorder.borrow_mut();
        if let Some(drill) = &mut recorder.drill {
            let operation = DrilledOperation {
                slot,
                document,
                started_ns,
            };
            drill.ended(operation, &ended, now_ns);
        }
        recorder.ended(self.local, ended, now_ns, end_ns);
        now_ns
    }
}
