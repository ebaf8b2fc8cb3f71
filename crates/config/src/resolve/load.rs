//! Groups and their load steps.

use docstone_model::{GroupLoad, GroupPlan, LoadModel, StepPlan, Stop};

use super::data::null_item;
use super::names::{check_tag, folder_fault};
use super::scenario;
use crate::defaults::{DRAIN_NS, MAX_CONCURRENCY, MAX_COUNT};
use crate::raw::{Closed, Group, Step, Workload};
use crate::spot::Spot;

/// The shortest duration of a step: shorter ones measure the start, not the server.
const SHORTEST_NS: u64 = 100_000_000;

/// Why there is a limit, and what to do.
const TOO_MANY_WORKERS: &str = "use fewer: each worker holds a connection, here and at the server, \
                                and the memory for it";

/// One group with its steps, as far as they could be read.
struct Part<'a> {
    plan: Option<GroupPlan>,
    steps: Vec<Option<StepPart>>,
    load: Spot<'a>,
}

/// What one group says of one step.
struct StepPart {
    name: Option<String>,
    warmup: bool,
    drain_ns: Option<u64>,
    load: Option<(LoadModel, Stop)>,
}

/// Resolves groups and steps, or `scenario` and `load`. `None` if one has a mistake.
pub(super) fn resolve(raw: &Workload, root: &Spot<'_>) -> Option<(Vec<GroupPlan>, Vec<StepPlan>)> {
    let mut known: Vec<&str> = Vec::new();
    for name in root.at("operations").keys() {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let parts = if root.at("groups").exists() {
        check_one_form(root);
        groups(raw, root, &known)
    } else {
        let mix = scenario::resolve(raw.scenario.as_ref(), root, &known);
        let plan = mix.map(|mix| GroupPlan {
            name: "main".to_owned(),
            mix,
            connections: None,
        });
        vec![part(plan, raw.load.as_deref(), root)]
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

fn groups<'a>(raw: &Workload, root: &Spot<'a>, known: &[&str]) -> Vec<Part<'a>> {
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
        mix: scenario::resolve(raw.scenario.as_ref(), at, known)?,
        connections: raw.connections,
    })
}

fn part<'a>(plan: Option<GroupPlan>, raw: Option<&[Option<Step>]>, at: &Spot<'a>) -> Part<'a> {
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
                null_item(&at, "a load step");
            }
            step.as_ref().map(|step| step_part(step, &at))
        })
        .collect();
    Part { plan, steps, load }
}

fn step_part(raw: &Step, at: &Spot<'_>) -> StepPart {
    if let Some(name) = &raw.name
        && let Some(why) = folder_fault(name)
    {
        at.at("name").fault(
            format!("the step's name `{name}` cannot be used: {why}"),
            None,
        );
    }
    let model = model(raw, at);
    let stop = stop(raw, at);
    StepPart {
        name: raw.name.clone(),
        warmup: raw.warmup.unwrap_or(false),
        drain_ns: raw.drain.map(|drain| drain.0),
        load: model.zip(stop),
    }
}

fn model(raw: &Step, at: &Spot<'_>) -> Option<LoadModel> {
    let Some(closed) = &raw.closed else {
        // An open step has its own message: it is not supported yet.
        if !at.keys().contains(&"open") {
            at.missing("closed", "say how many workers: `closed: {concurrency: 8}`");
        }
        return None;
    };
    let at = at.at("closed");
    let Closed {
        concurrency: Some(concurrency),
        think_time,
    } = closed
    else {
        at.missing(
            "concurrency",
            "say how many workers, such as `concurrency: 8`",
        );
        return None;
    };
    if !(1..=MAX_CONCURRENCY).contains(concurrency) {
        at.at("concurrency").fault(
            format!("`concurrency` must be 1 to {MAX_CONCURRENCY}, not {concurrency}"),
            (*concurrency > 0).then(|| TOO_MANY_WORKERS.to_owned()),
        );
        return None;
    }
    Some(LoadModel::Closed {
        concurrency: *concurrency,
        think_time_ns: think_time.map_or(0, |time| time.0),
    })
}

fn stop(raw: &Step, at: &Spot<'_>) -> Option<Stop> {
    if let Some(duration) = raw.duration.filter(|duration| duration.0 < SHORTEST_NS) {
        at.at("duration").fault(
            format!(
                "`duration` must be at least 100ms, not {}",
                humantime::format_duration(std::time::Duration::from_nanos(duration.0))
            ),
            Some("for a few operations, stop by `operations` instead".to_owned()),
        );
    }
    if let Some(operations) = raw.operations.filter(|n| !(1..=MAX_COUNT).contains(n)) {
        at.at("operations").fault(
            format!("`operations` must be 1 to {MAX_COUNT}, not {operations}"),
            None,
        );
    }
    if raw.duration.is_none() && raw.operations.is_none() {
        let keys = at.keys();
        let tried = ["duration", "operations", "iterations"]
            .iter()
            .any(|key| at.at(key).has_value());
        let meant = |key: &&str| {
            let near = crate::nearest::nearest(key, &["duration", "operations"]);
            near.is_some_and(|near| near != *key)
        };
        if !tried && !keys.iter().any(meant) {
            at.key_fault(
                "nothing says when the step ends",
                Some("add `duration: 30s`, `operations: 1000`, or both".to_owned()),
            );
        }
        return None;
    }
    Some(Stop {
        duration_ns: raw.duration.map(|duration| duration.0),
        operations: raw.operations,
    })
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
        let is_warmup = |part: &Part<'_>| part.steps.get(number)?.as_ref().map(|s| s.warmup);
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
    };
    let mut complete = true;
    let mut said: Option<(&StepPart, Spot<'_>)> = None;
    for (group, part) in parts.iter().enumerate() {
        let Some(Some(raw)) = part.steps.get(number) else {
            complete = false;
            continue;
        };
        let at = part.load.item(number);
        if let Some((before, there)) = &said {
            check_agreement(raw, &at, before, there);
        }
        if let Some(name) = &raw.name {
            step.name.clone_from(name);
        }
        step.warmup = raw.warmup;
        step.drain_ns = raw.drain_ns.unwrap_or(step.drain_ns);
        match &raw.load {
            Some((model, until)) => step.loads.push(GroupLoad {
                group,
                model: model.clone(),
                stop: *until,
            }),
            None => complete = false,
        }
        said = Some((raw, at));
    }
    let workers = step.loads.iter().map(|load| load.model.concurrency());
    let workers: u64 = workers.map(u64::from).sum();
    if let (true, Some((_, at))) = (workers > u64::from(MAX_CONCURRENCY), said) {
        let at = at.at("closed").at("concurrency");
        let message = format!(
            "the groups have {workers} workers together in this step: the sum of `concurrency` \
             must be at most {MAX_CONCURRENCY}"
        );
        at.fault(message, Some(TOO_MANY_WORKERS.to_owned()));
    }
    complete.then_some(step)
}

/// Groups start together, so what they say of one step must not differ.
fn check_agreement(here: &StepPart, at: &Spot<'_>, before: &StepPart, there: &Spot<'_>) {
    let differs = |key: &str| {
        at.at(key).contradicts(
            &there.at(key),
            format!("the groups differ in the `{key}` of this step"),
            "give all groups the same, since they start and end together",
        );
    };
    if here.warmup != before.warmup {
        differs("warmup");
    }
    if here.name.is_some() && before.name.is_some() && here.name != before.name {
        differs("name");
    }
    if here.drain_ns.is_some() && before.drain_ns.is_some() && here.drain_ns != before.drain_ns {
        differs("drain");
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
