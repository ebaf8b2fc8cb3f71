//! Load steps: how much load, and until when.

use super::action::ActionPlan;
use super::closed::ClosedLoad;
use super::open::OpenLoad;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One load step: all groups start together and each ends by its own stop condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepPlan {
    /// Its name; the cell of its record. `step-1` where the file names none.
    pub name: String,
    /// Runs like the others, but is not measured.
    pub warmup: bool,
    /// What each group does; one entry per group that takes part.
    pub loads: Vec<GroupLoad>,
    /// After the end, how long operations in flight may take, in nanoseconds.
    pub drain_ns: u64,
    /// What is done to the deployment meanwhile, by planned time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionPlan>,
}

impl StepPlan {
    /// The end of the measured window in nanoseconds, where it is known beforehand: the longest
    /// planned duration, if every group has one.
    pub fn planned_window_ns(&self) -> Option<u64> {
        let durations = self.loads.iter().map(|load| load.stop.duration_ns);
        durations
            .reduce(|longest, duration| Some(longest?.max(duration?)))
            .flatten()
    }

    /// True if a group has open load.
    pub fn has_open_load(&self) -> bool {
        self.loads.iter().any(|load| load.model.is_open())
    }

    /// What the numbers of all groups count together, if every group has one: operations, and
    /// iterations of groups whose scenario has steps.
    pub fn planned_operations(&self) -> Option<u64> {
        let operations = self.loads.iter().map(|load| load.stop.operations);
        operations
            .reduce(|all, more| Some(all?.saturating_add(more?)))
            .flatten()
    }
}

/// What one group does in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupLoad {
    /// Index in the plan's groups.
    pub group: usize,
    /// How load is produced.
    pub model: LoadModel,
    /// When it ends.
    pub stop: Stop,
}

/// How load is produced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LoadModel {
    /// Closed load: each worker starts its next operation when the one before has ended.
    Closed(ClosedLoad),
    /// Open load: operations are due at times of their own, whatever the server does.
    Open(OpenLoad),
}

impl LoadModel {
    /// True for open load.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// The most iterations in flight at once, of a mix one operation each: the workers of closed
    /// load, the limit of open load. The operations in flight are up to so many times
    /// [`Scenario::width`](super::Scenario::width).
    pub fn concurrency(&self) -> u32 {
        match self {
            Self::Closed(closed) => closed.concurrency,
            Self::Open(open) => open.in_flight_limit(),
        }
    }
}

/// When a group's load ends: at the first of its conditions. At least one is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// After this time, in nanoseconds.
    pub duration_ns: Option<u64>,
    /// After exactly so many operations of the group; iterations, where its scenario has steps.
    pub operations: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(duration_ns: Option<u64>, operations: Option<u64>) -> GroupLoad {
        GroupLoad {
            group: 0,
            model: LoadModel::Closed(ClosedLoad::steady(1)),
            stop: Stop {
                duration_ns,
                operations,
            },
        }
    }

    fn step(loads: Vec<GroupLoad>) -> StepPlan {
        StepPlan {
            name: "s".to_owned(),
            warmup: false,
            loads,
            drain_ns: 0,
            actions: Vec::new(),
        }
    }

    #[test]
    fn the_window_is_the_longest_duration_if_all_groups_have_one() {
        let both = step(vec![load(Some(5), None), load(Some(9), Some(1))]);
        assert_eq!(both.planned_window_ns(), Some(9));
        let one = step(vec![load(Some(5), None), load(None, Some(1))]);
        assert_eq!(one.planned_window_ns(), None);
    }

    #[test]
    fn planned_operations_are_known_if_all_groups_have_a_number() {
        assert_eq!(
            step(vec![load(None, Some(5)), load(None, Some(6))]).planned_operations(),
            Some(11)
        );
        assert_eq!(
            step(vec![load(None, Some(5)), load(Some(6), None)]).planned_operations(),
            None
        );
    }
}
