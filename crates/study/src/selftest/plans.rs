//! Plans of one step that ask the operations of a plan's step for another load.

use docstone_model::plan::{
    Arrivals, ClosedLoad, OpenLoad, Rate, RateStage, Scenario, ScenarioStep, SchedulePlan,
    StepAction, ThinkTime, WhenFull,
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
        let scenario = &mut plan.groups[of.group].scenario;
        without_pauses(scenario);
        limit(&mut of.model, (MAX_WORKERS / scenario.width()).max(1));
        plan.groups[of.group].connections = Some(plan.connections(of));
    }
    step.drain_ns = step.drain_ns.min(500_000_000);
    // Nothing is done to a stub.
    step.actions = Vec::new();
    plan.steps = vec![step];
    plan.target.pool = None;
    plan
}

/// Lowers the number of workers, or of what may be in flight.
fn limit(model: &mut LoadModel, most: u32) {
    match model {
        LoadModel::Closed(closed) => closed.concurrency = closed.concurrency.min(most),
        LoadModel::Open(open) => {
            open.max_in_flight = open.max_in_flight.map(|limit| limit.min(most));
        }
    }
}

/// Pauses between steps take no CPU, and none of the time of a trial is for them.
fn without_pauses(scenario: &mut Scenario) {
    fn clear(steps: &mut [ScenarioStep]) {
        for step in steps {
            step.think_time = ThinkTime::None;
            if let StepAction::Parallel(below) | StepAction::Sequence(below) = &mut step.action {
                clear(below);
            }
        }
    }
    if let Scenario::Steps(steps) = scenario {
        clear(steps);
    }
}

fn until(duration_ns: u64) -> Stop {
    Stop {
        duration_ns: Some(duration_ns),
        operations: None,
    }
}

/// The step's operations as closed load without pauses, with so many workers, or with as many as it
/// has, or as may be in flight: at most 256 connections, and at least one worker for each load.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn iterations_of_steps_have_connections_for_all_that_they_send_at_once_and_no_pauses() {
        let step = |think_time| ScenarioStep {
            think_time,
            ..ScenarioStep::run("find", 0)
        };
        let pause = ThinkTime::Exponential { mean_ns: 1_000 };
        let both = ScenarioStep {
            action: StepAction::Parallel(vec![step(pause), step(ThinkTime::None)]),
            ..step(pause)
        };
        let mut plan = fixture::plan(vec![fixture::step("s", false, until(1_000_000_000))]);
        plan.groups[0].scenario = Scenario::Steps(vec![step(pause), both]);
        let connections = |plan: &Plan| {
            let loads = plan.steps[0].loads.iter();
            loads.map(|load| plan.connections(load)).collect::<Vec<_>>()
        };
        let few = closed(&plan, 0, Some(20), 1_000_000);
        assert_eq!(few.groups[0].scenario.think_time_ns(), 0);
        assert_eq!(connections(&few), [20, 10]);
        let many = closed(&plan, 0, Some(600), 1_000_000);
        assert_eq!(connections(&many), [256, 256]);
        assert_eq!(many.steps[0].loads[0].model.concurrency(), 128);
        let paced = at_rate(&plan, 0, 100.0, 1_000_000);
        assert_eq!(connections(&paced), [4, 2]);
        assert_eq!(paced.groups[0].scenario.think_time_ns(), 0);
    }
}
