//! What one iteration of a group does, as text.

use std::fmt::Write as _;

use docstone_model::plan::{
    GroupPlan, MixEntry, OnError, Plan, RunStep, Scenario, ScenarioStep, StepAction, ThinkTime,
};

use crate::closed_load::pause_words;
use crate::units;

/// The lines of one group.
pub(super) fn lines(plan: &Plan, group: &GroupPlan) -> Vec<String> {
    match &group.scenario {
        Scenario::Mix(mix) => vec![format!("group {}: {}", group.name, shares(plan, mix))],
        Scenario::Steps(steps) => {
            let mut lines = vec![format!("group {}: each iteration runs", group.name)];
            for step in steps {
                add(plan, step, 1, &mut lines);
            }
            lines
        }
    }
}

fn shares(plan: &Plan, mix: &[MixEntry]) -> String {
    let all: f64 = mix.iter().map(|entry| entry.weight).sum();
    let share = |entry: &MixEntry| {
        let share = units::percent(entry.weight / all);
        format!("{share} {}", plan.operations[entry.operation].name)
    };
    mix.iter().map(share).collect::<Vec<_>>().join(", ")
}

fn add(plan: &Plan, step: &ScenarioStep, depth: usize, lines: &mut Vec<String>) {
    let (mut text, below): (_, &[ScenarioStep]) = match &step.action {
        StepAction::Run(run) => (run_words(plan, run), &[]),
        StepAction::Parallel(branches) => ("in parallel:".to_owned(), branches),
        StepAction::Sequence(steps) => ("in sequence:".to_owned(), steps),
    };
    if step.probability < 1.0 {
        let _ = write!(
            text,
            " in {} of the iterations",
            units::percent(step.probability)
        );
    }
    if let Some(pause) = pause_words(step.think_time) {
        let _ = match step.think_time {
            ThinkTime::Constant { .. } => write!(text, ", then a pause of {pause}"),
            _ => write!(text, ", then a pause ({pause})"),
        };
    }
    lines.push(format!("{}{text}", "  ".repeat(depth)));
    for step in below {
        add(plan, step, depth + 1, lines);
    }
}

fn run_words(plan: &Plan, run: &RunStep) -> String {
    let operation = &plan.operations[run.operation].name;
    let mut text = run.name.clone();
    if *operation != run.name {
        let _ = write!(text, " ({operation})");
    }
    for capture in &run.captures {
        let _ = write!(text, ", captures {} from {}", capture.name, capture.path);
    }
    if run.on_error == OnError::Continue {
        text.push_str(", goes on when it fails");
    }
    text
}
