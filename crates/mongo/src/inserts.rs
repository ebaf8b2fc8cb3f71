//! How many documents a step may insert, as far as the plan says it.

use docstone_model::{OperationKind, Plan, StepPlan};

const SECOND_NS: u64 = 1_000_000_000;

/// More operations than a step sends in a second.
const MOST_PER_SECOND: u64 = 1_000_000;

/// The most documents that a step may insert into a collection: each operation may be an insert.
pub(crate) fn most_inserts(plan: &Plan, step: &StepPlan, name: &str) -> u64 {
    let into = |operation: &usize| -> u64 {
        let operation = &plan.operations[*operation];
        let repeat = match operation.kind {
            OperationKind::BulkWrite { repeat, .. } => repeat.into(),
            _ => 1,
        };
        let calls = operation.calls().into_iter();
        let calls = calls.filter(|call| call.collection == name);
        repeat
            * calls
                .map(|call| u64::from(call.kind.parts().inserts))
                .sum::<u64>()
    };
    let inserts = step.loads.iter().map(|load| {
        let scenario = &plan.groups[load.group].scenario;
        let an_iteration = match scenario.run_steps() {
            steps if steps.is_empty() => {
                let operations = plan.group_operations(load.group);
                operations.iter().map(into).max().unwrap_or(0)
            }
            steps => steps.iter().map(|run| into(&run.operation)).sum(),
        };
        let by_time = load
            .stop
            .duration_ns
            .map(|ns| (ns / SECOND_NS + 1) * MOST_PER_SECOND);
        let iterations = load.stop.operations.into_iter().chain(by_time).min();
        iterations.unwrap_or(0).saturating_mul(an_iteration)
    });
    inserts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use docstone_model::plan::{
        ClosedLoad, GroupLoad, GroupPlan, LoadModel, MixEntry, Scenario, ScenarioStep, Stop,
        TargetPlan, ThinkTime,
    };
    use docstone_model::template::Context;
    use docstone_model::{MongoUri, OperationPlan, Template};
    use serde_json::json;

    use super::*;

    fn insert(collection: &str) -> OperationPlan {
        OperationPlan {
            name: collection.to_owned(),
            collection: collection.to_owned(),
            timeout_ns: 1,
            kind: OperationKind::InsertOne {
                document: Template::from_json(&json!({}), Context::Any).expect("a template"),
            },
            options: docstone_model::plan::CallOptions::default(),
        }
    }

    fn group(scenario: Scenario) -> GroupPlan {
        GroupPlan {
            name: "g".to_owned(),
            scenario,
            connections: None,
        }
    }

    /// A plan whose first group inserts into `c`, and whose second does so twice in an iteration.
    fn plan() -> Plan {
        let mix = vec![MixEntry {
            operation: 0,
            weight: 1.0,
        }];
        let steps = ["a", "b"].map(|name| ScenarioStep::run(name, 0));
        Plan {
            operations: vec![insert("c"), insert("other")],
            groups: vec![
                group(Scenario::Mix(mix)),
                group(Scenario::Steps(steps.to_vec())),
            ],
            ..Plan::new("p", TargetPlan::new(MongoUri::new("mongodb://h"), "d"))
        }
    }

    fn step(ends: &[(Option<u64>, Option<u64>)]) -> StepPlan {
        let load = |(group, &(duration_ns, operations))| GroupLoad {
            group,
            model: LoadModel::Closed(ClosedLoad {
                concurrency: 1,
                stages: Vec::new(),
                think_time: ThinkTime::None,
            }),
            stop: Stop {
                duration_ns,
                operations,
            },
        };
        StepPlan {
            name: "s".to_owned(),
            warmup: false,
            loads: ends.iter().enumerate().map(load).collect(),
            drain_ns: 0,
            actions: Vec::new(),
        }
    }

    #[test]
    fn a_step_inserts_at_most_what_its_end_and_its_operations_allow() {
        let both = step(&[(None, Some(10)), (Some(SECOND_NS), Some(3))]);
        assert_eq!(most_inserts(&plan(), &both, "c"), 10 + 3 * 2);
        assert_eq!(most_inserts(&plan(), &both, "other"), 0);
        let timed = step(&[(Some(9 * SECOND_NS), None)]);
        assert_eq!(most_inserts(&plan(), &timed, "c"), 10 * MOST_PER_SECOND);
    }
}
