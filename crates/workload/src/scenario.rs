//! A group's scenario, compiled: a mix to choose from, or steps to walk through.

use docstone_model::plan::{OnError, RunStep, Scenario as Plan, ScenarioStep, StepAction};
use docstone_model::{GroupPlan, OperationKind};

use crate::captures::CapturePath;
use crate::draw::StreamKey;
use crate::error::{CompileError, Fault};
use crate::mix::Mix;
use crate::operation::OperationProgram;

/// What one iteration of a group does.
#[derive(Debug)]
pub enum Scenario {
    /// One operation of the mix.
    Mix(Mix),
    /// All of these.
    Steps(Vec<Step>),
}

/// One step of an iteration.
#[derive(Debug)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// Pause after it, in nanoseconds.
    pub think_time_ns: u64,
    /// The most operations that it has in flight at once.
    pub width: usize,
    /// Its position in the scenario, depth first.
    position: u64,
    probability: f64,
}

/// What a step does.
#[derive(Debug)]
pub enum Action {
    /// One operation.
    Run(Run),
    /// All of these at the same time.
    Parallel(Vec<Step>),
    /// These one after the other.
    Sequence(Vec<Step>),
}

/// A step that runs an operation.
#[derive(Debug)]
pub struct Run {
    /// Its position among the slots of the group: steps with one name share one.
    pub slot: usize,
    /// The iteration goes on when it fails.
    pub goes_on: bool,
    /// The captured values without which it cannot run.
    pub needs: Vec<usize>,
    /// Index of the operation in the plan.
    pub(crate) operation: usize,
    pub(crate) position: u64,
    pub(crate) captures: Vec<CapturePath>,
    /// What it captures from is what it writes, not what it reads.
    pub(crate) captures_payload: bool,
}

impl Run {
    /// True if no later step can ask for a value of it.
    pub fn captures_nothing(&self) -> bool {
        self.captures.is_empty()
    }

    /// True if it captures values from a document that it reads.
    pub(crate) fn wants_document(&self) -> bool {
        !self.captures.is_empty() && !self.captures_payload
    }
}

impl Step {
    /// The first step, of this one and those in it, that runs an operation.
    pub(crate) fn run_of(&self, operation: usize) -> Option<&Run> {
        match &self.action {
            Action::Run(run) => (run.operation == operation).then_some(run),
            Action::Parallel(steps) | Action::Sequence(steps) => {
                steps.iter().find_map(|step| step.run_of(operation))
            }
        }
    }

    /// True if the step takes place in iteration `number`, by a draw of its own.
    pub(crate) fn takes_place(&self, key: StreamKey, number: u64) -> bool {
        self.probability >= 1.0
            || key
                .text("probability")
                .word(number)
                .word(self.position)
                .draw()
                .unit()
                < self.probability
    }
}

/// Compiles the scenarios of groups; knows what the plan's operations are.
pub(crate) struct ScenarioCompiler<'a> {
    pub(crate) kinds: Vec<&'a OperationKind>,
    pub(crate) programs: &'a [OperationProgram],
    /// The names of all captured values of the plan.
    pub(crate) captures: &'a [String],
}

/// What is known of the steps of one group while they are compiled.
struct Group<'a> {
    name: &'a str,
    /// The names of its slots.
    slots: Vec<&'a str>,
    position: u64,
}

impl ScenarioCompiler<'_> {
    /// Compiles what a group does.
    pub(crate) fn compile(&self, group: &GroupPlan) -> Result<Scenario, CompileError> {
        let steps = match &group.scenario {
            Plan::Mix(entries) => {
                return Mix::compile(&group.name, entries, self.kinds.len()).map(Scenario::Mix);
            }
            Plan::Steps(steps) => steps,
        };
        let mut names = Group {
            name: &group.name,
            slots: Vec::new(),
            position: 0,
        };
        let steps = self.steps(steps, &mut names)?;
        if names.slots.is_empty() {
            return Err(names.error(Fault::EmptySteps));
        }
        Ok(Scenario::Steps(steps))
    }

    fn steps<'p>(
        &self,
        steps: &'p [ScenarioStep],
        group: &mut Group<'p>,
    ) -> Result<Vec<Step>, CompileError> {
        let compiled = steps.iter().map(|step| {
            group.position += 1;
            let position = group.position;
            let action = match &step.action {
                StepAction::Run(run) => Action::Run(self.run(run, group)?),
                StepAction::Parallel(steps) => Action::Parallel(self.steps(steps, group)?),
                StepAction::Sequence(steps) => Action::Sequence(self.steps(steps, group)?),
            };
            Ok(Step {
                action,
                think_time_ns: step.think_time_ns,
                width: step.width() as usize,
                position,
                probability: step.probability,
            })
        });
        compiled.collect()
    }

    fn run<'p>(&self, run: &'p RunStep, group: &mut Group<'p>) -> Result<Run, CompileError> {
        let operation = run.operation;
        let Some(kind) = self.kinds.get(operation) else {
            return Err(group.error(Fault::UnknownOperation { operation }));
        };
        let known = group.slots.iter().position(|name| *name == run.name);
        let slot = known.unwrap_or_else(|| {
            group.slots.push(&run.name);
            group.slots.len() - 1
        });
        let captures = run.captures.iter().map(|capture| CapturePath {
            number: self
                .captures
                .iter()
                .position(|name| *name == capture.name)
                .expect("all names were collected"),
            path: capture.path.split('.').map(str::to_owned).collect(),
        });
        Ok(Run {
            slot,
            goes_on: run.on_error == OnError::Continue,
            needs: self.programs[operation].needs.clone(),
            operation,
            position: group.position,
            captures: captures.collect(),
            captures_payload: matches!(
                kind,
                OperationKind::InsertOne { .. } | OperationKind::ReplaceOne { .. }
            ),
        })
    }
}

impl Group<'_> {
    fn error(&self, fault: Fault) -> CompileError {
        CompileError {
            subject: format!("group `{}`", self.name),
            field: "steps".to_owned(),
            fault,
        }
    }
}

#[cfg(test)]
mod tests;
