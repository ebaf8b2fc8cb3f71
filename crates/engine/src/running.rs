//! The load of one thread while it runs: workers and pacer are started, looked after, and stopped
//! when their time is over.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use docstone_workload::Stream;
use tokio::task::{AbortHandle, JoinError, JoinHandle, JoinSet};

use crate::arrival_gaps::Noticed;
use crate::clock::Clock;
use crate::deadlines::Deadlines;
use crate::desk::{Desk, Lane, Terms};
use crate::iteration::Iterations;
use crate::open_queue::OpenQueue;
use crate::pacer::pace;
use crate::recorder::Recorder;
use crate::shared::Shared;
use crate::target::{Pool, Target};
use crate::timer::Timer;
use crate::worker::{ClosedTerms, Source, Worker};

/// Workers of a group that are started at a time. Between two rows of them what has come in is
/// taken, so that the first operations end while others begin, however many there are.
const ROW: usize = 64;

/// The load of one thread while it runs.
pub(crate) struct Running {
    clock: Clock,
    recorder: Rc<RefCell<Recorder>>,
    deadlines: Rc<Deadlines>,
    tasks: JoinSet<()>,
    /// By worker; `None` once it was stopped.
    workers: Vec<Option<RunningWorker>>,
    /// Places that are taken.
    places: usize,
    queues: Vec<RunningQueue>,
    /// By position of the group's pool.
    starting: Vec<Starting>,
    pacer: Option<JoinHandle<()>>,
}

/// A worker that runs, its places, and the end of its group's window.
struct RunningWorker {
    end_ns: u64,
    places: Range<usize>,
    /// Of closed load, the position of its group's load.
    closed: Option<usize>,
    abort: AbortHandle,
}

/// The workers of a group that have not been started.
struct Starting {
    terms: Rc<Terms>,
    /// Of open load.
    queue: Option<Rc<RefCell<OpenQueue>>>,
    /// Of closed load.
    closed: Option<Rc<ClosedTerms>>,
    /// By their number in the group.
    numbers: VecDeque<u32>,
    /// How many of this thread have been started.
    position: usize,
}

impl Starting {
    fn new<T>(thread: u32, shared: &Shared<'_, T>, load: usize) -> Self {
        let terms = Rc::new(shared.terms(load));
        let numbers: VecDeque<u32> = shared.workers_of(load, thread).collect();
        let queue = shared.queue(&terms, thread, numbers.len());
        Self {
            queue: queue.map(|queue| Rc::new(RefCell::new(queue))),
            closed: shared.closed_terms(load).map(Rc::new),
            terms,
            numbers,
            position: 0,
        }
    }

    /// True if nothing is left to do for a worker that has not been started.
    fn is_over<T>(&self, shared: &Shared<'_, T>, now_ns: u64) -> bool {
        let end_ns = self.terms.end_ns;
        let end_ns = match &self.closed {
            Some(_) if shared.control.numbers[self.terms.load].are_gone() => 0,
            Some(_) => end_ns,
            // What waits at the end of the window is still sent.
            None => shared.drain_end_ns(end_ns),
        };
        now_ns >= end_ns.min(shared.control.stop_ns.load(Ordering::Relaxed))
    }
}

/// The queue of a group of open load, and the end of its window.
struct RunningQueue {
    /// Index of the group in the plan.
    group: usize,
    end_ns: u64,
    queue: Rc<RefCell<OpenQueue>>,
}

impl Running {
    /// Makes ready what runs the workers and, for open load, starts the pacer.
    pub(crate) fn start<T: Target>(
        thread: u32,
        shared: &Shared<'_, T>,
        pools: &[(usize, T::Pool)],
        (clock, timer): (Clock, Option<Timer>),
        recorder: &Rc<RefCell<Recorder>>,
    ) -> Self {
        let starting = |(load, _): &(usize, T::Pool)| Starting::new(thread, shared, *load);
        let starting: Vec<Starting> = pools.iter().map(starting).collect();
        let queues = starting.iter().filter_map(|group| {
            Some(RunningQueue {
                group: shared.step().loads[group.terms.load].group,
                end_ns: group.terms.end_ns,
                queue: Rc::clone(group.queue.as_ref()?),
            })
        });
        let mut running = Self {
            clock,
            recorder: Rc::clone(recorder),
            deadlines: Rc::new(Deadlines::new(recorder.borrow().places())),
            tasks: JoinSet::new(),
            workers: Vec::new(),
            places: 0,
            queues: queues.collect(),
            starting,
            pacer: None,
        };
        if let Some(timer) = timer {
            let queues = running.queues.iter().map(|open| Rc::clone(&open.queue));
            let pacing = pace(queues.collect(), Rc::clone(recorder), clock, timer);
            running.pacer = Some(tokio::task::spawn_local(pacing));
        }
        running
    }

    /// Starts the next workers of each group; false if there are none left.
    fn start_row<T: Target>(
        &mut self,
        shared: &Shared<'_, T>,
        pools: &[(usize, T::Pool)],
        now_ns: u64,
    ) -> bool {
        let before = self.workers.len();
        let mut starting = std::mem::take(&mut self.starting);
        for (group, (_, pool)) in starting.iter_mut().zip(pools) {
            if group.is_over(shared, now_ns) {
                group.numbers.clear();
            }
            for _ in 0..ROW {
                let Some(number) = group.numbers.pop_front() else {
                    break;
                };
                self.start_worker(shared, group, pool, number);
            }
        }
        self.starting = starting;
        self.workers.len() > before
    }

    fn start_worker<T: Target>(
        &mut self,
        shared: &Shared<'_, T>,
        group: &mut Starting,
        pool: &T::Pool,
        number: u32,
    ) {
        let (terms, load) = (&group.terms, group.terms.load);
        let plan = &shared.step().loads[load];
        let source = match (&group.queue, &group.closed) {
            (Some(queue), _) => Source::Open(Rc::clone(queue), group.position),
            (None, Some(closed)) => Source::Closed(Rc::clone(closed), number),
            (None, None) => unreachable!("a load is open or closed"),
        };
        group.position += 1;
        let first = self.places;
        self.places += shared.places(load);
        // One count for all lanes: `$worker` and `$worker_sequence` together are often a key.
        let stream = Stream::new(shared.workload, plan.group, shared.step_index, number);
        let lane = |place| Lane {
            place,
            stream: stream.beside(),
            session: pool.session(),
        };
        let lanes = first..first + shared.width(load);
        let worker = Worker {
            desk: self.desk(shared, terms),
            source,
            iterations: terms.iteration_slot.map(|slot| Iterations {
                place: lanes.end,
                slot,
                captures: RefCell::new(shared.workload.captures()),
            }),
            lanes: lanes.map(lane).collect(),
            workload: Arc::clone(shared.workload),
            group: plan.group,
        };
        let abort = self.tasks.spawn_local(worker.run());
        self.workers.push(Some(RunningWorker {
            end_ns: terms.end_ns,
            places: first..self.places,
            closed: group.closed.is_some().then_some(load),
            abort,
        }));
    }

    fn desk<T>(&self, shared: &Shared<'_, T>, terms: &Rc<Terms>) -> Desk {
        Desk {
            terms: Rc::clone(terms),
            control: Arc::clone(shared.control),
            clock: self.clock,
            recorder: Rc::clone(&self.recorder),
            deadlines: Rc::clone(&self.deadlines),
            workload: Arc::clone(shared.workload),
        }
    }

    /// Starts the workers, keeps the intervals going, and returns when all workers have ended, with
    /// the times at which arrivals were noticed.
    pub(crate) async fn until_end<T: Target>(
        mut self,
        shared: &Shared<'_, T>,
        pools: &[(usize, T::Pool)],
    ) -> Vec<Noticed> {
        let mut next_ns = 0;
        loop {
            let now_ns = self.clock.now_ns();
            let starts = self.start_row(shared, pools, now_ns);
            if !starts && self.tasks.is_empty() {
                break;
            }
            if !starts || now_ns >= next_ns {
                next_ns = self.look(shared, pools, now_ns);
            }
            if starts {
                // A task behind the workers, and behind what has come in before them.
                raise(tokio::task::spawn_local(async {}).await);
            } else {
                self.until(next_ns).await;
            }
        }
        if let Some(pacer) = self.pacer {
            pacer.abort();
            raise(pacer.await);
        }
        let noticed = |open: &RunningQueue| Noticed {
            group: open.group,
            at_ns: open.queue.borrow().noticed_ns().to_vec(),
        };
        self.queues.iter().map(noticed).collect()
    }

    /// Hands on what has ended and stops what is over; returns the time of the next look.
    fn look<T: Target>(
        &mut self,
        shared: &Shared<'_, T>,
        pools: &[(usize, T::Pool)],
        now_ns: u64,
    ) -> u64 {
        let recorder = Rc::clone(&self.recorder);
        let mut recorder = recorder.borrow_mut();
        recorder.advance(now_ns);
        for (_, pool) in pools {
            recorder.target_events(pool.take_events());
        }
        self.close_queues(shared, &mut recorder, now_ns);
        self.give_up(shared, &mut recorder, now_ns);
        self.deadlines
            .expire(now_ns)
            .min(recorder.interval_end_ns())
            .min(now_ns + shared.look_every_ns())
    }

    /// Sleeps until the next look, or until the last worker has ended. A worker that ends is no
    /// reason to look at all the others: with a hundred thousand of them the end would take long.
    async fn until(&mut self, next_ns: u64) {
        let mut next = std::pin::pin!(tokio::time::sleep_until(self.clock.instant(next_ns)));
        loop {
            tokio::select! {
                ended = self.tasks.join_next() => match ended {
                    Some(ended) => raise(ended),
                    None => return,
                },
                () = &mut next => return,
            }
        }
    }

    /// Ends the queues of open load that have nothing left to hand on, or whose time is over.
    fn close_queues<T>(&self, shared: &Shared<'_, T>, recorder: &mut Recorder, now_ns: u64) {
        let stop_ns = shared.control.stop_ns.load(Ordering::Relaxed);
        let mut oldest_ns = None;
        let stopped = stop_ns <= now_ns;
        for RunningQueue { end_ns, queue, .. } in &self.queues {
            let mut queue = queue.borrow_mut();
            if stopped {
                // What was due before the stop was intended, noticed or not.
                let _ = queue.notice(stop_ns, recorder);
            }
            let drained = now_ns >= shared.drain_end_ns(*end_ns);
            if drained && !stopped {
                // The same for a pacer that never caught up.
                let _ = queue.notice(now_ns, recorder);
            }
            // A pause at the end is part of the step.
            let over = now_ns >= *end_ns || queue.is_limited();
            if stopped || (queue.is_done() && over) || drained {
                queue.close(now_ns, recorder);
            }
            oldest_ns = oldest_ns.max(queue.backlog_age_ns(now_ns));
        }
        recorder.backlog_age(oldest_ns);
    }

    /// Stops the workers whose drain is over and records what they had in flight at its age; and
    /// those that sleep though nothing is left to do for them.
    fn give_up<T>(&mut self, shared: &Shared<'_, T>, recorder: &mut Recorder, now_ns: u64) {
        let stop_ns = shared.control.stop_ns.load(Ordering::Relaxed);
        for worker in &mut self.workers {
            let Some(running) = worker else {
                continue;
            };
            // Between two of its iterations a worker that is to do no more may sleep for long.
            let sleeps = |load: usize| {
                let over = now_ns >= stop_ns.min(running.end_ns);
                let idle = running.places.clone().all(|place| recorder.is_idle(place));
                idle && (over || shared.control.numbers[load].are_gone())
            };
            if now_ns >= shared.drain_end_ns(running.end_ns) || running.closed.is_some_and(sleeps) {
                running.abort.abort();
                for place in running.places.clone() {
                    recorder.abandoned(place, now_ns);
                }
                *worker = None;
            }
        }
    }
}

/// A panic in a worker is a bug of docstone and ends the trial.
fn raise(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && let Ok(panic) = error.try_into_panic()
    {
        std::panic::resume_unwind(panic);
    }
}
