//! What could be read of scenarios and operations, be the rest of the file right or wrong.

use docstone_model::{Generator, OperationPlan};

use super::super::names::is_field;
use super::super::operation::Operations;
use crate::nearest::nearest;
use crate::node::{Node, Value};
use crate::raw::{self, StepMap, TextOr, TypedStep, Workload};
use crate::spot::Spot;

/// The keys that say what a step does and captures.
const TELLING: [&str; 4] = ["run", "parallel", "sequence", "capture"];

/// The scenario of one group, with its spot.
pub(super) struct Group<'a> {
    pub(super) scenario: Scenario<'a>,
    pub(super) at: Spot<'a>,
}

/// What one iteration does.
pub(super) enum Scenario<'a> {
    /// One of these operations.
    Mix(Vec<&'a str>),
    Steps(Vec<Step<'a>>),
    /// It cannot be read; the reason is recorded.
    Unknown,
}

/// A step, at the position that it has in the file.
pub(super) enum Step<'a> {
    Run(Run<'a>),
    Parallel(Vec<Step<'a>>),
    Sequence(Vec<Step<'a>>),
    /// It cannot be read, or not all that it captures; the reason is recorded.
    Unknown,
}

/// A step that runs an operation.
pub(super) struct Run<'a> {
    pub(super) name: &'a str,
    /// The name of the operation, known or not.
    pub(super) operation: &'a str,
    pub(super) captures: Vec<Capture<'a>>,
}

/// A value that a step captures.
pub(super) struct Capture<'a> {
    pub(super) name: &'a str,
    /// The field; none if what stands there is none.
    pub(super) path: Option<&'a str>,
}

impl<'a> Group<'a> {
    /// All steps that run an operation, in order.
    pub(super) fn runs(&self) -> Vec<&Run<'a>> {
        match &self.scenario {
            Scenario::Steps(steps) => steps.iter().flat_map(Step::runs).collect(),
            _ => Vec::new(),
        }
    }

    /// True if all captures of the group are known.
    pub(super) fn is_complete(&self) -> bool {
        match &self.scenario {
            Scenario::Mix(_) => true,
            Scenario::Steps(steps) => steps.iter().all(Step::is_complete),
            Scenario::Unknown => false,
        }
    }
}

impl<'a> Step<'a> {
    /// The step itself if it runs an operation, else those in it.
    pub(super) fn runs(&self) -> Vec<&Run<'a>> {
        match self {
            Self::Run(run) => vec![run],
            Self::Parallel(steps) | Self::Sequence(steps) => {
                steps.iter().flat_map(Self::runs).collect()
            }
            Self::Unknown => Vec::new(),
        }
    }

    fn is_complete(&self) -> bool {
        match self {
            Self::Run(_) => true,
            Self::Parallel(steps) | Self::Sequence(steps) => steps.iter().all(Self::is_complete),
            Self::Unknown => false,
        }
    }
}

/// The groups of a file; without `groups`, the one that `scenario` is.
pub(super) fn groups<'a>(
    raw: &'a Workload,
    operations: &'a Operations,
    root: &Spot<'a>,
) -> Vec<Group<'a>> {
    let named = root.at("groups");
    if !named.exists() {
        return vec![group(
            raw.scenario.as_ref(),
            operations,
            root.at("scenario"),
        )];
    }
    let of = |name: &str| raw.groups.as_ref().and_then(|groups| groups.get(name));
    let one = |name: &str| {
        let scenario = of(name).and_then(|group| group.scenario.as_ref());
        group(scenario, operations, named.at(name).at("scenario"))
    };
    named.keys().into_iter().map(one).collect()
}

fn group<'a>(
    raw: Option<&'a raw::Scenario>,
    operations: &'a Operations,
    at: Spot<'a>,
) -> Group<'a> {
    let (mix, steps) = (at.at("mix"), at.at("steps"));
    let scenario = match (raw, operations.as_slice()) {
        (None, [(only, _)]) if !at.exists() => Scenario::Mix(vec![only]),
        (Some(_), _) if mix.exists() && !steps.exists() => Scenario::Mix(mix.keys()),
        (
            Some(raw::Scenario {
                steps: Some(raw), ..
            }),
            _,
        ) if !mix.exists() => Scenario::Steps(list(raw, &steps)),
        _ => Scenario::Unknown,
    };
    Group { scenario, at }
}

fn list<'a>(raw: &'a [Option<TypedStep>], at: &Spot<'a>) -> Vec<Step<'a>> {
    if raw.is_empty() {
        return vec![Step::Unknown];
    }
    let steps = raw.iter().enumerate();
    let steps = steps.map(|(position, raw)| match raw {
        None => Step::Unknown,
        Some(TextOr::Text(name)) => Step::Run(Run {
            name,
            operation: name,
            captures: Vec::new(),
        }),
        Some(TextOr::Map(raw)) => step(raw, &at.item(position)),
    });
    steps.collect()
}

fn step<'a>(raw: &'a StepMap, at: &Spot<'a>) -> Step<'a> {
    let keys = at.keys();
    let misspelt = |key: &&str| !TELLING.contains(key) && nearest(key, &TELLING).is_some();
    if keys.iter().any(misspelt) {
        return Step::Unknown;
    }
    let given: Vec<&str> = keys
        .into_iter()
        .filter(|key| TELLING.contains(key))
        .collect();
    let capture = at.at("capture");
    let below = |raw: &'a Option<Vec<_>>, key: &str| raw.as_ref().map(|raw| list(raw, &at.at(key)));
    let step = match given.as_slice() {
        ["run"] | ["run", "capture"] | ["capture", "run"] => {
            if capture.has_value() && raw.capture.is_none() {
                return Step::Unknown;
            }
            raw.run.as_deref().map(|operation| {
                Step::Run(Run {
                    name: raw.name.as_deref().unwrap_or(operation),
                    operation,
                    captures: captures(raw, &capture),
                })
            })
        }
        ["parallel"] => below(&raw.parallel, "parallel").map(Step::Parallel),
        ["sequence"] => below(&raw.sequence, "sequence").map(Step::Sequence),
        _ => None,
    };
    step.unwrap_or(Step::Unknown)
}

fn captures<'a>(raw: &'a StepMap, at: &Spot<'a>) -> Vec<Capture<'a>> {
    let path = |name: &str| raw.capture.as_ref().and_then(|captures| captures.get(name));
    let capture = |name| Capture {
        name,
        path: path(name).map(String::as_str).filter(|path| is_field(path)),
    };
    at.keys().into_iter().map(capture).collect()
}

/// The names of the captured values that an operation uses; `at` is its spot.
pub(super) fn used<'a>(plan: Option<&'a OperationPlan>, at: &Spot<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let mut add = |name: &'a str| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    match plan {
        Some(plan) => {
            let calls = plan.calls().into_iter();
            for template in calls.flat_map(|call| call.kind.templates()) {
                template.for_each_generator(&mut |generator| {
                    if let Generator::Captured { name } = generator {
                        add(name);
                    }
                });
            }
        }
        // Something else is wrong with it.
        None => at.node().into_iter().for_each(|node| typed(node, &mut add)),
    }
    names
}

/// Calls `add` for each name that stands below `$captured`.
fn typed<'a>(node: &'a Node, add: &mut dyn FnMut(&'a str)) {
    let argument = node.child("$captured");
    let named = argument.and_then(|argument| argument.child("name"));
    for node in argument.into_iter().chain(named) {
        if let Value::Text(name) = &node.value {
            add(name);
        }
    }
    for child in node.children() {
        typed(child, add);
    }
}
