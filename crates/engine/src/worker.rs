//! One worker: an iteration, its end, the next iteration. Of a mix, an iteration is one operation.
//!
//! In closed load the next follows at once or after a pause; in open load when the schedule has
//! one that is due.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use docstone_workload::{Scenario, Workload};

use crate::desk::{Begin, Desk, Lane};
use crate::iteration::{Iterations, iterate};
use crate::open_queue::OpenQueue;
use crate::presence::Presence;
use crate::target::Session;
use crate::think_time::Pauses;
use crate::turn::Turn;

/// What the plan asks of the workers of a group of closed load.
#[derive(Debug)]
pub(crate) struct ClosedTerms {
    /// When each works.
    pub(crate) presence: Presence,
    /// How long each pauses between two iterations.
    pub(crate) pauses: Pauses,
}

/// Where a worker takes its iterations from.
pub(crate) enum Source {
    /// Closed load: the next number of the group, when the worker is to work; and the worker's
    /// number in the group.
    Closed(Rc<ClosedTerms>, u32),
    /// Open load: what is due; and the worker's position in the queue.
    Open(Rc<RefCell<OpenQueue>>, usize),
}

/// One worker.
pub(crate) struct Worker<S> {
    pub(crate) desk: Desk,
    pub(crate) source: Source,
    /// As many as it can have in flight; at least one.
    pub(crate) lanes: Vec<Lane<S>>,
    /// Where the group's scenario has steps.
    pub(crate) iterations: Option<Iterations>,
    pub(crate) workload: Arc<Workload>,
    /// Index of the group in the plan.
    pub(crate) group: usize,
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
        let recorder = Rc::clone(&self.desk.recorder);
        let mut now_ns = self.desk.clock.now_ns();
        while let Some(turn) = OpenQueue::turn(queue, &recorder, position, now_ns).await {
            // When the next one begins is the schedule's alone: no pause stands between them.
            (now_ns, _) = self.iterate(turn.arrival.number, Some(turn)).await;
        }
    }

    /// Works in its times. A worker that leaves ends its iteration before, and leaves no number
    /// behind that it has taken.
    async fn run_closed(&mut self, closed: &ClosedTerms, worker: u32) {
        let mut now_ns = self.desk.clock.now_ns();
        while let Some(span) = closed.presence.next(worker, now_ns) {
            if now_ns < span.from_ns {
                now_ns = self.sleep(span.from_ns).await;
            }
            while now_ns < span.to_ns.min(self.desk.stop_after_ns()) {
                let Some(number) = self.desk.control.numbers[self.desk.terms.load].take() else {
                    return;
                };
                let (ended_ns, rested_ns) = self.iterate(number, None).await;
                now_ns = ended_ns;
                let until_ns = rested_ns.saturating_add(closed.pauses.after_ns(number));
                let until_ns = until_ns.min(span.to_ns);
                if until_ns > now_ns {
                    now_ns = self.sleep(until_ns).await;
                }
            }
            if now_ns >= self.desk.stop_after_ns() {
                return;
            }
            if closed.presence.is_pause(now_ns) {
                self.desk.recorder.borrow_mut().rests(now_ns);
            }
        }
        // A pause at the end is part of the step.
        let _ = self.sleep(self.desk.terms.end_ns).await;
    }

    /// Sleeps until a time or the end; returns the time after it.
    async fn sleep(&self, until_ns: u64) -> u64 {
        let until_ns = until_ns.min(self.desk.stop_after_ns());
        tokio::time::sleep_until(self.desk.clock.instant(until_ns)).await;
        self.desk.clock.now_ns()
    }

    /// Runs one iteration; returns the time of its end, and that of the end of the pause behind it.
    async fn iterate(&mut self, number: u64, turn: Option<Turn>) -> (u64, u64) {
        if let (Some(iterations), Scenario::Steps(steps)) =
            (&self.iterations, self.workload.scenario(self.group))
        {
            let of = (number, turn);
            return iterate(&self.desk, (iterations, steps), &mut self.lanes, of).await;
        }
        let Lane {
            place,
            stream,
            session,
        } = &mut self.lanes[0];
        // What is drawn is drawn before the clock starts.
        let operation = stream.prepare(number);
        let begin = turn.map_or(Begin::Closed, Begin::Turn);
        let (ended, now_ns) = self.desk.execute(*place, session, operation, begin).await;
        self.desk.end(*place, ended, now_ns);
        (now_ns, now_ns)
    }
}
