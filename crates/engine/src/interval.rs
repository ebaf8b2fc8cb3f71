//! What the engine measured: per interval while a trial runs, and in total when it has ended.
//!
//! Owns the data types, and their forms for listeners and records; recording is in `recorder`,
//! merging over threads in `aggregate`. What one thread hands on is in `handover`.

use std::collections::BTreeMap;

use docstone_model::plan::ITERATIONS;
use docstone_model::record::ConnectionCounts;
use docstone_model::{Counters, Interval, IntervalRow, LatencySummary, Outage, Plan};
use docstone_stats::Latencies;

use crate::drill::DrillResult;

/// What is counted under one name: an operation or step of one group, or the iterations of one.
/// Slots of operations stand in plan order: groups first, then the slots of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotKey {
    /// Index of the group in the plan.
    pub group: usize,
    /// What of the group.
    pub of: SlotOf,
    /// Open load, which has response times.
    pub open: bool,
}

/// What of a group a slot counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlotOf {
    /// An operation.
    Operation {
        /// Its position in [`Plan::group_slots`].
        position: usize,
        /// Its index in the plan.
        operation: usize,
    },
    /// Iterations, where they are more than one operation.
    Iteration,
}

impl SlotKey {
    /// The operation's index in the plan; `None` for iterations.
    pub fn operation(&self) -> Option<usize> {
        match self.of {
            SlotOf::Operation { operation, .. } => Some(operation),
            SlotOf::Iteration => None,
        }
    }

    /// The name under which it stands in the results.
    pub fn name<'a>(&self, plan: &'a Plan) -> &'a str {
        match self.of {
            SlotOf::Operation { position, .. } => plan.group_slots(self.group)[position].name,
            SlotOf::Iteration => ITERATIONS,
        }
    }
}

/// What was measured of one slot, in one interval or in total.
#[derive(Clone, Debug)]
pub struct SlotData {
    /// Which slot.
    pub key: SlotKey,
    /// Counts.
    pub counters: Counters,
    /// Operations in flight at the end of the interval.
    pub in_flight: u64,
    /// Arrivals that wait at the end of the interval; always 0 in closed load.
    pub backlog: u64,
    /// In flight when the drain had ended; 0 before.
    pub in_flight_at_end: u64,
    /// Part of `in_flight_at_end` that was recorded in `service` at its age.
    pub censored: u64,
    /// Service times of successes.
    pub service: Latencies,
    /// Response times of successes in open load, what was in flight or waiting at the end at its
    /// age; empty in closed load.
    pub response: Latencies,
    /// Times to failure.
    pub error: Latencies,
    /// The first message of each error class, by the class's text.
    pub error_messages: BTreeMap<String, String>,
}

impl SlotData {
    /// Adds another slot: counts are added and histograms merged, never averaged. Taken apart, so
    /// that nothing that is added to it is forgotten here.
    pub fn add(&mut self, other: &Self) {
        let Self {
            key,
            counters,
            in_flight,
            backlog,
            in_flight_at_end,
            censored,
            service,
            response,
            error,
            error_messages,
        } = other;
        // Closed load beside open load: response times of a part would pass for those of all.
        self.key.open &= key.open;
        self.counters.add(counters);
        self.in_flight += in_flight;
        self.backlog += backlog;
        self.in_flight_at_end += in_flight_at_end;
        self.censored += censored;
        self.service.add(service);
        self.response.add(response);
        self.error.add(error);
        add_messages(&mut self.error_messages, error_messages);
    }
}

/// Adds the messages of error classes that have none yet.
pub(crate) fn add_messages(to: &mut BTreeMap<String, String>, from: &BTreeMap<String, String>) {
    for (class, message) in from {
        let _ = to.entry(class.clone()).or_insert_with(|| message.clone());
    }
}

/// One interval of a step, merged over threads.
#[derive(Clone, Debug)]
pub struct IntervalData {
    /// Begin and end in nanoseconds since the step began.
    pub from_ns: u64,
    /// See `from_ns`.
    pub to_ns: u64,
    /// True after the end of the measured window.
    pub drain: bool,
    /// One entry per operation, in slot order.
    pub slots: Vec<SlotData>,
    /// One entry per group whose scenario has steps.
    pub iterations: Vec<SlotData>,
    /// How late arrivals of open load were noticed.
    pub schedule_lag: Latencies,
    /// The age of the oldest arrival that waits at the end of the interval, in nanoseconds.
    pub backlog_age_ns: Option<u64>,
    /// An outage that is going on at the end of the interval.
    pub outage: Option<Outage>,
}

/// What the engine tells while a trial runs, on the calling thread.
#[derive(Debug)]
pub enum EngineEvent {
    /// The load begins now; connections are open and warm.
    Started {
        /// The zero of the trial's time axis.
        zero: std::time::Instant,
    },
    /// An interval has ended.
    Interval(IntervalData),
    /// The measured window has ended now; the drain begins.
    WindowEnded,
    /// The target noticed something.
    Target {
        /// Nanoseconds since the step began.
        t_ns: u64,
        /// Its kind, such as `primary_lost`.
        kind: &'static str,
        /// One line for people.
        text: String,
    },
}

/// Waits of operations that are no time of the server's.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// For a connection of the pool; part of the service time.
    pub connection: Latencies,
    /// How late arrivals were noticed; only in open load.
    pub schedule_lag: Latencies,
    /// For a free worker, from when the arrival was noticed; only in open load.
    pub queue: Latencies,
}

/// Why a trial of open load was ended before its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// When, in nanoseconds since the step began.
    pub at_ns: u64,
    /// The age of the oldest arrival that waited.
    pub backlog_age_ns: u64,
}

/// A trial that has ended.
#[derive(Clone, Debug)]
pub struct TrialResult {
    /// Length of the measured window in nanoseconds: the planned duration, or until the last
    /// operation of an exact number ended, or until the interruption.
    pub window_ns: u64,
    /// The same for each group, by its index in the plan: groups end by their own conditions.
    pub group_windows_ns: Vec<(usize, u64)>,
    /// Totals per operation, in slot order.
    pub slots: Vec<SlotData>,
    /// Totals per group whose scenario has steps.
    pub iterations: Vec<SlotData>,
    /// Waits of operations outside of the server.
    pub waits: Waits,
    /// By index of the group, where its arrivals are Poisson arrivals of one rate: the gaps between
    /// the first of them as they were noticed, over all threads, in nanoseconds.
    pub arrival_gaps_ns: Vec<(usize, Vec<u64>)>,
    /// Connections over all threads.
    pub connections: ConnectionCounts,
    /// Times without a success.
    pub outages: Vec<Outage>,
    /// The user ended it.
    pub interrupted: bool,
    /// It was given up, since its backlog had grown too old.
    pub given_up: Option<GivenUp>,
    /// Engine threads.
    pub threads: u32,
    /// What a step with actions measures besides.
    pub drill: Option<DrillResult>,
}

impl SlotData {
    /// Nothing measured yet.
    pub(crate) fn empty(key: SlotKey) -> Self {
        Self {
            key,
            counters: Counters::default(),
            in_flight: 0,
            backlog: 0,
            in_flight_at_end: 0,
            censored: 0,
            service: Latencies::new(),
            response: Latencies::new(),
            error: Latencies::new(),
            error_messages: std::collections::BTreeMap::new(),
        }
    }
}

impl TrialResult {
    /// A trial that the user ended before its load began.
    pub(crate) fn not_started(slots: &[SlotKey], threads: u32) -> Self {
        let (slots, iterations) = split(slots.iter().map(|key| SlotData::empty(*key)).collect());
        Self {
            window_ns: 0,
            group_windows_ns: Vec::new(),
            slots,
            iterations,
            waits: Waits::default(),
            arrival_gaps_ns: Vec::new(),
            connections: ConnectionCounts::default(),
            outages: Vec::new(),
            interrupted: true,
            given_up: None,
            threads,
            drill: None,
        }
    }
}

/// Parts slots of operations from those of iterations, which stand behind them.
pub(crate) fn split(mut slots: Vec<SlotData>) -> (Vec<SlotData>, Vec<SlotData>) {
    let is_operation = |slot: &SlotData| slot.key.operation().is_some();
    let iterations = slots.split_off(slots.partition_point(is_operation));
    (slots, iterations)
}

/// The slots whose arrivals a load model makes: iterations where there are steps, operations
/// elsewhere.
pub(crate) fn arriving<'a>(
    slots: &'a [SlotData],
    iterations: &'a [SlotData],
) -> impl Iterator<Item = &'a SlotData> {
    let has_steps = |group| iterations.iter().any(|of| of.key.group == group);
    let of_mixes = slots.iter().filter(move |slot| !has_steps(slot.key.group));
    of_mixes.chain(iterations)
}

impl TrialResult {
    /// The slots whose arrivals the load model makes: iterations where there are steps, operations
    /// elsewhere.
    pub fn arriving(&self) -> impl Iterator<Item = &SlotData> {
        arriving(&self.slots, &self.iterations)
    }

    /// The slots of one operation, by its index in the plan: of all groups and steps that send it.
    pub fn slots_of(&self, operation: usize) -> impl Iterator<Item = &SlotData> {
        let of = move |slot: &&SlotData| slot.key.operation() == Some(operation);
        self.slots.iter().filter(of)
    }

    /// True if a part of the load was open.
    pub fn has_open_load(&self) -> bool {
        self.slots.iter().any(|slot| slot.key.open)
    }
}

/// The summary of a histogram as records hold it.
pub fn summarize<C: hdrhistogram::Counter>(latencies: &Latencies<C>) -> LatencySummary {
    LatencySummary {
        count: latencies.count(),
        min: latencies.min_ns(),
        mean: latencies.mean_ns(),
        stddev: latencies.stddev_ns(),
        p50: latencies.quantile_ns(0.50),
        p75: latencies.quantile_ns(0.75),
        p90: latencies.quantile_ns(0.90),
        p95: latencies.quantile_ns(0.95),
        p98: latencies.quantile_ns(0.98),
        p99: latencies.quantile_ns(0.99),
        p99_9: latencies.quantile_ns(0.999),
        p99_99: latencies.quantile_ns(0.9999),
        max: latencies.max_ns(),
    }
}

impl IntervalData {
    /// The slots whose arrivals the load model makes: iterations where there are steps, operations
    /// elsewhere.
    pub fn arriving(&self) -> impl Iterator<Item = &SlotData> {
        arriving(&self.slots, &self.iterations)
    }

    /// The interval as listeners see it. `phase` is the step's name.
    pub fn to_interval(&self, plan: &Plan, phase: &str) -> Interval {
        let lag_p99_ns = self.schedule_lag.quantile_ns(0.99);
        let row = |slot: &SlotData| {
            let mut row = slot.to_row(plan);
            row.schedule_lag_p99_ns = row.response.is_some().then_some(lag_p99_ns).flatten();
            row
        };
        Interval {
            t_s: self.to_ns as f64 / 1e9,
            length_s: (self.to_ns - self.from_ns) as f64 / 1e9,
            phase: phase.to_owned(),
            drain: self.drain,
            rows: self.slots.iter().map(row).collect(),
            iterations: self.iterations.iter().map(row).collect(),
            outage: self.outage,
            ..Interval::default()
        }
    }
}

impl SlotData {
    /// The slot as listeners see it.
    pub fn to_row(&self, plan: &Plan) -> IntervalRow {
        IntervalRow {
            group: plan.groups[self.key.group].name.clone(),
            operation: self.key.name(plan).to_owned(),
            counters: self.counters.clone(),
            in_flight: self.in_flight,
            backlog: self.backlog,
            service: summarize(&self.service),
            response: self.key.open.then(|| summarize(&self.response)),
            schedule_lag_p99_ns: None,
        }
    }
}
