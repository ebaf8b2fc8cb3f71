//! What all threads of a trial share, and how the load is divided among them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use docstone_model::{LoadModel, Plan, StepPlan};
use docstone_workload::draw::StreamKey;
use docstone_workload::{Chooser, Workload};

use crate::arrival_gaps::WATCHED;
use crate::control::Control;
use crate::desk::Terms;
use crate::drill::Marks;
use crate::interval::{SlotKey, SlotOf};
use crate::open_queue::{OpenQueue, OpenTerms};
use crate::presence::Presence;
use crate::schedule::{Schedule, Share};
use crate::target::PoolShare;
use crate::think_time::Pauses;
use crate::timer::Pacing;
use crate::worker::ClosedTerms;

/// How often a thread looks whether the trial is to end before its plan, and at the deadlines of
/// its operations. Where one may take less, the looks are as far apart as that: then none begins
/// and passes its deadline between two looks.
const LOOK_EVERY_NS: u64 = 20_000_000;

/// The least time between two looks.
const LOOK_LEAST_NS: u64 = 1_000_000;

/// Drain after an early stop: the user waits for it.
const STOP_DRAIN_NS: u64 = 900_000_000;

/// The same with the closing of all connections: a server that is silent holds up that, too.
const STOP_CLOSED_NS: u64 = 1_000_000_000;

/// How long closing the connections of all groups may take otherwise; their sockets close with the
/// runtime anyway.
const CLOSE_NS: u64 = 300_000_000;

/// What all threads of a trial share.
pub(crate) struct Shared<'a, T> {
    pub(crate) plan: &'a Plan,
    pub(crate) step_index: usize,
    pub(crate) target: &'a T,
    pub(crate) workload: &'a Arc<Workload>,
    pub(crate) slots: &'a [SlotKey],
    pub(crate) control: &'a Arc<Control>,
    pub(crate) threads: u32,
    pub(crate) pacing: Pacing,
    pub(crate) marks: Option<&'a Arc<Marks>>,
}

impl<T> Shared<'_, T> {
    pub(crate) fn step(&self) -> &StepPlan {
        &self.plan.steps[self.step_index]
    }

    /// The threads that serve a group.
    pub(crate) fn threads_of(&self, load: usize) -> u32 {
        self.plan
            .load_threads(&self.step().loads[load], self.threads)
    }

    /// The position of a thread among those of a group, which begin at another thread for each
    /// group: several small groups shall not share one core.
    pub(crate) fn position(&self, load: usize, thread: u32) -> u32 {
        let first = u32::try_from(load).expect("groups are few") % self.threads;
        (thread + self.threads - first) % self.threads
    }

    /// The workers of a group on a thread, by their number in the group.
    pub(crate) fn workers_of(&self, load: usize, thread: u32) -> impl Iterator<Item = u32> {
        let (of, all) = (
            self.threads_of(load),
            self.step().loads[load].model.concurrency(),
        );
        let position = self.position(load, thread);
        let first = if position < of { position } else { all };
        (first..all).step_by(of as usize)
    }

    /// The most operations that one worker of a group has in flight.
    pub(crate) fn width(&self, load: usize) -> usize {
        let group = self.step().loads[load].group;
        self.plan.groups[group].scenario.width() as usize
    }

    /// The places of one worker of a group: for its operations, and for its iteration where there
    /// are steps.
    pub(crate) fn places(&self, load: usize) -> usize {
        let group = self.step().loads[load].group;
        self.width(load) + usize::from(self.plan.groups[group].scenario.has_steps())
    }

    /// The share of a group's connections on a thread; `None` where it has no workers.
    pub(crate) fn share(&self, load: usize, thread: u32) -> Option<PoolShare> {
        let _first = self.workers_of(load, thread).next()?;
        let of = self.threads_of(load);
        let plan = &self.step().loads[load];
        let all = self.plan.connections(plan);
        let connections = all / of + u32::from(self.position(load, thread) < all % of);
        Some(PoolShare {
            group: plan.group,
            connections: connections.max(1),
            threads: self.threads,
        })
    }

    /// When what is left of a group whose window ends at `end_ns` is given up.
    pub(crate) fn drain_end_ns(&self, end_ns: u64) -> u64 {
        let stop_ns = self.control.stop_ns.load(Ordering::Relaxed);
        let drain_ns = self.step().drain_ns;
        let planned_ns = end_ns.saturating_add(drain_ns);
        planned_ns.min(stop_ns.saturating_add(STOP_DRAIN_NS.min(drain_ns)))
    }

    /// How long a thread whose load ends at `now_ns` may take to close its connections, of all
    /// groups together.
    pub(crate) fn close_limit(&self, now_ns: u64) -> Duration {
        let stop_ns = self.control.stop_ns.load(Ordering::Relaxed);
        let left_ns = stop_ns
            .saturating_add(STOP_CLOSED_NS)
            .saturating_sub(now_ns);
        Duration::from_nanos(left_ns.min(CLOSE_NS))
    }

    /// How often a thread looks at its workers, in nanoseconds.
    pub(crate) fn look_every_ns(&self) -> u64 {
        let timeouts = self
            .slots
            .iter()
            .filter_map(SlotKey::operation)
            .map(|operation| self.plan.operations[operation].timeout_ns);
        timeouts.fold(LOOK_EVERY_NS, u64::min).max(LOOK_LEAST_NS)
    }

    /// A worker's part of the plan.
    pub(crate) fn terms(&self, load: usize) -> Terms {
        let plan = &self.step().loads[load];
        let operations = self.plan.group_operations(plan.group);
        let first_slot = self.slots.iter().position(|slot| slot.group == plan.group);
        Terms {
            load,
            first_slot: first_slot.expect("each group has slots"),
            iteration_slot: self
                .slots
                .iter()
                .position(|slot| slot.group == plan.group && slot.of == SlotOf::Iteration),
            timeouts_ns: operations
                .iter()
                .map(|at| self.plan.operations[*at].timeout_ns)
                .collect(),
            end_ns: plan.stop.duration_ns.unwrap_or(u64::MAX),
        }
    }

    /// True if a group of the step has open load.
    pub(crate) fn has_open_load(&self) -> bool {
        self.slots.iter().any(|slot| slot.open)
    }

    /// The stream of draws of a group, by group and step, so that each step starts afresh and no
    /// two groups are in step.
    fn key(&self, what: &str, group: usize) -> StreamKey {
        StreamKey::new(self.plan.seed)
            .text(what)
            .word(group as u64)
            .word(self.step_index as u64)
    }

    /// What the plan asks of the workers of a group of closed load.
    pub(crate) fn closed_terms(&self, load: usize) -> Option<ClosedTerms> {
        let plan = &self.step().loads[load];
        let LoadModel::Closed(closed) = &plan.model else {
            return None;
        };
        let key = self.key("think_time", plan.group);
        Some(ClosedTerms {
            presence: Presence::new(closed),
            pauses: Pauses::new(closed.think_time, key),
        })
    }

    /// The queue of a group of open load on a thread.
    pub(crate) fn queue(&self, terms: &Terms, thread: u32, workers: usize) -> Option<OpenQueue> {
        let load = terms.load;
        let plan = &self.step().loads[load];
        let LoadModel::Open(open) = &plan.model else {
            return None;
        };
        let key = self.key("schedule", plan.group);
        let share = Share {
            first: u64::from(self.position(load, thread)),
            step: u64::from(self.threads_of(load)),
        };
        Some(OpenQueue::new(OpenTerms {
            schedule: Schedule::new(&open.schedule, key, share),
            limit: plan.stop.operations.unwrap_or(u64::MAX),
            workers,
            when_full: open.when_full,
            chooser: Chooser::new(self.workload, plan.group, self.step_index),
            first_slot: terms.first_slot,
            iteration_slot: terms.iteration_slot,
            watched: match open.schedule.poisson_rate_per_s() {
                Some(_) => WATCHED,
                None => 0,
            },
        }))
    }
}
