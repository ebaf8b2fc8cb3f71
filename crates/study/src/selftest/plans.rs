//! Plans of one step that ask the operations of a plan's step for another load.

use docstone_model::plan::{
    Arrivals, ClosedLoad, OpenLoad, Rate, RateStage, SchedulePlan, WhenFull,
};
use docstone_model::{GroupLoad, LoadModel, Plan, Stop};

/// The most workers and connections of a trial: more are no other way to use the CPU, and both
/// ends of each connection are files of this process.
pub const MAX_WORKERS: u32 = 256;

fn rate_of(load: &GroupLoad) -> f64 {
    match &load.model {
        LoadModel::Open(open) => open.schedule.max_rate_per_s(),
        LoadModel::Closed(_) => 0.0,
    }
}

/// The highest rate that the open loads of a step ask for together; 0 for closed load.
pub fn rate_asked(plan: &Plan, step: usize) -> f64 {
    plan.steps[step].loads.iter().map(rate_of).sum()
}

/// The share of each load in the step: of the rate where it is open, else of the workers.
fn shares(loads: &[GroupLoad]) -> Vec<f64> {
    let open = loads.iter().map(rate_of).sum::<f64>() > 0.0;
    let part = |load: &GroupLoad| {
        if open {
            rate_of(load)
        } else {
            f64::from(load.model.concurrency())
        }
    };
    let all: f64 = loads.iter().map(part).sum();
    loads.iter().map(|load| part(load) / all).collect()
}

/// The part of a number that a share of it is, at least 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a number of workers"
)]
fn part(of: u32, share: f64) -> u32 {
    ((f64::from(of) * share).round() as u32).clamp(1, of.max(1))
}

/// The plan with this step alone, its loads replaced.
fn with(plan: &Plan, step: usize, load: impl Fn(&GroupLoad, f64) -> (LoadModel, Stop)) -> Plan {
    let mut plan = plan.clone();
    let mut step = plan.steps.swap_remove(step);
    let shares = shares(&step.loads);
    for (of, share) in step.loads.iter_mut().zip(shares) {
        (of.model, of.stop) = load(of, share);
        plan.groups[of.group].connections = Some(plan.connections(of));
    }
    step.drain_ns = step.drain_ns.min(500_000_000);
    // Nothing is done to a stub.
    step.actions = Vec::new();
    plan.steps = vec![step];
    plan.target.pool = None;
    plan
}

fn until(duration_ns: u64) -> Stop {
    Stop {
        duration_ns: Some(duration_ns),
        operations: None,
    }
}

/// The step's operations as closed load without pauses, with so many workers, or with as many as it
/// has, or as may be in flight: at most 256, and at least one for each load.
pub fn closed(plan: &Plan, step: usize, workers: Option<u32>, duration_ns: u64) -> Plan {
    let loads = &plan.steps[step].loads;
    let all = loads.iter().map(|load| load.model.concurrency());
    let workers = workers.unwrap_or_else(|| all.fold(0, u32::saturating_add).min(MAX_WORKERS));
    with(plan, step, |_, share| {
        let model = LoadModel::Closed(ClosedLoad::steady(part(workers, share)));
        (model, until(duration_ns))
    })
}

/// The step's operations as open load at a constant rate.
pub fn at_rate(plan: &Plan, step: usize, rate_per_s: f64, duration_ns: u64) -> Plan {
    with(plan, step, |load, share| {
        let (arrivals, limit) = match &load.model {
            LoadModel::Open(open) => match &open.schedule {
                SchedulePlan::Rates { arrivals, .. } => (*arrivals, open.in_flight_limit()),
                SchedulePlan::Times { .. } => (Arrivals::Poisson, open.in_flight_limit()),
            },
            LoadModel::Closed(closed) => (Arrivals::Poisson, closed.concurrency),
        };
        let rate = rate_per_s * share;
        let stage = RateStage {
            duration_ns,
            rate: Rate::Linear {
                from_per_s: rate,
                to_per_s: rate,
            },
        };
        let open = OpenLoad {
            schedule: SchedulePlan::Rates {
                stages: vec![stage],
                arrivals,
            },
            max_in_flight: Some(limit.min(MAX_WORKERS)),
            settled_in_flight: None,
            when_full: WhenFull::Queue,
            give_up_after_ns: None,
        };
        (LoadModel::Open(open), until(duration_ns))
    })
}
