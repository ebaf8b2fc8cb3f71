//! One iteration of a scenario of steps: in sequence, in parallel, with what is captured on the
//! way.
//!
//! A step's response time counts from the end of its predecessor, the first one's from the
//! iteration's intended start; pauses between them are nobody's wait. A pause belongs to what comes
//! after it: behind the last operation it is no part of the iteration.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use docstone_model::ErrorClass;
use docstone_workload::{Action, Captures, Run, Step};
use futures_util::future::{LocalBoxFuture, join_all};

use crate::desk::{Begin, Desk, Lane};
use crate::ended::Ended;
use crate::target::{OperationError, OperationResult, Outcome, Session};
use crate::think_time::pause_ns;
use crate::turn::Turn;

/// Why an iteration ends before its last step.
enum Cut {
    /// A step failed, or found nothing where it was to capture a value.
    Over,
    /// The trial is stopped: the iteration has not ended.
    Stopped,
}

/// What lies before the next operation.
#[derive(Clone, Copy)]
struct Gap {
    /// In open load, the time from which its response counts.
    since_ns: Option<u64>,
    /// The end of the pause before it; it may have passed.
    until_ns: u64,
}

/// How one part of an iteration ended.
type Walked = ControlFlow<Cut, Gap>;

/// One iteration while it runs.
struct Iteration<'a> {
    desk: &'a Desk,
    number: u64,
    captures: &'a RefCell<Captures>,
    tally: RefCell<Outcome>,
}

/// Where a worker's iterations are recorded, and what they capture.
pub(crate) struct Iterations {
    /// The place of the iteration itself, besides those of its operations.
    pub(crate) place: usize,
    pub(crate) slot: usize,
    pub(crate) captures: RefCell<Captures>,
}

/// Runs iteration `number` and records it; returns the time of its end, and that of the end of the
/// pause that its steps ask for behind it.
pub(crate) async fn iterate<S: Session>(
    desk: &Desk,
    (iterations, steps): (&Iterations, &[Step]),
    lanes: &mut [Lane<S>],
    (number, turn): (u64, Option<Turn>),
) -> (u64, u64) {
    let started_ns = desk.clock.now_ns();
    let begin = turn.map_or(Begin::Closed, Begin::Turn);
    desk.begin(iterations.place, iterations.slot, begin, started_ns);
    iterations.captures.borrow_mut().clear();
    let iteration = Iteration {
        desk,
        number,
        captures: &iterations.captures,
        tally: RefCell::new(nothing_yet()),
    };
    let gap = Gap {
        since_ns: turn.map(|turn| turn.arrival.intended_ns),
        until_ns: 0,
    };
    let walked = iteration.sequence(steps, lanes, gap).await;
    let now_ns = desk.clock.now_ns();
    if let ControlFlow::Break(Cut::Stopped) = walked {
        desk.recorder
            .borrow_mut()
            .abandoned(iterations.place, now_ns);
    } else {
        let outcome = iteration.tally.into_inner();
        desk.end(iterations.place, Ended::Outcome(outcome), now_ns);
    }
    match walked {
        ControlFlow::Continue(gap) => (now_ns, gap.until_ns.max(now_ns)),
        ControlFlow::Break(_) => (now_ns, now_ns),
    }
}

impl Iteration<'_> {
    /// Runs steps one after the other, in the first lanes.
    async fn sequence<S: Session>(
        &self,
        steps: &[Step],
        lanes: &mut [Lane<S>],
        mut gap: Gap,
    ) -> Walked {
        for step in steps {
            if !lanes[0].stream.takes_place(step, self.number) || self.lacks_value(step) {
                continue;
            }
            gap = match &step.action {
                Action::Run(run) => self.run(run, &mut lanes[0], gap).await?,
                Action::Sequence(steps) => self.boxed(steps, lanes, gap).await?,
                Action::Parallel(branches) => self.parallel(branches, lanes, gap).await?,
            };
            let draw = || lanes[0].stream.pause_draw(step, self.number);
            let pause_ns = pause_ns(step.think_time, draw);
            if pause_ns > 0 {
                let from_ns = gap.until_ns.max(self.desk.clock.now_ns());
                gap.until_ns = from_ns.saturating_add(pause_ns);
            }
        }
        ControlFlow::Continue(gap)
    }

    /// A sequence within a sequence; the size of a future that holds itself would be unknown.
    fn boxed<'s, S: Session>(
        &'s self,
        steps: &'s [Step],
        lanes: &'s mut [Lane<S>],
        gap: Gap,
    ) -> LocalBoxFuture<'s, Walked> {
        Box::pin(self.sequence(steps, lanes, gap))
    }

    /// Runs branches at the same time, each in lanes of its own, until the last has ended.
    async fn parallel<S: Session>(
        &self,
        branches: &[Step],
        lanes: &mut [Lane<S>],
        gap: Gap,
    ) -> Walked {
        let mut rest = lanes;
        let mut walks = Vec::with_capacity(branches.len());
        for branch in branches {
            let (own, others) = rest.split_at_mut(branch.width);
            rest = others;
            walks.push(self.boxed(std::slice::from_ref(branch), own, gap));
        }
        let mut last = gap;
        let mut over = false;
        for walked in join_all(walks).await {
            match walked {
                ControlFlow::Continue(gap) => {
                    last.since_ns = last.since_ns.max(gap.since_ns);
                    last.until_ns = last.until_ns.max(gap.until_ns);
                }
                ControlFlow::Break(Cut::Over) => over = true,
                ControlFlow::Break(Cut::Stopped) => return ControlFlow::Break(Cut::Stopped),
            }
        }
        if over {
            return ControlFlow::Break(Cut::Over);
        }
        ControlFlow::Continue(last)
    }

    /// True for an operation that needs a value which was not captured: it is left out.
    fn lacks_value(&self, step: &Step) -> bool {
        matches!(&step.action, Action::Run(run) if !self.captures.borrow().have(&run.needs))
    }

    /// Runs one operation.
    async fn run<S: Session>(&self, run: &Run, lane: &mut Lane<S>, mut gap: Gap) -> Walked {
        if self.desk.clock.now_ns() < gap.until_ns {
            tokio::time::sleep_until(self.desk.clock.instant(gap.until_ns)).await;
            gap.since_ns = gap.since_ns.map(|_| self.desk.clock.now_ns());
        }
        if self.desk.clock.now_ns() >= self.desk.control.stop_ns.load(Ordering::Relaxed) {
            return ControlFlow::Break(Cut::Stopped);
        }
        let operation = {
            let captures = self.captures.borrow();
            lane.stream.prepare_step(self.number, run, &captures)
        };
        let begin = Begin::Step(gap.since_ns);
        let (mut ended, now_ns) = self
            .desk
            .execute(lane.place, &mut lane.session, operation, begin)
            .await;
        let read = match &mut ended {
            Ended::Outcome(outcome) => outcome.document.take(),
            Ended::TimedOut { .. } => None,
        };
        let found = self.count(&ended, run.goes_on);
        self.desk.end(lane.place, ended, now_ns);
        let mut captures = self.captures.borrow_mut();
        // Of what was not found or not written there is no value.
        let complete = match found {
            Some(true) => lane.stream.capture(run, read.as_deref(), &mut captures),
            Some(false) => run.captures_nothing(),
            None => true,
        };
        if !complete && !run.goes_on {
            let mut tally = self.tally.borrow_mut();
            // An iteration of which a branch failed has failed, whatever the others found.
            if matches!(tally.result, OperationResult::Ok) {
                tally.result = OperationResult::NotFound;
            }
        }
        if (found.is_none() || !complete) && !run.goes_on {
            return ControlFlow::Break(Cut::Over);
        }
        gap.since_ns = gap.since_ns.map(|_| now_ns);
        ControlFlow::Continue(gap)
    }

    /// Adds one step's end to the iteration's. True if it found or wrote something, `None` if it
    /// failed.
    fn count(&self, ended: &Ended, goes_on: bool) -> Option<bool> {
        let mut tally = self.tally.borrow_mut();
        let (found, failure) = match ended {
            Ended::Outcome(outcome) => {
                tally.bytes_out += outcome.bytes_out;
                tally.bytes_in += outcome.bytes_in;
                tally.retries += outcome.retries;
                tally.documents = tally.documents.zip(outcome.documents).map(|(a, b)| a + b);
                match &outcome.result {
                    OperationResult::Ok => (Some(true), None),
                    OperationResult::NotFound => (Some(false), None),
                    OperationResult::Error(error) => (None, Some((**error).clone())),
                }
            }
            Ended::TimedOut { bytes_out, .. } => {
                tally.bytes_out += bytes_out;
                let failure = OperationError {
                    class: ErrorClass::Timeout,
                    message: "a step passed its operation's timeout".to_owned(),
                };
                (None, Some(failure))
            }
        };
        if let Some(failure) = failure
            && !goes_on
            && !matches!(tally.result, OperationResult::Error(_))
        {
            tally.result = OperationResult::Error(Box::new(failure));
        }
        found
    }
}

/// An iteration that has done nothing and has not failed.
fn nothing_yet() -> Outcome {
    Outcome {
        result: OperationResult::Ok,
        documents: Some(0),
        bytes_out: 0,
        bytes_in: 0,
        retries: 0,
        connection_wait_ns: 0,
        inserted: None,
        document: None,
    }
}
