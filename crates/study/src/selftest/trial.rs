//! One short trial, and the CPU that client and stub used in its window.

use std::sync::Arc;

use docstone_engine::workload::{Facts, Payloads, Workload};
use docstone_engine::{
    EngineEvent, Interrupt, Target, TargetError, TargetErrorKind, TrialRequest, TrialResult,
    run_trial, summarize,
};
use docstone_model::record::{RateRecord, TimerRecord};
use docstone_model::{Counters, Plan};
use docstone_telemetry::ProcessClock;

use super::sleeper::Sleeper;

/// A sleep that ends so late is a stall.
const STALL_NS: u64 = 10_000_000;

/// How often a trial of too few operations is repeated, each time four times as long.
const LONGER: u32 = 2;

/// What trials run with.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    /// Engine threads.
    pub threads: u32,
    /// Ends all of it.
    pub interrupt: &'a Interrupt,
    /// The text of the plan's payloads.
    pub payloads: &'a Payloads,
}

/// The user did not want to wait for the end, or the trial failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Interrupted {
    /// The interrupt flag was set.
    #[error("interrupted")]
    ByUser,
    /// The connections to the stub could not be opened, or the plan cannot be compiled.
    #[error(transparent)]
    Target(#[from] TargetError),
}

/// CPU time in seconds: of the stub's threads, and of the whole process.
struct CpuTimes {
    stub_s: Vec<f64>,
    process_s: f64,
}

/// A trial with the CPU time of its window.
pub(super) struct Ran {
    pub(super) result: TrialResult,
    stub_s: Vec<f64>,
    process_s: f64,
    measured_s: f64,
}

/// The sum of a counter over all that arrived: operations, and of steps whole iterations.
pub(super) fn total(result: &TrialResult, of: fn(&Counters) -> u64) -> u64 {
    result.arriving().map(|slot| of(&slot.counters)).sum()
}

impl Bench<'_> {
    /// Runs the only step of a plan. `stub_cpu_s` tells the CPU time of each thread of the stub.
    pub(super) fn run<T: Target>(
        self,
        plan: &Plan,
        target: &T,
        stub_cpu_s: &dyn Fn() -> Vec<f64>,
    ) -> Result<Ran, Interrupted> {
        let mut facts = Facts::assumed(plan);
        facts.payloads = self.payloads.clone();
        let workload = Workload::compile(plan, &facts).map_err(|problem| TargetError {
            kind: TargetErrorKind::Plan,
            message: problem.to_string(),
            help: None,
        })?;
        let request = TrialRequest {
            plan,
            step: 0,
            workload: Arc::new(workload),
            threads: self.threads,
            pacing: plan.pacing.into(),
            marks: None,
        };
        let read = || {
            let now = std::time::Instant::now();
            let times = CpuTimes {
                stub_s: stub_cpu_s(),
                process_s: ProcessClock::now().cpu_s,
            };
            (times, now)
        };
        let (mut start, mut end) = (None, None);
        let result = run_trial(&request, target, self.interrupt, &mut |event| match event {
            EngineEvent::Started { .. } => start = Some(read()),
            EngineEvent::WindowEnded => end = Some(read()),
            EngineEvent::Interval(_) | EngineEvent::Target { .. } => {}
        })?;
        let ended = start.zip(end).filter(|_| !self.interrupt.is_triggered());
        let Some(((start, from), (end, to))) = ended else {
            return Err(Interrupted::ByUser);
        };
        let stub_s = end.stub_s.iter().zip(&start.stub_s);
        Ok(Ran {
            result,
            stub_s: stub_s.map(|(end, start)| (end - start).max(0.0)).collect(),
            process_s: end.process_s - start.process_s,
            measured_s: (to - from).as_secs_f64(),
        })
    }
}

fn workers(plan: &Plan) -> u64 {
    let loads = plan.steps[0].loads.iter();
    loads.map(|load| u64::from(load.model.concurrency())).sum()
}

/// How fast closed load goes. Where a worker ends less than two operations, as on a machine that is
/// busy with other work, it is tried again for a longer time.
///
/// # Errors
/// If the stub cannot be used or the user does not wait.
pub fn closed_rate<T: Target>(
    bench: Bench<'_>,
    plan: &Plan,
    target: &T,
    stub_cpu_s: &dyn Fn() -> Vec<f64>,
) -> Result<RateRecord, Interrupted> {
    let mut plan = plan.clone();
    let mut ran = bench.run(&plan, target, stub_cpu_s)?;
    for _ in 0..LONGER {
        if total(&ran.result, Counters::ended) >= 2 * workers(&plan) {
            break;
        }
        for load in &mut plan.steps[0].loads {
            load.stop.duration_ns = load.stop.duration_ns.map(|ns| ns.saturating_mul(4));
        }
        ran = bench.run(&plan, target, stub_cpu_s)?;
    }
    let operations = total(&ran.result, Counters::ended);
    let of_stub_s: f64 = ran.stub_s.iter().sum();
    let per_op = |cpu_s: f64| (operations > 0).then(|| cpu_s * 1e6 / operations as f64);
    let has_threads = !ran.stub_s.is_empty();
    let busiest_s = ran.stub_s.iter().copied().reduce(f64::max);
    Ok(RateRecord {
        threads: ran.result.threads,
        concurrency: u32::try_from(workers(&plan)).unwrap_or(u32::MAX),
        operations,
        errors: total(&ran.result, |counters| counters.errors),
        rate_ops_per_s: operations as f64 / (ran.result.window_ns as f64 / 1e9).max(1e-9),
        cpu_us_per_op: per_op((ran.process_s - of_stub_s).max(0.0)),
        stub_cpu_us_per_op: has_threads.then(|| per_op(of_stub_s)).flatten(),
        stub_busy_share: busiest_s.map(|busy_s| (busy_s / ran.measured_s.max(1e-9)).min(1.0)),
    })
}

/// How late arrivals at a modest rate are noticed, and how late a plain sleep ends meanwhile.
///
/// # Errors
/// If the stub cannot be used or the user does not wait.
pub fn timer<T: Target>(
    bench: Bench<'_>,
    plan: &Plan,
    target: &T,
    rate_per_thread: f64,
) -> Result<TimerRecord, Interrupted> {
    let sleeper = Sleeper::start();
    let ran = bench.run(plan, target, &Vec::new);
    let sleeps = sleeper.end();
    let ran = ran?;
    Ok(TimerRecord {
        rate_per_thread_ops_per_s: rate_per_thread,
        schedule_lag_ns: summarize(&ran.result.waits.schedule_lag),
        sleep_lag_ns: summarize(&sleeps),
        stalls: sleeps.count_above(STALL_NS),
    })
}
