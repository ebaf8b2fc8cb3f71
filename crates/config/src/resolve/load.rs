//! Groups and their load steps.

use std::path::Path;

use docstone_model::{GroupLoad, GroupPlan, StepPlan};

use super::action;
use super::names::check_tag;
use super::scenario;
use super::step::{StepPart, step_part};
use super::workers::TOO_MANY_WORKERS;
use crate::defaults::{DRAIN_NS, MAX_CONCURRENCY};
use crate::raw::{Group, Step, Workload};
use crate::spot::Spot;

/// One group with its steps, as far as they could be read.
struct Part<'a> {
    plan: Option<GroupPlan>,
    steps: Vec<Option<StepPart>>,
    load: Spot<'a>,
}

/// Resolves groups and steps, or `scenario` and `load`. `None` if one has a mistake.
pub(super) fn resolve(
    raw: &Workload,
    root: &Spot<'_>,
    folder: &Path,
) -> Option<(Vec<GroupPlan>, Vec<StepPlan>)> {
    let mut known: Vec<&str> = Vec::new();
    for name in root.at("operations").keys() {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let parts = if root.at("groups").exists() {
        check_one_form(root);
        groups(raw, root, &known, folder)
    } else {
        let scenario = scenario::resolve(raw.scenario.as_ref(), root, &known);
        let plan = scenario.map(|scenario| GroupPlan {
            name: "main".to_owned(),
            scenario,
            connections: None,
        });
        vec![part(plan, raw.load.as_deref(), root, folder)]
    };
    let steps = join(&parts);
    let plans: Option<Vec<GroupPlan>> = parts.into_iter().map(|part| part.plan).collect();
    Some((plans?, steps?))
}

/// `groups` stands instead of `scenario` and `load`.
fn check_one_form(root: &Spot<'_>) {
    for key in ["scenario", "load"] {
        if root.at(key).exists() {
            root.at(key).contradicts(
                &root.at("groups"),
                format!("`{key}` and `groups` exclude each other"),
                "put it into a group, or remove `groups`",
            );
        }
    }
}

fn groups<'a>(raw: &Workload, root: &Spot<'a>, known: &[&str], folder: &Path) -> Vec<Part<'a>> {
    let spot = root.at("groups");
    if spot.keys().is_empty() {
        let help = "name at least one group, or write `scenario` and `load`";
        spot.key_fault("`groups` is empty", Some(help.to_owned()));
    }
    let mut parts = Vec::new();
    for (name, group) in raw.groups.iter().flat_map(|groups| &groups.0) {
        let at = spot.at(name);
        check_tag("a group", name, &at);
        parts.push(part(
            group_plan(name, group, &at, known),
            group.load.as_deref(),
            &at,
            folder,
        ));
    }
    parts
}

fn group_plan(name: &str, raw: &Group, at: &Spot<'_>, known: &[&str]) -> Option<GroupPlan> {
    if raw.connections == Some(0) {
        at.at("connections").fault(
            "`connections` must be at least 1",
            Some("leave it out for as many connections as workers".to_owned()),
        );
    }
    Some(GroupPlan {
        name: name.to_owned(),
        scenario: scenario::resolve(raw.scenario.as_ref(), at, known)?,
        connections: raw.connections,
    })
}

fn part<'a>(
    plan: Option<GroupPlan>,
    raw: Option<&[Option<Step>]>,
    at: &Spot<'a>,
    folder: &Path,
) -> Part<'a> {
    let load = at.at("load");
    let Some(raw) = raw else {
        at.missing(
            "load",
            "write steps: `load: [{closed: {concurrency: 8}, duration: 30s}]`",
        );
        return Part {
            plan,
            steps: Vec::new(),
            load,
        };
    };
    if raw.is_empty() {
        let help = "write `load: [{closed: {concurrency: 8}, duration: 30s}]`";
        load.key_fault("`load` has no step", Some(help.to_owned()));
    }
    let steps = raw
        .iter()
        .enumerate()
        .map(|(number, step)| {
            let at = load.item(number);
            if step.is_none() {
                at.null_item("a load step");
            }
            step.as_ref().map(|step| step_part(step, &at, folder))
        })
        .collect();
    Part { plan, steps, load }
}

/// Joins what the groups say of each step.
fn join(parts: &[Part<'_>]) -> Option<Vec<StepPlan>> {
    let first = parts.first()?;
    for part in &parts[1..] {
        if part.steps.len() != first.steps.len() && part.load.exists() && first.load.exists() {
            part.load.contradicts(
                &first.load,
                format!(
                    "the groups have different numbers of steps: {} here, {} in the first group",
                    part.steps.len(),
                    first.steps.len()
                ),
                "give all groups the same number of steps: they start together",
            );
            return None;
        }
    }
    let mut steps: Vec<Option<StepPlan>> = Vec::new();
    let (mut measured, mut warmups) = (0, 0);
    for number in 0..first.steps.len() {
        let is_warmup = |part: &Part<'_>| part.steps.get(number)?.as_ref()?.warmup;
        let default = if parts.iter().find_map(is_warmup).unwrap_or(false) {
            warmups += 1;
            format!("warmup-{warmups}")
        } else {
            measured += 1;
            format!("step-{measured}")
        };
        steps.push(join_step(parts, number, default));
    }
    check_unique(&steps, first);
    if measured == 0 && !first.steps.is_empty() {
        first.load.key_fault(
            "every step is a warm-up: nothing would be measured",
            Some("remove `warmup` from one of them, or add a step".to_owned()),
        );
    }
    steps.into_iter().collect()
}

fn join_step(parts: &[Part<'_>], number: usize, default: String) -> Option<StepPlan> {
    let mut step = StepPlan {
        name: default,
        warmup: false,
        loads: Vec::new(),
        drain_ns: DRAIN_NS,
        actions: Vec::new(),
    };
    let mut complete = true;
    let mut said: Vec<(&StepPart, Spot<'_>)> = Vec::new();
    for (group, part) in parts.iter().enumerate() {
        let Some(Some(raw)) = part.steps.get(number) else {
            complete = false;
            continue;
        };
        let at = part.load.item(number);
        check_agreement(raw, &at, &said);
        if let Some(name) = &raw.name {
            step.name.clone_from(name);
        }
        step.warmup = raw.warmup.unwrap_or(step.warmup);
        step.drain_ns = raw.drain_ns.unwrap_or(step.drain_ns);
        step.actions.extend(raw.actions.iter().cloned());
        match &raw.load {
            Some((model, until)) => step.loads.push(GroupLoad {
                group,
                model: model.clone(),
                stop: *until,
            }),
            None => complete = false,
        }
        said.push((raw, at));
    }
    if step.warmup {
        for (_, at) in &said {
            action::refuse_in_warmup(&at.at("actions"));
        }
    }
    if let Some((_, at)) = said.last() {
        check_together(&step, parts, at);
        action::settle(&mut step, at);
    }
    complete.then_some(step)
}

/// Records a step whose groups have too many operations in flight together.
fn check_together(step: &StepPlan, parts: &[Part<'_>], at: &Spot<'_>) {
    // A group whose scenario has a mistake has at least one.
    let width = |load: &GroupLoad| {
        let plan = parts[load.group].plan.as_ref();
        plan.map_or(1, |group| u64::from(group.scenario.width()))
    };
    let loads = step.loads.iter();
    let all: u64 = loads
        .clone()
        .map(|load| u64::from(load.model.concurrency()) * width(load))
        .sum();
    if all <= u64::from(MAX_CONCURRENCY) {
        return;
    }
    let is_wide = loads.clone().any(|load| width(load) > 1);
    let (what, keys) = if loads.clone().any(|load| load.model.is_open()) {
        ("operations in flight", "`concurrency` and `max_in_flight`")
    } else if is_wide {
        ("operations in flight", "`concurrency`")
    } else {
        ("workers", "`concurrency`")
    };
    let (times, help) = if is_wide {
        (
            ", each times the operations that one iteration has in flight at once,",
            "use fewer: each operation in flight holds a connection, here and at the server, and \
             the memory for it",
        )
    } else {
        ("", TOO_MANY_WORKERS)
    };
    let [closed, open] = [("closed", "concurrency"), ("open", "max_in_flight")];
    let stages = ("closed", "stages");
    let (model, key) = if at.at("open").exists() {
        open
    } else if at.at("closed").at("stages").exists() {
        stages
    } else {
        closed
    };
    at.at(model).at(key).fault(
        format!(
            "the step has {all} {what} together: the sum of {keys}{times} must be at most \
             {MAX_CONCURRENCY}"
        ),
        Some(help.to_owned()),
    );
}

/// Groups start together, so what they say of one step must not differ from the first that says it.
fn check_agreement(here: &StepPart, at: &Spot<'_>, before: &[(&StepPart, Spot<'_>)]) {
    let differs = |key: &str, there: &Spot<'_>| {
        at.at(key).contradicts(
            &there.at(key),
            format!("the groups differ in the `{key}` of this step"),
            "give all groups the same, since they start and end together",
        );
    };
    let first = |says: &dyn Fn(&StepPart) -> bool| before.iter().find(|(part, _)| says(part));
    if let Some((other, there)) = first(&|part| part.warmup.is_some())
        && here
            .warmup
            .is_some_and(|warmup| other.warmup != Some(warmup))
    {
        differs("warmup", there);
    }
    if let Some((other, there)) = first(&|part| part.name.is_some())
        && here.name.is_some()
        && here.name != other.name
    {
        differs("name", there);
    }
    if let Some((other, there)) = first(&|part| part.drain_ns.is_some())
        && here.drain_ns.is_some()
        && here.drain_ns != other.drain_ns
    {
        differs("drain", there);
    }
}

fn check_unique(steps: &[Option<StepPlan>], first: &Part<'_>) {
    let named = |number: usize| steps[number].as_ref().map(|step| step.name.as_str());
    for number in 0..steps.len() {
        let Some(name) = named(number) else { continue };
        if let Some(same) = (0..number).find(|before| named(*before) == Some(name)) {
            first.load.item(number).at("name").contradicts(
                &first.load.item(same).at("name"),
                format!("two steps have the name `{name}`"),
                "give each step a name of its own: it is also that of its folder",
            );
        }
    }
}
