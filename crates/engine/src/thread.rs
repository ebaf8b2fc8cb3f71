//! One engine thread: its connections, its workers, and their end.
//!
//! Runs on a runtime that `trial` makes for it. What a worker does is in `worker`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use docstone_model::record::ConnectionCounts;
use docstone_model::{LoadModel, Plan, StepPlan};
use docstone_workload::{Stream, Workload};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinError, JoinSet};

use crate::clock::Clock;
use crate::control::Control;
use crate::deadlines::Deadlines;
use crate::handover::{Message, ThreadEnd, ThreadInterval};
use crate::interval::SlotKey;
use crate::recorder::Recorder;
use crate::target::{Pool, PoolShare, Target, TargetError};
use crate::worker::{Terms, Worker};

/// How often a thread looks whether the trial is to end before its plan, and at the deadlines of
/// its operations. Where one may take less, the looks are as far apart as that: then none begins
/// and passes its deadline between two looks.
const LOOK_EVERY_NS: u64 = 20_000_000;

/// The least time between two looks.
const LOOK_LEAST_NS: u64 = 1_000_000;

/// Drain after an early stop: the user waits for it.
const STOP_DRAIN_NS: u64 = 1_000_000_000;

/// How long closing connections may take; their sockets close with the runtime anyway.
const CLOSE_LIMIT: Duration = Duration::from_millis(500);

/// What all threads of a trial share.
pub(crate) struct Shared<'a, T> {
    pub(crate) plan: &'a Plan,
    pub(crate) step_index: usize,
    pub(crate) target: &'a T,
    pub(crate) workload: &'a Arc<Workload>,
    pub(crate) slots: &'a [SlotKey],
    pub(crate) control: &'a Arc<Control>,
    pub(crate) threads: u32,
}

impl<T> Shared<'_, T> {
    fn step(&self) -> &StepPlan {
        &self.plan.steps[self.step_index]
    }

    /// The threads that serve a group.
    fn threads_of(&self, load: usize) -> u32 {
        self.plan
            .load_threads(&self.step().loads[load], self.threads)
    }

    /// The position of a thread among those of a group, which begin at another thread for each
    /// group: several small groups shall not share one core.
    fn position(&self, load: usize, thread: u32) -> u32 {
        let first = u32::try_from(load).expect("groups are few") % self.threads;
        (thread + self.threads - first) % self.threads
    }

    /// The workers of a group on a thread, by their number in the group.
    fn workers_of(&self, load: usize, thread: u32) -> impl Iterator<Item = u32> {
        let (of, all) = (
            self.threads_of(load),
            self.step().loads[load].model.concurrency(),
        );
        let position = self.position(load, thread);
        let first = if position < of { position } else { all };
        (first..all).step_by(of as usize)
    }

    /// The share of a group's connections on a thread; `None` where it has no workers.
    fn share(&self, load: usize, thread: u32) -> Option<PoolShare> {
        let of = self.threads_of(load);
        let workers = u32::try_from(self.workers_of(load, thread).count()).expect("a u32 range");
        let plan = &self.step().loads[load];
        let all = self.plan.connections(plan);
        let connections = all / of + u32::from(self.position(load, thread) < all % of);
        (workers > 0).then_some(PoolShare {
            group: plan.group,
            workers,
            connections: connections.max(1),
            threads: self.threads,
        })
    }

    /// How often a thread looks at its workers, in nanoseconds.
    fn look_every_ns(&self) -> u64 {
        let timeouts = self
            .slots
            .iter()
            .map(|slot| self.plan.operations[slot.operation].timeout_ns);
        timeouts.fold(LOOK_EVERY_NS, u64::min).max(LOOK_LEAST_NS)
    }

    /// A worker's part of the plan.
    fn terms(&self, load: usize) -> Terms {
        let plan = &self.step().loads[load];
        let LoadModel::Closed { think_time_ns, .. } = plan.model;
        let operations = self.plan.group_operations(plan.group);
        let first_slot = self.slots.iter().position(|slot| slot.group == plan.group);
        Terms {
            load,
            first_slot: first_slot.expect("each group has slots"),
            timeouts_ns: operations
                .iter()
                .map(|at| self.plan.operations[*at].timeout_ns)
                .collect(),
            end_ns: plan.stop.duration_ns.unwrap_or(u64::MAX),
            think_time_ns,
        }
    }
}

/// The thread's ends of its channels.
pub(crate) struct Channels {
    pub(crate) sender: Sender<Message>,
    pub(crate) spare: Receiver<ThreadInterval>,
    pub(crate) start: oneshot::Receiver<Clock>,
}

/// Runs one thread from opening connections to closing them.
pub(crate) async fn run<T: Target>(thread: u32, shared: &Shared<'_, T>, channels: Channels) {
    let Channels {
        sender,
        spare,
        mut start,
    } = channels;
    let opened = tokio::select! {
        opened = open(thread, shared) => opened,
        // Another thread could not open its connections, or the user does not want to wait.
        _ = &mut start => return,
    };
    let pools = match opened {
        Ok(pools) => pools,
        Err(error) => {
            drop(sender.send(Message::Failed(error)));
            return;
        }
    };
    drop(sender.send(Message::Ready));
    // The sender is gone when another thread could not open its connections.
    let Ok(clock) = start.await else { return };
    let workers: usize = pools
        .iter()
        .map(|(load, _)| shared.workers_of(*load, thread).count())
        .sum();
    let recorder = Rc::new(RefCell::new(Recorder::new(
        thread as usize,
        (shared.slots.len(), workers),
        shared.step().planned_window_ns(),
        sender.clone(),
        spare,
    )));
    tokio::time::sleep_until(clock.zero()).await;
    work(thread, shared, clock, &pools, &recorder).await;
    let end_ns = clock.now_ns();
    for (_, pool) in &pools {
        recorder.borrow_mut().target_events(pool.take_events());
    }
    let recorder = Rc::into_inner(recorder)
        .expect("all workers have ended")
        .into_inner();
    let last_end_ns = recorder.last_end_ns().to_vec();
    let silences = recorder.finish(end_ns);
    let mut connections = ConnectionCounts::default();
    for (_, pool) in &pools {
        connections.add(pool.connections());
    }
    let end = Box::new(ThreadEnd {
        end_ns,
        last_end_ns,
        silences,
        connections,
    });
    drop(sender.send(Message::Finished {
        thread: thread as usize,
        end,
    }));
    for (_, pool) in pools {
        drop(tokio::time::timeout(CLOSE_LIMIT, pool.close()).await);
    }
}

async fn open<T: Target>(
    thread: u32,
    shared: &Shared<'_, T>,
) -> Result<Vec<(usize, T::Pool)>, TargetError> {
    let mut pools = Vec::new();
    for load in 0..shared.step().loads.len() {
        if let Some(share) = shared.share(load, thread) {
            pools.push((load, shared.target.open(share).await?));
        }
    }
    Ok(pools)
}

/// Starts the workers, keeps the intervals going, and returns when all workers have ended.
async fn work<T: Target>(
    thread: u32,
    shared: &Shared<'_, T>,
    clock: Clock,
    pools: &[(usize, T::Pool)],
    recorder: &Rc<RefCell<Recorder>>,
) {
    let mut tasks = JoinSet::new();
    let mut running = Vec::new();
    let deadlines = Rc::new(Deadlines::new(recorder.borrow().workers()));
    for (load, pool) in pools {
        let terms = Rc::new(shared.terms(*load));
        let group = shared.step().loads[*load].group;
        for number in shared.workers_of(*load, thread) {
            let worker = Worker {
                local: running.len(),
                terms: Rc::clone(&terms),
                control: Arc::clone(shared.control),
                clock,
                recorder: Rc::clone(recorder),
                deadlines: Rc::clone(&deadlines),
                stream: Stream::new(shared.workload, group, shared.step_index, number),
                session: pool.session(),
            };
            let abort = tasks.spawn_local(worker.run());
            running.push(Some(Running {
                end_ns: terms.end_ns,
                abort,
            }));
        }
    }
    let look_every_ns = shared.look_every_ns();
    while !tasks.is_empty() {
        let now_ns = clock.now_ns();
        let next_ns = {
            let mut recording = recorder.borrow_mut();
            recording.advance(now_ns);
            for (_, pool) in pools {
                recording.target_events(pool.take_events());
            }
            give_up(shared, &mut running, &mut recording, now_ns);
            deadlines
                .expire(now_ns)
                .min(recording.interval_end_ns())
                .min(now_ns + look_every_ns)
        };
        tokio::select! {
            Some(ended) = tasks.join_next() => raise(ended),
            () = tokio::time::sleep_until(clock.instant(next_ns)) => {}
        }
    }
}

/// A worker that runs, and the end of its group's window.
struct Running {
    end_ns: u64,
    abort: AbortHandle,
}

/// Stops the workers whose drain is over and records what they had in flight at its age.
fn give_up<T>(
    shared: &Shared<'_, T>,
    running: &mut [Option<Running>],
    recorder: &mut Recorder,
    now_ns: u64,
) {
    let stop_ns = shared.control.stop_ns.load(Ordering::Relaxed);
    let drain_ns = shared.step().drain_ns;
    for (local, worker) in running.iter_mut().enumerate() {
        let Some(Running { end_ns, abort }) = worker else {
            continue;
        };
        let planned = end_ns.saturating_add(drain_ns);
        if now_ns >= planned.min(stop_ns.saturating_add(STOP_DRAIN_NS.min(drain_ns))) {
            abort.abort();
            recorder.abandoned(local, now_ns);
            *worker = None;
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
