//! A group's scenario, compiled: a mix to choose from, or steps to walk through.

use docstone_model::Plan;
use docstone_model::plan::{
    self, GroupSlot, OnError, RunStep, ScenarioStep, StepAction, ThinkTime,
};

use crate::captures::CapturePath;
use crate::draw::{Draw, StreamKey};
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
    /// Pause after it.
    pub think_time: ThinkTime,
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

    /// What the pause after the step in iteration `number` is drawn from.
    pub(crate) fn pause_draw(&self, key: StreamKey, number: u64) -> Draw {
        key.text("think_time")
            .word(number)
            .word(self.position)
            .draw()
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
    pub(crate) plan: &'a Plan,
    pub(crate) programs: &'a [OperationProgram],
    /// The names of all captured values of the plan.
    pub(crate) captures: &'a [String],
}

/// What is known of the steps of one group while they are compiled.
struct Group<'a> {
    name: &'a str,
    slots: Vec<GroupSlot<'a>>,
    position: u64,
}

impl ScenarioCompiler<'_> {
    /// Compiles what a group does; `group` is its index in the plan.
    pub(crate) fn compile(&self, group: usize) -> Result<Scenario, CompileError> {
        let of = &self.plan.groups[group];
        let steps = match &of.scenario {
            plan::Scenario::Mix(entries) => {
                let operations = self.plan.operations.len();
                return Mix::compile(&of.name, entries, operations).map(Scenario::Mix);
            }
            plan::Scenario::Steps(steps) => steps,
        };
        let mut group = Group {
            name: &of.name,
            slots: self.plan.group_slots(group),
            position: 0,
        };
        if group.slots.is_empty() {
            return Err(group.error(Fault::EmptySteps));
        }
        self.steps(steps, &mut group).map(Scenario::Steps)
    }

    fn steps(
        &self,
        steps: &[ScenarioStep],
        group: &mut Group<'_>,
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
                think_time: step.think_time,
                width: step.width() as usize,
                position,
                probability: step.probability,
            })
        });
        compiled.collect()
    }

    fn run(&self, run: &RunStep, group: &Group<'_>) -> Result<Run, CompileError> {
        let operation = run.operation;
        let Some(of) = self.plan.operations.get(operation) else {
            return Err(group.error(Fault::UnknownOperation { operation }));
        };
        let slot = group.slots.iter().position(|slot| slot.name == run.name);
        let captures = run.captures.iter().map(|capture| CapturePath {
            number: self
                .captures
                .iter()
                .position(|name| *name == capture.name)
                .expect("all names were collected"),
            path: capture.path.split('.').map(str::to_owned).collect(),
        });
        Ok(Run {
            slot: slot.expect("each step has its slot"),
            goes_on: run.on_error == OnError::Continue,
            needs: self.programs[operation].needs.clone(),
            operation,
            position: group.position,
            captures: captures.collect(),
            captures_payload: of.kind.captured().is_some(),
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
