//! What is worth a line about a plan before anything is started.

use docstone_model::plan::{LoadModel, Plan, StepPlan};

use crate::units::{self, plural};

/// Memory of workers that is worth a line.
const MUCH_BYTES: u64 = 250_000_000;

/// Lines about what a plan asks for: threads that it has no workers for, and memory, where a worker
/// whose operation is in flight takes `worker_bytes`.
pub fn notes(plan: &Plan, worker_bytes: u64) -> Vec<String> {
    let notes = threads_note(plan).into_iter();
    notes.chain(memory_note(plan, worker_bytes)).collect()
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
fn memory_note(plan: &Plan, worker_bytes: u64) -> Option<String> {
    let in_flight = |step: &StepPlan| -> u64 {
        let closed = step
            .loads
            .iter()
            .filter(|load| matches!(load.model, LoadModel::Closed(_)));
        let of_group = closed.map(|load| {
            let width = plan.groups[load.group].scenario.width();
            u64::from(load.model.concurrency()) * u64::from(width)
        });
        of_group.sum()
    };
    let most = plan.steps.iter().map(in_flight).max()?;
    let bytes = most.saturating_mul(worker_bytes);
    (bytes >= MUCH_BYTES).then(|| {
        format!(
            "{} in flight take about {} of memory, up to {} each",
            plural(most, "operation"),
            units::bytes(bytes),
            units::bytes(worker_bytes)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    /// The notes on a plan whose steps have two groups with so many workers each.
    fn of(workers: &[u32]) -> Vec<String> {
        let step = |workers: &u32| fixture::step("steady", 2, *workers, fixture::for_s(30));
        let steps = workers.iter().map(step).collect();
        notes(&fixture::plan(&["find", "insert"], steps), 16_000)
    }

    #[test]
    fn the_memory_of_very_many_workers_is_said_and_that_of_few_is_not() {
        assert_eq!(of(&[64, 7_000]), [""; 0]);
        assert_eq!(
            of(&[64, 50_000, 8_000]),
            ["100,000 operations in flight take about 1.60 GB of memory, up to 16.0 KB each"]
        );
    }
}
