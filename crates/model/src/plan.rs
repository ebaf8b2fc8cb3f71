//! The resolved plan: all that a run will do, with every default filled in.
//!
//! Everything that connects goes through a [`Plan`]: workload files and the old tools' command
//! lines both end here. Reading files and flags belongs to the config crate.

mod action;
mod closed;
mod collection_options;
mod data;
mod group;
mod index;
mod open;
mod operation;
mod pacing;
mod scenario;
mod step;
mod target;

use crate::hash::sha256_hex;
use crate::secret::MongoUri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use action::{ActionKind, ActionPlan, AdminCommand, HookText, MemberChoice, MemberSignal};
pub use closed::{ClosedLoad, ThinkTime, WorkerStage};
pub use collection_options::{BlockCompressor, Capped, CollectionOptions, Granularity, TimeSeries};
pub use data::{CollectionPlan, SetupMode};
pub use group::GroupPlan;
pub use index::{IndexBuild, IndexPlan};
pub use open::{
    Arrivals, MAX_IN_FLIGHT, MIN_IN_FLIGHT, OpenLoad, Rate, RateStage, SchedulePlan, WhenFull,
};
pub use operation::{
    CallOptions, Limits, OperationKind, OperationPlan, Parts, Payload, READ_PREFERENCES, Returned,
    Touched, touched,
};
pub use pacing::Pacing;
pub use scenario::{
    Capture, ITERATIONS, MixEntry, OnError, RunStep, Scenario, ScenarioStep, StepAction,
};
pub use step::{GroupLoad, LoadModel, StepPlan, Stop};
pub use target::{
    CONNECT_TIMEOUT_NS, Compressor, PrivateServer, TargetPlan, Transport, WriteConcern,
};

/// The format of `plan.json`.
pub const PLAN_FORMAT: &str = "docstone.plan/1";

/// One run, resolved: target, data, operations, groups and load steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Always [`PLAN_FORMAT`].
    pub format: String,
    /// Names the output folder and the report.
    pub name: String,
    /// What the plan came from: `run`, or the old tool's name (`idealo`).
    pub origin: String,
    /// Seeds every draw: the same plan and seed give the same operations and documents.
    pub seed: u64,
    /// The deployment under test and how it is reached.
    pub target: TargetPlan,
    /// Collections that are set up before the load starts, in the order of the file.
    pub data: Vec<CollectionPlan>,
    /// Collections that are not docstone's: used as they are, and refused where they are missing.
    pub existing: Vec<String>,
    /// What is done with a collection that exists already.
    pub setup: SetupMode,
    /// The named database calls. Groups refer to them by index.
    pub operations: Vec<OperationPlan>,
    /// Groups run at the same time, each with its own workers and connections.
    pub groups: Vec<GroupPlan>,
    /// Load steps, one after the other; each step that is not a warm-up is one trial.
    pub steps: Vec<StepPlan>,
    /// Engine threads; `None` is one per core that this process may use.
    pub threads: Option<u32>,
    /// How engine threads wait for the next arrival of open load.
    #[serde(default)]
    pub pacing: Pacing,
}

impl Plan {
    /// A plan that does nothing yet, with every default.
    pub fn new(name: &str, target: TargetPlan) -> Self {
        Self {
            format: PLAN_FORMAT.to_owned(),
            name: name.to_owned(),
            origin: "run".to_owned(),
            seed: 1,
            target,
            data: Vec::new(),
            existing: Vec::new(),
            setup: SetupMode::Guarded,
            operations: Vec::new(),
            groups: Vec::new(),
            steps: Vec::new(),
            threads: None,
            pacing: Pacing::Timer,
        }
    }

    /// SHA-256 over the plan as JSON, secrets redacted, as lower-case hex. Two plans with the
    /// same hash differ at most in a password, in the port of a private server, or in what was
    /// set when the target was reached.
    pub fn hash(&self) -> String {
        if self.target.private.is_some() && !self.target.uri.expose().is_empty() {
            let mut plan = self.clone();
            plan.target.uri = MongoUri::new("");
            return plan.hash();
        }
        if self
            .open_loads()
            .any(|open| open.settled_in_flight.is_some())
        {
            let mut plan = self.clone();
            for open in plan.open_loads_mut() {
                open.settled_in_flight = None;
            }
            return plan.hash();
        }
        let json = serde_json::to_vec(self).expect("a plan is plain data");
        sha256_hex(&json)
    }

    fn open_loads(&self) -> impl Iterator<Item = &OpenLoad> {
        let loads = self.steps.iter().flat_map(|step| &step.loads);
        loads.filter_map(|load| match &load.model {
            LoadModel::Open(open) => Some(open),
            LoadModel::Closed(_) => None,
        })
    }

    /// The open loads of all steps and groups.
    pub fn open_loads_mut(&mut self) -> impl Iterator<Item = &mut OpenLoad> {
        let loads = self.steps.iter_mut().flat_map(|step| &mut step.loads);
        loads.filter_map(|load| match &mut load.model {
            LoadModel::Open(open) => Some(open),
            LoadModel::Closed(_) => None,
        })
    }

    /// Sets how many operations may be in flight, for the open loads for which that is left open: by
    /// the median round trip of a ping, in nanoseconds, and what an iteration of the group does.
    pub fn settle_in_flight(&mut self, rtt_ns: u64) {
        let groups = &self.groups;
        for load in self.steps.iter_mut().flat_map(|step| &mut step.loads) {
            if let LoadModel::Open(open) = &mut load.model {
                open.settle(groups[load.group].scenario.iteration_ns(rtt_ns));
            }
        }
    }

    /// The calls of all operations: those in bulks and transactions stand for themselves.
    pub fn calls(&self) -> impl Iterator<Item = &OperationPlan> {
        self.operations.iter().flat_map(OperationPlan::calls)
    }

    /// What one group counts, each under a name of its own: the operations of its mix, or its
    /// steps.
    pub fn group_slots(&self, group: usize) -> Vec<GroupSlot<'_>> {
        let mut slots: Vec<GroupSlot<'_>> = Vec::new();
        match &self.groups[group].scenario {
            Scenario::Mix(mix) => slots.extend(mix.iter().map(|entry| GroupSlot {
                name: &self.operations[entry.operation].name,
                operation: entry.operation,
            })),
            scenario @ Scenario::Steps(_) => {
                for run in scenario.run_steps() {
                    if slots.iter().all(|slot| slot.name != run.name) {
                        slots.push(GroupSlot {
                            name: &run.name,
                            operation: run.operation,
                        });
                    }
                }
            }
        }
        slots
    }

    /// The operations of one group, by their index in [`Plan::operations`]: one for each of its
    /// slots.
    pub fn group_operations(&self, group: usize) -> Vec<usize> {
        let slots = self.group_slots(group).into_iter();
        slots.map(|slot| slot.operation).collect()
    }

    /// The largest number of connections that any step opens.
    pub fn max_connections(&self) -> u64 {
        let of_step = |step: &StepPlan| {
            step.loads
                .iter()
                .map(|load| u64::from(self.connections(load)))
                .sum::<u64>()
        };
        self.steps.iter().map(of_step).max().unwrap_or(0)
    }

    /// Engine threads where docstone may use so many cores: as planned, else one per core. One core
    /// is left to all else where they spin.
    pub fn engine_threads(&self, cores: u32) -> u32 {
        let free = u32::from(self.pacing == Pacing::Spin && self.has_open_load());
        self.threads.unwrap_or(cores.saturating_sub(free)).max(1)
    }

    /// Of these threads, those that spin in the step in which most of them do; 0 where none does.
    /// Where the target is to set how many operations may be in flight, they are taken to be many.
    pub fn spinning_threads(&self, cores: u32) -> u32 {
        if self.pacing == Pacing::Timer {
            return 0;
        }
        let workers = |load: &GroupLoad| match &load.model {
            LoadModel::Open(open) => open.max_in_flight.unwrap_or(MAX_IN_FLIGHT),
            LoadModel::Closed(closed) => closed.concurrency,
        };
        let all = |step: &StepPlan| {
            let workers = step.loads.iter().map(workers);
            workers.fold(0, u32::saturating_add)
        };
        let open = self.steps.iter().filter(|step| step.has_open_load());
        let most = open.map(all).max().unwrap_or(0);
        self.engine_threads(cores).min(most)
    }

    /// True if a step has open load.
    pub fn has_open_load(&self) -> bool {
        self.steps.iter().any(StepPlan::has_open_load)
    }

    /// The threads that serve one group in one step: no more than it has workers or connections,
    /// so that both numbers are kept exactly.
    pub fn load_threads(&self, load: &GroupLoad, threads: u32) -> u32 {
        threads
            .min(load.model.concurrency())
            .min(self.connections(load))
            .max(1)
    }

    /// The threads that one step uses of those that there are: no more than it has workers.
    pub fn step_threads(&self, step: usize, threads: u32) -> u32 {
        let loads = self.steps[step].loads.iter();
        let workers = loads
            .map(|load| u64::from(load.model.concurrency()))
            .sum::<u64>();
        threads.clamp(1, u32::try_from(workers).unwrap_or(u32::MAX).max(1))
    }

    /// Connections that one group opens in one step: its pool if one is set, else as many as it
    /// can have operations in flight.
    pub fn connections(&self, load: &GroupLoad) -> u32 {
        let group = &self.groups[load.group];
        let most = load
            .model
            .concurrency()
            .saturating_mul(group.scenario.width());
        let pool = group.connections.or(self.target.pool);
        pool.unwrap_or(most).min(most).max(1)
    }
}

/// What a group counts under one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSlot<'a> {
    /// The name: of an operation of a mix, or of a step.
    pub name: &'a str,
    /// The operation's index in [`Plan::operations`].
    pub operation: usize,
}

/// `plan.json`: the plan and its hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanFile {
    /// Always [`PLAN_FORMAT`].
    pub format: String,
    /// [`Plan::hash`].
    pub hash: String,
    /// The plan, secrets replaced by `***`.
    pub plan: Plan,
}

impl From<&Plan> for PlanFile {
    fn from(plan: &Plan) -> Self {
        Self {
            format: PLAN_FORMAT.to_owned(),
            hash: plan.hash(),
            plan: plan.clone(),
        }
    }
}
