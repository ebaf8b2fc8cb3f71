//! Scenarios: what one iteration of a group does.

use std::ops::RangeInclusive;

use docstone_model::plan::{
    Capture, MixEntry, OnError, RunStep, Scenario, ScenarioStep, StepAction, ThinkTime,
};

use super::closed;
use super::names::{check_tag, check_word, is_field};
use crate::raw::{self, ON_ERROR, Ordered, StepMap, TextOr, TypedStep};
use crate::spot::Spot;

/// The keys of a step of which exactly one stands in it.
const ACTIONS: [&str; 3] = ["run", "parallel", "sequence"];

/// How often a step may run in a row.
const REPEAT: RangeInclusive<u64> = 1..=1_000;

/// Resolves a scenario; `known` are the names of all operations, right or wrong, in order.
pub(super) fn resolve(
    raw: Option<&raw::Scenario>,
    parent: &Spot<'_>,
    known: &[&str],
) -> Option<Scenario> {
    let spot = parent.at("scenario");
    let Some(scenario) = raw else {
        if !spot.exists() && known.len() == 1 {
            return Some(Scenario::Mix(vec![MixEntry {
                operation: 0,
                weight: 1.0,
            }]));
        }
        if !known.is_empty() {
            parent.missing(
                "scenario",
                &format!(
                    "say in which shares they run: `scenario: {{mix: {{{}: 1}}}}`",
                    known[0]
                ),
            );
        }
        return None;
    };
    let (mix_at, steps_at) = (spot.at("mix"), spot.at("steps"));
    if mix_at.exists() && steps_at.exists() {
        steps_at.contradicts(
            &mix_at,
            "`mix` and `steps` exclude each other in one scenario".to_owned(),
            "remove one of them, or put them into two `groups`",
        );
        return None;
    }
    if steps_at.exists() {
        let steps = scenario.steps.as_ref()?;
        return list(steps, &steps_at, known).map(Scenario::Steps);
    }
    let Some(mix) = &scenario.mix else {
        spot.missing(
            "mix",
            "write operations with their weights: `mix: {find: 50, insert: 50}`",
        );
        return None;
    };
    entries(mix, &mix_at, known).map(Scenario::Mix)
}

fn entries(mix: &Ordered<f64>, at: &Spot<'_>, known: &[&str]) -> Option<Vec<MixEntry>> {
    if at.keys().is_empty() {
        at.key_fault(
            "the mix is empty",
            Some("name at least one operation".to_owned()),
        );
        return None;
    }
    let mut entries = Vec::new();
    for (name, weight) in &mix.0 {
        let entry = at.at(name);
        if !(weight.is_finite() && *weight > 0.0) {
            let help = Some("leave the operation out of the mix to not run it".to_owned());
            entry.fault(
                format!("the weight of `{name}` must be above 0, not {weight}"),
                help,
            );
        }
        let position = known.iter().position(|known| known == name);
        if position.is_none() {
            let help = crate::nearest::advice(name, known);
            entry.key_fault(format!("unknown operation `{name}`"), Some(help));
        }
        entries.push(position.map(|operation| MixEntry {
            operation,
            weight: *weight,
        }));
    }
    entries.into_iter().collect()
}

/// A list of steps. `None` if one has a mistake.
fn list(raw: &[Option<TypedStep>], at: &Spot<'_>, known: &[&str]) -> Option<Vec<ScenarioStep>> {
    if raw.is_empty() {
        at.key_fault(
            "there is no step in it",
            Some("name at least one operation".to_owned()),
        );
        return None;
    }
    let steps = raw.iter().enumerate().map(|(position, raw)| {
        let at = at.item(position);
        match raw {
            None => {
                at.null_item("a step, such as the name of an operation");
                None
            }
            Some(TextOr::Text(name)) => {
                operation(name, &at, known).map(|of| ScenarioStep::run(name, of))
            }
            Some(TextOr::Map(raw)) => step(raw, &at, known),
        }
    });
    // All of them are looked at, for all mistakes at once.
    steps.collect::<Vec<_>>().into_iter().collect()
}

fn operation(name: &str, at: &Spot<'_>, known: &[&str]) -> Option<usize> {
    let position = known.iter().position(|known| *known == name);
    if position.is_none() {
        at.unknown("operation", name, known);
    }
    position
}

fn step(raw: &StepMap, at: &Spot<'_>, known: &[&str]) -> Option<ScenarioStep> {
    let probability = raw.probability.unwrap_or(1.0);
    if !(probability > 0.0 && probability <= 1.0) {
        at.at("probability").fault(
            format!("`probability` must be above 0 and at most 1, not {probability}"),
            Some("0.25 is a quarter of the iterations".to_owned()),
        );
    }
    let times = raw.repeat.unwrap_or(1);
    if !REPEAT.contains(&times) {
        at.at("repeat").fault(
            format!("`repeat` must be {} to 1,000, not {times}", REPEAT.start()),
            Some("a load step says how many iterations there are".to_owned()),
        );
    }
    let think_time = closed::think_time(raw.think_time.as_ref(), at);
    let action = action(raw, at, known)?;
    let step = ScenarioStep {
        action,
        probability,
        think_time: think_time?,
    };
    Some(repeated(step, times))
}

/// A step so many times in a row. Its probability is that of all of them together.
fn repeated(step: ScenarioStep, times: u64) -> ScenarioStep {
    if !REPEAT.contains(&times) || times == 1 {
        return step;
    }
    let probability = step.probability;
    let each = ScenarioStep {
        probability: 1.0,
        ..step
    };
    ScenarioStep {
        action: StepAction::Sequence((0..times).map(|_| each.clone()).collect()),
        probability,
        think_time: ThinkTime::None,
    }
}

fn action(raw: &StepMap, at: &Spot<'_>, known: &[&str]) -> Option<StepAction> {
    let keys = at.keys();
    let mut given = ACTIONS.into_iter().filter(|key| keys.contains(key));
    let Some(first) = given.next() else {
        let help = "write `run: OPERATION`, or `parallel:` with a list of steps";
        at.key_fault(
            "the step says nothing of what it does",
            Some(help.to_owned()),
        );
        return None;
    };
    if let Some(second) = given.next() {
        at.at(second).contradicts(
            &at.at(first),
            format!("`{first}` and `{second}` stand in one step"),
            "make two steps of it",
        );
        return None;
    }
    let below = at.at(first);
    match first {
        "run" => run(raw, at, known).map(StepAction::Run),
        "parallel" => {
            refuse_in_list(raw, at, first);
            let branches = raw.parallel.as_ref()?;
            if branches.len() == 1 {
                let help = "write the step itself, or add another";
                below.key_fault("one step alone is not parallel", Some(help.to_owned()));
            }
            list(branches, &below, known).map(StepAction::Parallel)
        }
        _ => {
            refuse_in_list(raw, at, first);
            list(raw.sequence.as_ref()?, &below, known).map(StepAction::Sequence)
        }
    }
}

/// What only an operation has cannot stand beside a list of steps.
fn refuse_in_list(raw: &StepMap, at: &Spot<'_>, list: &str) {
    let given = [
        ("name", raw.name.is_some()),
        ("capture", raw.capture.is_some()),
        ("on_error", raw.on_error.is_some()),
    ];
    for (key, _) in given.into_iter().filter(|(_, given)| *given) {
        at.at(key).contradicts(
            &at.at(list),
            format!("`{key}` is for a step that runs an operation"),
            "write it into the steps of the list",
        );
    }
}

fn run(raw: &StepMap, at: &Spot<'_>, known: &[&str]) -> Option<RunStep> {
    let Some(operation_name) = &raw.run else {
        at.missing("run", "name an operation");
        return None;
    };
    let position = operation(operation_name, &at.at("run"), known);
    if let Some(name) = &raw.name {
        check_tag("a step", name, &at.at("name"));
    }
    let on_error = match raw.on_error.as_deref() {
        None | Some("stop") => OnError::Stop,
        Some("continue") => OnError::Continue,
        Some(other) => {
            at.at("on_error")
                .unknown("value of `on_error`", other, &ON_ERROR);
            OnError::Stop
        }
    };
    let captures = raw.capture.iter().flat_map(|captures| &captures.0);
    let captures = captures.map(|(name, path)| {
        let spot = at.at("capture").at(name);
        check_word("a captured value", name, &spot);
        if !is_field(path) {
            spot.fault(
                format!("`{path}` is no field"),
                Some("write its name, with dots for fields of fields: `_id`, `a.b`".to_owned()),
            );
        }
        Capture {
            name: name.clone(),
            path: path.clone(),
        }
    });
    Some(RunStep {
        name: raw.name.clone().unwrap_or_else(|| operation_name.clone()),
        captures: captures.collect(),
        operation: position?,
        on_error,
    })
}
