//! Open load on one thread, for one group: arrivals that are due, workers that are free, and the
//! backlog between them.
//!
//! The backlog is no list. Since an arrival follows from its number, it is a place in the schedule
//! (the oldest arrival that waits) and a count, however long it grows.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::task::{Poll, Waker};

use docstone_model::plan::WhenFull;
use docstone_workload::Chooser;

use crate::recorder::Recorder;
use crate::schedule::{Arrival, Schedule};
use crate::turn::Turn;

/// The queue of one group on one thread.
#[derive(Debug)]
pub(crate) struct OpenQueue {
    /// The next arrival that is not due yet; `upcoming` goes on behind it.
    next: Option<Arrival>,
    upcoming: Schedule,
    /// No arrival from this number on.
    limit: u64,
    backlog: Option<Backlog>,
    /// Workers that wait for a turn, the last to become free on top: its caches are warm.
    free: Vec<usize>,
    workers: Vec<Waiting>,
    /// Turns that were handed over and not begun.
    handed_over: usize,
    when_full: WhenFull,
    chooser: Chooser,
    first_slot: usize,
    iteration_slot: Option<usize>,
    /// The schedule had another arrival, whose number is the limit.
    limited: bool,
    /// Arrivals below this number are watched.
    watched: u64,
    /// When they were noticed.
    noticed_ns: Vec<u64>,
    closed: bool,
}

/// Arrivals that were due and found no free worker.
#[derive(Debug)]
struct Backlog {
    oldest: Arrival,
    behind: Schedule,
    count: u64,
}

#[derive(Debug)]
struct Waiting {
    turn: Option<Turn>,
    waker: Waker,
}

/// What a queue is made of.
pub(crate) struct OpenTerms {
    pub(crate) schedule: Schedule,
    /// No arrival from this number on.
    pub(crate) limit: u64,
    pub(crate) workers: usize,
    pub(crate) when_full: WhenFull,
    pub(crate) chooser: Chooser,
    /// The first slot of the group.
    pub(crate) first_slot: usize,
    /// The slot of its iterations, where they are counted besides operations.
    pub(crate) iteration_slot: Option<usize>,
    /// Of arrivals below this number it is kept when they were noticed.
    pub(crate) watched: u64,
}

impl OpenQueue {
    /// A queue at the start of its schedule.
    pub(crate) fn new(terms: OpenTerms) -> Self {
        let waiting = || Waiting {
            turn: None,
            waker: Waker::noop().clone(),
        };
        let mut queue = Self {
            next: None,
            upcoming: terms.schedule,
            limit: terms.limit,
            backlog: None,
            free: Vec::with_capacity(terms.workers),
            workers: std::iter::repeat_with(waiting)
                .take(terms.workers)
                .collect(),
            handed_over: 0,
            when_full: terms.when_full,
            chooser: terms.chooser,
            first_slot: terms.first_slot,
            iteration_slot: terms.iteration_slot,
            limited: false,
            watched: terms.watched,
            noticed_ns: Vec::new(),
            closed: false,
        };
        queue.take_upcoming();
        queue
    }

    /// Notices all that is due: hands it to free workers, or lets it wait or drops it. Returns when
    /// the next arrival is due; `None` if none will be.
    pub(crate) fn notice(&mut self, now_ns: u64, recorder: &mut Recorder) -> Option<u64> {
        self.notice_some(now_ns, usize::MAX, recorder)
    }

    /// Notices what is due, but at most so many arrivals; what is left is due before `now_ns`.
    pub(crate) fn notice_some(
        &mut self,
        now_ns: u64,
        most: usize,
        recorder: &mut Recorder,
    ) -> Option<u64> {
        for _ in 0..most {
            let Some(arrival) = self.next.filter(|arrival| arrival.intended_ns <= now_ns) else {
                break;
            };
            recorder.due(self.slot(arrival), now_ns - arrival.intended_ns, now_ns);
            if arrival.number < self.watched {
                self.noticed_ns.push(now_ns);
            }
            match (self.backlog.as_mut(), self.free.pop()) {
                (None, Some(worker)) => self.hand_over(
                    worker,
                    Turn {
                        arrival,
                        woke_ns: now_ns,
                    },
                ),
                (Some(backlog), free) => {
                    backlog.count += 1;
                    self.free.extend(free);
                }
                (None, None) => {
                    self.backlog = Some(Backlog {
                        oldest: arrival,
                        behind: self.upcoming.clone(),
                        count: 1,
                    });
                }
            }
            self.take_upcoming();
        }
        self.drop_old(now_ns, recorder);
        self.next.map(|arrival| arrival.intended_ns)
    }

    /// Waits for the next turn of a worker; `None` when there will be none.
    pub(crate) fn turn<'a>(
        queue: &'a RefCell<Self>,
        recorder: &'a RefCell<Recorder>,
        worker: usize,
        now_ns: u64,
    ) -> impl Future<Output = Option<Turn>> + use<'a> {
        let mut first = true;
        poll_fn(move |context| {
            let queue = &mut *queue.borrow_mut();
            if let Some(turn) = queue.workers[worker].turn.take() {
                queue.handed_over -= 1;
                return Poll::Ready(Some(turn));
            }
            if std::mem::take(&mut first) {
                queue.drop_old(now_ns, &mut recorder.borrow_mut());
                if let Some(arrival) = queue.take_oldest() {
                    return Poll::Ready(Some(Turn {
                        arrival,
                        woke_ns: arrival.intended_ns,
                    }));
                }
                if !queue.closed {
                    queue.free.push(worker);
                }
            }
            if queue.closed {
                return Poll::Ready(None);
            }
            queue.workers[worker].waker.clone_from(context.waker());
            Poll::Pending
        })
    }

    /// The age of the oldest arrival that waits.
    pub(crate) fn backlog_age_ns(&self, now_ns: u64) -> Option<u64> {
        let oldest = self.backlog.as_ref()?.oldest;
        Some(now_ns.saturating_sub(oldest.intended_ns))
    }

    /// When the watched arrivals were noticed, in nanoseconds since the step began.
    pub(crate) fn noticed_ns(&self) -> &[u64] {
        &self.noticed_ns
    }

    /// True when no more arrivals are asked for, whatever the schedule has behind them.
    pub(crate) fn is_limited(&self) -> bool {
        self.limited
    }

    /// True when all arrivals were due and all have begun.
    pub(crate) fn is_done(&self) -> bool {
        self.next.is_none() && self.backlog.is_none() && self.handed_over == 0
    }

    /// Ends it: free workers get no more turns. What waits is recorded at its age.
    pub(crate) fn close(&mut self, now_ns: u64, recorder: &mut Recorder) {
        if self.closed {
            return;
        }
        self.closed = true;
        self.next = None;
        while let Some(arrival) = self.take_oldest() {
            recorder.left_waiting(self.slot(arrival), arrival.intended_ns, now_ns);
        }
        for worker in 0..self.workers.len() {
            // A turn that was handed over and not begun waits like the others.
            if let Some(turn) = self.workers[worker].turn.take() {
                recorder.left_waiting(self.slot(turn.arrival), turn.arrival.intended_ns, now_ns);
            }
            self.workers[worker].waker.wake_by_ref();
        }
    }

    fn hand_over(&mut self, worker: usize, turn: Turn) {
        let waiting = &mut self.workers[worker];
        waiting.turn = Some(turn);
        self.handed_over += 1;
        waiting.waker.wake_by_ref();
    }

    /// Drops what has waited for longer than the plan lets it.
    fn drop_old(&mut self, now_ns: u64, recorder: &mut Recorder) {
        let WhenFull::Drop { after_ns } = self.when_full else {
            return;
        };
        while self
            .backlog_age_ns(now_ns)
            .is_some_and(|age_ns| age_ns >= after_ns)
        {
            if let Some(arrival) = self.take_oldest() {
                recorder.dropped(self.slot(arrival));
            }
        }
    }

    fn take_oldest(&mut self) -> Option<Arrival> {
        let backlog = self.backlog.as_mut()?;
        let oldest = backlog.oldest;
        backlog.count -= 1;
        if backlog.count == 0 {
            self.backlog = None;
        } else {
            let behind = backlog.behind.next();
            backlog.oldest = behind.expect("the schedule gave as many before");
        }
        Some(oldest)
    }

    fn take_upcoming(&mut self) {
        let next = self.upcoming.next();
        self.next = next.filter(|arrival| arrival.number < self.limit);
        self.limited = next.is_some() && self.next.is_none();
    }

    fn slot(&self, arrival: Arrival) -> usize {
        self.iteration_slot.unwrap_or_else(|| {
            let position = self.chooser.slot(arrival.number);
            self.first_slot + position.expect("without iterations there is a mix")
        })
    }
}
