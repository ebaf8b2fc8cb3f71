//! What is worth a line about a plan before anything is started.

use docstone_model::Generator;
use docstone_model::plan::{GroupPlan, Plan, Scenario, ScenarioStep, StepAction, StepPlan};

use crate::paint::printable;
use crate::units::{self, plural};

/// Memory of workers that is worth a line.
const MUCH_BYTES: u64 = 250_000_000;

/// The memory of one worker whose operation is in flight, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkerBytes {
    /// While it waits for a connection.
    pub waiting: u64,
    /// While it has one.
    pub connected: u64,
}

/// Lines about what a plan asks for: threads that it has no workers for, and memory.
pub fn notes(plan: &Plan, worker: WorkerBytes) -> Vec<String> {
    let notes = threads_note(plan).into_iter();
    let empty = plan
        .groups
        .iter()
        .filter_map(|group| empty_iterations_note(plan, group));
    notes
        .chain(memory_note(plan, worker))
        .chain(empty)
        .collect()
}

/// What becomes of iterations in which no step takes place: each has a probability, or needs what one
/// before it captures.
fn empty_iterations_note(plan: &Plan, group: &GroupPlan) -> Option<String> {
    let Scenario::Steps(steps) = &group.scenario else {
        return None;
    };
    let mut uncertain: Vec<&str> = Vec::new();
    let mut none = 1.0;
    for step in steps {
        let needs = |name: &&str| uses(plan, step, name);
        let follows = uncertain.iter().any(needs);
        if !follows {
            none *= 1.0 - step.probability;
        }
        if follows || step.probability < 1.0 {
            let captures = step.run_steps().into_iter().flat_map(|run| &run.captures);
            uncertain.extend(captures.map(|capture| capture.name.as_str()));
        }
    }
    (none > 0.0).then(|| {
        format!(
            "group {}: {:.3} % of the iterations run no step, and count as ok after no time: a step \
             without `probability` makes each of them run something",
            printable(&group.name),
            none * 100.0
        )
    })
}

/// True if a step runs one operation, which uses the captured value.
fn uses(plan: &Plan, step: &ScenarioStep, value: &str) -> bool {
    let StepAction::Run(run) = &step.action else {
        return false;
    };
    let mut found = false;
    let calls = plan.operations[run.operation].calls().into_iter();
    for template in calls.flat_map(|call| call.kind.templates()) {
        template.for_each_generator(&mut |generator| {
            found |= matches!(generator, Generator::Captured { name } if name == value);
        });
    }
    found
}

/// What becomes of engine threads that were asked for and that no step has workers for.
fn threads_note(plan: &Plan) -> Option<String> {
    let asked = plan.threads?;
    let used = (0..plan.steps.len()).map(|step| plan.step_threads(step, asked));
    let (least, most) = (used.clone().min()?, used.max()?);
    if least == asked {
        return None;
    }
    let used = if least == most {
        units::count(u64::from(most))
    } else {
        format!(
            "{} to {}",
            units::count(u64::from(least)),
            units::count(u64::from(most))
        )
    };
    let asked = units::plural(u64::from(asked), "engine thread");
    Some(format!(
        "{asked} asked for, {used} used: a step uses no more threads than it has workers"
    ))
}

/// The memory that very many workers take. Of open load only those take it that are needed.
fn memory_note(plan: &Plan, worker: WorkerBytes) -> Option<String> {
    let needs = |step: &StepPlan| -> (u64, u64) {
        let closed = step.loads.iter().filter(|load| !load.model.is_open());
        let of_group = closed.map(|load| {
            let width = plan.groups[load.group].scenario.width();
            let in_flight = u64::from(load.model.concurrency()) * u64::from(width);
            let connected = in_flight.min(u64::from(plan.connections(load)));
            let waiting = in_flight - connected;
            let bytes = connected * worker.connected + waiting * worker.waiting;
            (bytes, in_flight)
        });
        of_group.fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1))
    };
    let (bytes, in_flight) = plan.steps.iter().map(needs).max()?;
    (bytes >= MUCH_BYTES).then(|| {
        format!(
            "{} in flight take about {} of memory: {} each that has a connection, {} that waits \
             for one",
            plural(in_flight, "operation"),
            units::bytes(bytes),
            units::bytes(worker.connected),
            units::bytes(worker.waiting)
        )
    })
}

#[cfg(test)]
mod tests {
    use docstone_model::plan::{Capture, OperationKind};
    use docstone_model::template::Template;

    use super::*;
    use crate::fixture;

    /// The notes on a plan whose steps have two groups with so many workers each.
    fn of(workers: &[u32], connections: Option<u32>) -> Vec<String> {
        let step = |workers: &u32| fixture::step("steady", 2, *workers, fixture::for_s(30));
        let steps = workers.iter().map(step).collect();
        let mut plan = fixture::plan(&["find", "insert"], steps);
        plan.target.pool = connections;
        let worker = WorkerBytes {
            waiting: 3_000,
            connected: 35_000,
        };
        notes(&plan, worker)
    }

    #[test]
    fn the_memory_of_very_many_workers_is_said_and_that_of_few_is_not() {
        assert_eq!(of(&[64, 3_000], None), [""; 0]);
        let each = "35.0 KB each that has a connection, 3.00 KB that waits for one";
        assert_eq!(
            of(&[64, 50_000, 8_000], None),
            [format!(
                "100,000 operations in flight take about 3.50 GB of memory: {each}"
            )]
        );
        assert_eq!(
            of(&[64, 50_000], Some(1_000)),
            [format!(
                "100,000 operations in flight take about 364 MB of memory: {each}"
            )]
        );
    }

    #[test]
    fn iterations_in_which_nothing_happens_are_said() {
        let step = fixture::step("steady", 1, 1, fixture::for_s(30));
        let mut plan = fixture::plan(&["orders"], vec![step]);
        let mut of = |probabilities: &[f64]| {
            let step = |&probability: &f64| ScenarioStep {
                probability,
                ..ScenarioStep::run("a", 0)
            };
            plan.groups[0].scenario = Scenario::Steps(probabilities.iter().map(step).collect());
            let worker = WorkerBytes::default();
            notes(&plan, worker).join("\n")
        };
        assert_eq!(of(&[0.1, 1.0]), "");
        let note = of(&[0.1, 0.5]);
        assert!(
            note.contains("group orders: 45.000 % of the iterations"),
            "{note}"
        );
    }

    #[test]
    fn a_step_that_needs_the_value_of_one_with_a_probability_runs_as_seldom() {
        let step = fixture::step("steady", 1, 1, fixture::for_s(30));
        let mut plan = fixture::plan(&["orders"], vec![step]);
        let value = || "v".to_owned();
        let captured = Template::Generator(Generator::Captured { name: value() });
        plan.operations[0].kind = OperationKind::InsertOne {
            document: Template::Document(vec![("of".to_owned(), captured)]),
        };
        let mut first = ScenarioStep {
            probability: 0.4,
            ..ScenarioStep::run("a", 0)
        };
        let StepAction::Run(run) = &mut first.action else {
            panic!("{first:?}");
        };
        run.captures.push(Capture {
            name: value(),
            path: "_id".to_owned(),
        });
        let second = ScenarioStep::run("a", 0);
        plan.groups[0].scenario = Scenario::Steps(vec![first, second]);
        let note = notes(&plan, WorkerBytes::default()).join("\n");
        assert!(note.contains("60.000 % of the iterations"), "{note}");
    }
}
