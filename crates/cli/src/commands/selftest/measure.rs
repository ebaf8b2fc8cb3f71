//! The order of a self-test, and how its time is divided.

use std::time::Duration;

use docstone_engine::Interrupt;
use docstone_engine::stub::Stub;
use docstone_model::record::{
    Headroom, OpenRecord, RateRecord, StepHeadroom, TimerRecord, WorkloadRecord,
};
use docstone_model::{GroupLoad, Plan};
use docstone_mongo::{Need, StubTarget, file_limit};
use docstone_report::units;
use docstone_study::selftest::{
    Bench, Interrupted, MAX_WORKERS, OpenSearch, at_rate, closed, closed_rate, find_open_rate,
    rate_asked, timer,
};

use docstone_workload::Payloads;

use crate::terminal;

/// Arrivals a second on each thread while the timer is looked at.
const TIMER_RATE_PER_S: f64 = 1_000.0;

/// Workers of each thread where no file says otherwise.
const WORKERS: u32 = 32;

/// What all parts need.
#[derive(Clone, Copy)]
pub(super) struct Measure<'a> {
    pub(super) threads: u32,
    pub(super) stub_threads: usize,
    pub(super) interrupt: &'a Interrupt,
    /// The text of the workload's payloads.
    pub(super) payloads: &'a Payloads,
    pub(super) quiet: bool,
}

/// What was measured.
pub(super) struct Measured {
    pub(super) timer: TimerRecord,
    pub(super) engine: Vec<RateRecord>,
    pub(super) driver: Vec<RateRecord>,
    pub(super) open: Option<OpenRecord>,
    pub(super) workload: Option<WorkloadRecord>,
    pub(super) notes: Vec<String>,
}

/// The steps that are tried: those that are measured, or all where none is.
pub(super) fn measured(plan: &Plan) -> Vec<usize> {
    let all = 0..plan.steps.len();
    let measured: Vec<usize> = all
        .clone()
        .filter(|step| !plan.steps[*step].warmup)
        .collect();
    if measured.is_empty() {
        all.collect()
    } else {
        measured
    }
}

/// A part of a duration, in nanoseconds.
fn part(of: Duration, share: f64) -> u64 {
    u64::try_from(of.mul_f64(share).as_nanos()).unwrap_or(u64::MAX)
}

impl Measure<'_> {
    fn bench(&self, threads: u32) -> Bench<'_> {
        Bench {
            threads,
            interrupt: self.interrupt,
            payloads: self.payloads,
        }
    }

    fn say(self, text: &str) {
        if !self.quiet {
            terminal::say(text);
        }
    }

    /// One thread, and all of them where there are more.
    fn thread_counts(self) -> Vec<u32> {
        let mut counts = vec![1, self.threads];
        counts.dedup();
        counts
    }

    /// The machine alone, with small documents.
    pub(super) fn machine(self, plan: &Plan, all: Duration) -> Result<Measured, Interrupted> {
        let step = measured(plan)[0];
        let mut parts = self.first_parts(plan, (plan, step), all.mul_f64(0.4))?;
        let counts = self.thread_counts();
        let each = part(all, 0.25 / counts.len() as f64);
        let widest = wide(plan, step, self.threads, 1);
        let stub = StubTarget::start(&widest, self.stub_threads, self.payloads)?;
        for threads in counts {
            self.say(&format!(
                "driver and sockets, {}",
                units::plural(threads.into(), "thread")
            ));
            let plan = wide(plan, step, threads, each);
            let cpu_s = || stub.cpu_s();
            let found = closed_rate(self.bench(threads), &plan, &stub, &cpu_s)?;
            parts.driver.push(found);
        }
        self.say("open load");
        let wide = wide(plan, step, self.threads, 1);
        let search = OpenSearch {
            plan: &wide,
            step: 0,
            limit_per_s: parts.driver.last().map_or(0.0, |of| of.rate_ops_per_s),
            asked_per_s: 0.0,
            duration_ns: part(all, 0.35),
        };
        parts.open = Some(find_open_rate(self.bench(self.threads), search, &stub)?);
        Ok(parts)
    }

    /// The machine and each step of a workload.
    pub(super) fn workload(
        self,
        standard: &Plan,
        plan: &Plan,
        all: Duration,
    ) -> Result<Measured, Interrupted> {
        let steps: Vec<Plan> = measured(plan)
            .into_iter()
            .flat_map(|step| parts_of(plan, step))
            .collect();
        let each = all / u32::try_from(steps.len() + 1).unwrap_or(u32::MAX);
        let mut parts = self.first_parts(standard, (plan, measured(plan)[0]), each)?;
        let mut found = Vec::new();
        for step in &steps {
            let of = self.step(step, each)?;
            let workers = step.steps[0].loads.iter();
            let workers: u64 = workers
                .map(|load| u64::from(load.model.concurrency()))
                .sum();
            let tried = u64::from(of.closed.concurrency);
            if workers > tried {
                parts.notes.push(format!(
                    "{}: tried with {} workers, not {}",
                    step.steps[0].name,
                    units::count(tried),
                    units::count(workers)
                ));
            }
            found.push(of);
        }
        let need = Need::of_named(plan);
        parts.workload = Some(WorkloadRecord {
            name: plan.name.clone(),
            plan_hash: plan.hash(),
            steps: found,
            connections: need.per_host(),
            files: need.files(),
            file_limit: file_limit(),
        });
        if plan.groups.iter().any(|group| group.scenario.has_steps()) {
            parts.notes.push(
                "of a scenario of steps, rates and CPU are of whole iterations, without their pauses"
                    .to_owned(),
            );
        }
        parts.notes.extend(StubTarget::differences(plan));
        Ok(parts)
    }

    /// The timer, and the engine with the operations of a step, behind no driver.
    fn first_parts(
        self,
        standard: &Plan,
        (plan, step): (&Plan, usize),
        all: Duration,
    ) -> Result<Measured, Interrupted> {
        self.say("timer");
        let wide = wide(standard, measured(standard)[0], self.threads, 1);
        let rate_per_s = TIMER_RATE_PER_S * f64::from(self.threads);
        let paced = at_rate(&wide, 0, rate_per_s, part(all, 0.6));
        let bench = self.bench(self.threads);
        // It answers without leaving the engine.
        let stub = Stub::new(Duration::ZERO);
        let timer = timer(bench, &paced, &stub, TIMER_RATE_PER_S)?;
        let stub = stub.with_documents(StubTarget::found(plan, self.payloads)?);
        let mut engine = Vec::new();
        let counts = self.thread_counts();
        let each = part(all, 0.4 / counts.len() as f64);
        for threads in counts {
            self.say(&format!(
                "engine, {}",
                units::plural(threads.into(), "thread")
            ));
            let plan = closed(plan, step, Some(threads), each);
            let of = closed_rate(self.bench(threads), &plan, &stub, &Vec::new)?;
            engine.push(of);
        }
        let mut notes = Vec::new();
        if cfg!(debug_assertions) {
            notes.push(
                "debug build of docstone: its own cost is many times higher than that of a \
                 release build"
                    .to_owned(),
            );
        }
        Ok(Measured {
            timer,
            engine,
            driver: Vec::new(),
            open: None,
            workload: None,
            notes,
        })
    }

    /// The only step of a plan, whose loads are all open or all closed.
    fn step(self, plan: &Plan, all: Duration) -> Result<StepHeadroom, Interrupted> {
        let step = &plan.steps[0];
        let asked = rate_asked(plan, 0);
        let is_open = step.loads[0].model.is_open();
        let load = if is_open { "open" } else { "closed" };
        self.say(&format!("step {}, {load} load", step.name));
        let bench = self.bench(self.threads);
        let share = if is_open { 0.25 } else { 1.0 };
        let fast = closed(plan, 0, None, part(all, share));
        let stub = StubTarget::start(&fast, self.stub_threads, self.payloads)?;
        let fast = closed_rate(bench, &fast, &stub, &|| stub.cpu_s())?;
        let search = OpenSearch {
            plan,
            step: 0,
            limit_per_s: fast.rate_ops_per_s,
            asked_per_s: asked,
            duration_ns: part(all, 0.75),
        };
        let open = if is_open {
            Some(find_open_rate(bench, search, &stub)?)
        } else {
            None
        };
        let possible = open.as_ref().and_then(|open| open.rate_ops_per_s);
        let headroom = possible
            .filter(|_| asked > 0.0)
            .map(|possible| possible / asked);
        let name = |load: &GroupLoad| plan.groups[load.group].name.clone();
        Ok(StepHeadroom {
            step: step.name.clone(),
            load: load.to_owned(),
            groups: step.loads.iter().map(name).collect(),
            asked_ops_per_s: is_open.then_some(asked),
            closed: fast,
            open,
            headroom,
            verdict: is_open.then(|| Headroom::of(headroom)),
        })
    }
}

/// The step with enough workers to keep so many threads busy.
fn wide(plan: &Plan, step: usize, threads: u32, duration_ns: u64) -> Plan {
    let workers = (WORKERS * threads).min(MAX_WORKERS).max(threads);
    closed(plan, step, Some(workers), duration_ns)
}

/// The open and the closed loads of a step, each as a plan of one step; those that there are.
fn parts_of(plan: &Plan, step: usize) -> Vec<Plan> {
    let of = |open: bool| {
        let mut step = plan.steps[step].clone();
        step.loads.retain(|load| load.model.is_open() == open);
        let mut plan = plan.clone();
        plan.steps = vec![step];
        plan
    };
    let parts = [true, false].into_iter().map(of);
    parts
        .filter(|part| !part.steps[0].loads.is_empty())
        .collect()
}
