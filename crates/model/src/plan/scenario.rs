//! Scenarios: what one iteration of a group does.
//!
//! Of a mix, an iteration is one operation. Of steps, it is all of them, in sequence and in
//! parallel.

use super::closed::ThinkTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name under which iterations stand among operations in the results; no operation has it.
pub const ITERATIONS: &str = "iterations";

/// What one iteration does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Scenario {
    /// Weighted mix: each iteration picks one entry.
    Mix(Vec<MixEntry>),
    /// Steps, one after the other.
    Steps(Vec<ScenarioStep>),
}

/// One operation of a mix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MixEntry {
    /// Index in the plan's operations.
    pub operation: usize,
    /// Its share is the weight over the sum of all weights; above 0.
    pub weight: f64,
}

/// One step of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioStep {
    /// What it does.
    pub action: StepAction,
    /// In which part of the iterations it takes place; above 0, at most 1.
    pub probability: f64,
    /// Pause after it.
    pub think_time: ThinkTime,
}

/// What a step of a scenario does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StepAction {
    /// One operation.
    Run(RunStep),
    /// All of these at the same time; it ends when the last of them has ended.
    Parallel(Vec<ScenarioStep>),
    /// These one after the other.
    Sequence(Vec<ScenarioStep>),
}

/// A step that runs an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunStep {
    /// The name under which it is counted. Steps with one name run the same operation.
    pub name: String,
    /// Index in the plan's operations.
    pub operation: usize,
    /// Values that later steps use, from the document that was read or written.
    pub captures: Vec<Capture>,
    /// What a failure means for the iteration.
    pub on_error: OnError,
}

/// A value that later steps of the iteration use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// Its name, by which `$captured` refers to it.
    pub name: String,
    /// The field that holds it, with dots for fields of fields.
    pub path: String,
}

/// What the failure of a step means for its iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The iteration ends and has failed.
    #[default]
    Stop,
    /// The iteration goes on.
    Continue,
}

impl Scenario {
    /// True for steps, whose iterations are counted besides their operations.
    pub fn has_steps(&self) -> bool {
        matches!(self, Self::Steps(_))
    }

    /// The steps that run an operation, in the order of the file; none of a mix.
    pub fn run_steps(&self) -> Vec<&RunStep> {
        match self {
            Self::Mix(_) => Vec::new(),
            Self::Steps(steps) => steps.iter().flat_map(ScenarioStep::run_steps).collect(),
        }
    }

    /// The most operations that one iteration has in flight at once.
    pub fn width(&self) -> u32 {
        match self {
            Self::Mix(_) => 1,
            Self::Steps(steps) => sequence_width(steps),
        }
    }

    /// The operations that one iteration sends one after the other, on its longest way.
    pub fn depth(&self) -> u32 {
        match self {
            Self::Mix(_) => 1,
            Self::Steps(steps) => {
                let depth = Way::longest(steps, 1, &|_| 0).taken;
                u32::try_from(depth).unwrap_or(u32::MAX)
            }
        }
    }

    /// How long one iteration takes on its longest way, in nanoseconds: its operations one after the
    /// other, each as long as a round trip, and the pauses between them.
    pub fn iteration_ns(&self, rtt_ns: u64) -> u64 {
        match self {
            Self::Mix(_) => rtt_ns,
            Self::Steps(steps) => {
                Way::longest(steps, rtt_ns, &|step| step.think_time.mean_ns()).taken
            }
        }
    }

    /// The pauses between the operations of one iteration on its longest way, in nanoseconds; of
    /// those that are drawn, their means.
    pub fn think_time_ns(&self) -> u64 {
        match self {
            Self::Mix(_) => 0,
            Self::Steps(_) => self.iteration_ns(0),
        }
    }
}

fn sequence_width(steps: &[ScenarioStep]) -> u32 {
    steps.iter().map(ScenarioStep::width).max().unwrap_or(1)
}

/// The longest way through steps that follow each other.
#[derive(Clone, Copy, Default)]
struct Way {
    /// What is taken up to the end of the last operation.
    taken: u64,
    /// The pause after it, which is between operations only if another follows.
    behind: u64,
}

impl Way {
    /// Adds up what each operation takes and each step's pause; of branches, the most counts.
    fn longest(steps: &[ScenarioStep], run: u64, pause: &impl Fn(&ScenarioStep) -> u64) -> Self {
        steps.iter().fold(Self::default(), |before, step| {
            let within = match &step.action {
                StepAction::Run(_) => Self {
                    taken: run,
                    behind: 0,
                },
                StepAction::Sequence(steps) => Self::longest(steps, run, pause),
                StepAction::Parallel(branches) => {
                    let branches = branches.iter().map(std::slice::from_ref);
                    let ways = branches.map(|branch| Self::longest(branch, run, pause));
                    ways.fold(Self::default(), Self::longer)
                }
            };
            let gap = before.taken.saturating_add(before.behind);
            Self {
                taken: gap.saturating_add(within.taken),
                behind: within.behind.saturating_add(pause(step)),
            }
        })
    }

    /// What two branches take together.
    fn longer(self, other: Self) -> Self {
        let taken = self.taken.max(other.taken);
        let all = |way: Self| way.taken.saturating_add(way.behind);
        Self {
            taken,
            behind: all(self).max(all(other)) - taken,
        }
    }
}

impl ScenarioStep {
    /// A step that runs one operation and is counted under this name.
    pub fn run(name: &str, operation: usize) -> Self {
        Self {
            action: StepAction::Run(RunStep {
                name: name.to_owned(),
                operation,
                captures: Vec::new(),
                on_error: OnError::Stop,
            }),
            probability: 1.0,
            think_time: ThinkTime::None,
        }
    }

    /// The steps that run an operation, of this one and those in it, in the order of the file.
    pub fn run_steps(&self) -> Vec<&RunStep> {
        match &self.action {
            StepAction::Run(run) => vec![run],
            StepAction::Parallel(steps) | StepAction::Sequence(steps) => {
                steps.iter().flat_map(Self::run_steps).collect()
            }
        }
    }

    /// The most operations that the step has in flight at once.
    pub fn width(&self) -> u32 {
        match &self.action {
            StepAction::Run(_) => 1,
            StepAction::Parallel(branches) => branches.iter().map(Self::width).sum(),
            StepAction::Sequence(steps) => sequence_width(steps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(action: StepAction, ns: u64) -> ScenarioStep {
        ScenarioStep {
            action,
            think_time: ThinkTime::Constant { ns },
            ..ScenarioStep::run("", 0)
        }
    }

    #[test]
    fn width_counts_what_overlaps_and_depth_what_follows() {
        let one = || ScenarioStep::run("a", 0);
        let branch = of(
            StepAction::Sequence(vec![one(), one(), of(one().action, 5)]),
            0,
        );
        let both = of(StepAction::Parallel(vec![branch, one()]), 7);
        let scenario = Scenario::Steps(vec![one(), both, one()]);
        assert_eq!(scenario.width(), 2);
        assert_eq!(scenario.depth(), 5);
        assert_eq!(scenario.think_time_ns(), 12);
        assert_eq!(scenario.iteration_ns(100), 5 * 100 + 12);
        // A pause behind the last operation is between none.
        let last = Scenario::Steps(vec![one(), of(one().action, 3), of(one().action, 9)]);
        assert_eq!((last.think_time_ns(), last.iteration_ns(100)), (3, 303));
        assert_eq!(Scenario::Mix(Vec::new()).iteration_ns(100), 100);
        assert_eq!(scenario.run_steps().len(), 6);
        let drawn = [
            ThinkTime::Exponential { mean_ns: 30 },
            ThinkTime::Uniform {
                min_ns: 10,
                max_ns: 20,
            },
        ];
        let drawn = drawn.map(|think_time| ScenarioStep {
            think_time,
            ..one()
        });
        let [first, second] = drawn;
        assert_eq!(
            Scenario::Steps(vec![first, second, one()]).think_time_ns(),
            45
        );
        let inner = of(StepAction::Parallel(vec![one(), one(), one()]), 0);
        let outer = of(StepAction::Parallel(vec![inner, one()]), 0);
        assert_eq!(Scenario::Steps(vec![outer]).width(), 4);
    }
}
