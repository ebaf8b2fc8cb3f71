//! What the steps of an iteration capture and use: what is used must be there before, and what is
//! captured must be in a document.

mod projection;
mod read;

use std::collections::BTreeSet;

use docstone_model::plan::Payload;
use docstone_model::{Generator, OperationPlan, Template};

use self::projection::returns;
use self::read::{Group, Run, Scenario, Step, used};
use super::data::Collections;
use super::operation::Operations;
use crate::nearest::nearest;
use crate::raw::Workload;
use crate::spot::Spot;

/// The kinds of operations that change no document into another.
const KEEP_FORMS: [&str; 9] = [
    "find_one",
    "find_many",
    "count",
    "count_documents",
    "estimated_count",
    "distinct",
    "find_one_and_delete",
    "delete_one",
    "delete_many",
];

/// Records each use of a value that is not there, each capture that cannot be, and names of steps
/// that mean two operations, as far as the file could be read. `root` is its spot.
pub(super) fn check(raw: &Workload, operations: &Operations, data: &Collections, root: &Spot<'_>) {
    let groups = read::groups(raw, operations, root);
    check_names(operations, &groups);
    let walk = Walk {
        operations,
        data,
        root,
        all: groups.iter().flat_map(captured_in).collect(),
        is_complete: groups.iter().all(Group::is_complete),
    };
    for (name, plan) in operations {
        walk.operation(name, plan.as_ref());
    }
    for group in &groups {
        match &group.scenario {
            Scenario::Mix(names) => walk.mix(names, &group.at),
            Scenario::Steps(steps) => {
                check_stops(&group.at);
                let _ = walk.sequence(steps, &group.at.at("steps"), &Around::default());
            }
            Scenario::Unknown => {}
        }
    }
}

/// A number of operations would end an iteration anywhere in its steps.
fn check_stops(scenario: &Spot<'_>) {
    let load = scenario.beside("load");
    for step in 0..load.node().map_or(0, |node| node.children().len()) {
        let at = load.item(step).at("operations");
        if at.exists() {
            at.key_fault(
                "`operations` does not end a scenario of steps",
                Some("say how many iterations, of all steps: `iterations: 1000`".to_owned()),
            );
        }
    }
}

/// A name stands for one operation in all results.
fn check_names(operations: &Operations, groups: &[Group<'_>]) {
    let own = operations
        .iter()
        .map(|(name, _)| (name.as_str(), name.as_str()));
    let mut known: Vec<(&str, &str)> = own.collect();
    for group in groups {
        let Scenario::Steps(steps) = &group.scenario else {
            continue;
        };
        each_run(steps, &group.at.at("steps"), &mut |run, at| {
            if operations.iter().all(|(name, _)| name != run.operation) {
                return; // That is recorded already.
            }
            let before = known.iter().find(|(name, _)| *name == run.name);
            match before {
                Some((_, operation)) if *operation != run.operation => at.at("name").fault(
                    format!(
                        "`{}` is counted for the operation `{operation}` already",
                        run.name
                    ),
                    Some("give the step another name".to_owned()),
                ),
                Some(_) => {}
                None => known.push((run.name, run.operation)),
            }
        });
    }
}

fn each_run<'p, 'a>(
    steps: &'p [Step<'a>],
    at: &Spot<'_>,
    visit: &mut dyn FnMut(&'p Run<'a>, &Spot<'_>),
) {
    for (position, step) in steps.iter().enumerate() {
        let at = at.item(position);
        match step {
            Step::Run(run) => visit(run, &at),
            Step::Parallel(steps) => each_run(steps, &at.at("parallel"), visit),
            Step::Sequence(steps) => each_run(steps, &at.at("sequence"), visit),
            Step::Unknown => {}
        }
    }
}

fn cure(name: &str, captured: &[&str]) -> String {
    match nearest(name, captured) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            format!("capture it in a step before: `{{run: OPERATION, capture: {{{name}: _id}}}}`")
        }
    }
}

fn captured_in<'a>(group: &Group<'a>) -> BTreeSet<&'a str> {
    names(group.runs())
}

/// The names that a step captures, with those in it.
fn captured_by<'a>(step: &Step<'a>) -> BTreeSet<&'a str> {
    names(step.runs())
}

fn names<'a>(runs: Vec<&Run<'a>>) -> BTreeSet<&'a str> {
    let captures = runs.into_iter().flat_map(|run| &run.captures);
    captures.map(|capture| capture.name).collect()
}

/// Follows the steps of a group and knows what each of them can use.
struct Walk<'p> {
    operations: &'p Operations,
    data: &'p Collections,
    root: &'p Spot<'p>,
    /// What is captured in any group.
    all: BTreeSet<&'p str>,
    /// False if more may be captured, in steps that could not be read.
    is_complete: bool,
}

/// The captured values around a step.
#[derive(Clone, Default)]
struct Around<'p> {
    /// Those that are there when it begins.
    before: BTreeSet<&'p str>,
    /// Those that another branch captures at the same time.
    beside: BTreeSet<&'p str>,
}

impl<'p> Walk<'p> {
    fn plan(&self, name: &str) -> Option<&'p OperationPlan> {
        let of_name = self.operations.iter().find(|(known, _)| known == name);
        of_name.and_then(|(_, plan)| plan.as_ref())
    }

    fn used(&self, operation: &str) -> Vec<&'p str> {
        used(
            self.plan(operation),
            &self.root.at("operations").at(operation),
        )
    }

    fn operation(&self, name: &str, plan: Option<&OperationPlan>) {
        let at = self.root.at("operations").at(name);
        if let Some(document) = plan.and_then(|plan| plan.kind.inserted())
            && let Some(Template::Generator(Generator::Captured { .. })) = document.field("_id")
        {
            at.key_fault(
                "the `_id` of an insert cannot be a captured value",
                Some("keep the value in another field".to_owned()),
            );
        }
        let all: Vec<&str> = self.all.iter().copied().collect();
        let used = self.used(name);
        for value in used.into_iter().filter(|_| self.is_complete) {
            if !all.contains(&value) {
                at.key_fault(
                    format!("`{name}` uses the captured value `{value}`, which no step captures"),
                    Some(cure(value, &all)),
                );
            }
        }
    }

    fn mix(&self, names: &[&str], at: &Spot<'_>) {
        for name in names {
            if let Some(value) = self.used(name).first() {
                at.at("mix").at(name).key_fault(
                    format!("`{name}` uses the captured value `{value}`, and a mix captures none"),
                    Some("write `steps` instead of `mix`".to_owned()),
                );
            }
        }
    }

    /// Checks steps one after the other; returns what is there behind them.
    fn sequence(
        &self,
        steps: &[Step<'p>],
        at: &Spot<'_>,
        around: &Around<'p>,
    ) -> BTreeSet<&'p str> {
        let mut around = around.clone();
        for (position, step) in steps.iter().enumerate() {
            around.before = self.step(step, &at.item(position), &around);
        }
        around.before
    }

    fn step(&self, step: &Step<'p>, at: &Spot<'_>, around: &Around<'p>) -> BTreeSet<&'p str> {
        match step {
            Step::Run(run) => {
                self.check_uses(run, at, around);
                self.check_captures(run, at);
                let own = run.captures.iter().map(|capture| capture.name);
                around.before.iter().copied().chain(own).collect()
            }
            Step::Sequence(steps) => self.sequence(steps, &at.at("sequence"), around),
            Step::Parallel(branches) => self.parallel(branches, &at.at("parallel"), around),
            Step::Unknown => around.before.clone(),
        }
    }

    /// No branch can use what another one captures: which comes first is not known.
    fn parallel(
        &self,
        branches: &[Step<'p>],
        at: &Spot<'_>,
        around: &Around<'p>,
    ) -> BTreeSet<&'p str> {
        let mut behind = around.before.clone();
        for (position, branch) in branches.iter().enumerate() {
            let others = branches.iter().enumerate();
            let others = others.filter(|(other, _)| *other != position);
            let beside: BTreeSet<&str> = others.flat_map(|(_, step)| captured_by(step)).collect();
            let own = captured_by(branch);
            let earlier: BTreeSet<&str> =
                branches[..position].iter().flat_map(captured_by).collect();
            for name in own.intersection(&earlier) {
                at.item(position).fault(
                    format!("`{name}` is captured in two branches of one `parallel`"),
                    Some("give the values two names".to_owned()),
                );
            }
            let of_branch = Around {
                before: around.before.clone(),
                // What it captures as well is a fault of its own.
                beside: &around.beside | &(&beside - &own),
            };
            behind.extend(self.step(branch, &at.item(position), &of_branch));
        }
        behind
    }

    fn check_uses(&self, run: &Run<'_>, at: &Spot<'_>, around: &Around<'_>) {
        for name in self.used(run.operation) {
            // What nobody captures was recorded where it is used.
            if !self.all.contains(name) {
                continue;
            }
            let is_there = around.before.contains(name);
            let (why, help) = match (around.beside.contains(name), is_there) {
                (true, false) => (
                    "another branch of the same `parallel` captures",
                    "capture it in a step before `parallel`".to_owned(),
                ),
                // Which of the two it would be is a matter of timing.
                (true, true) => (
                    "another branch of the same `parallel` captures again",
                    "capture under another name in that branch".to_owned(),
                ),
                (false, true) => continue,
                // A step before it, which could not be read, may capture it.
                (false, false) if !self.is_complete => continue,
                (false, false) => {
                    let before: Vec<&str> = around.before.iter().copied().collect();
                    ("no step before it captures", cure(name, &before))
                }
            };
            at.fault(
                format!(
                    "`{}` uses the captured value `{name}`, which {why}",
                    run.name
                ),
                Some(help),
            );
        }
    }

    fn check_captures(&self, run: &Run<'_>, at: &Spot<'_>) {
        let Some(operation) = self.plan(run.operation) else {
            return;
        };
        let parts = operation.kind.parts();
        let written = operation.kind.captured();
        if let Some(limits) = parts.limits {
            if let Some(projection) = &limits.projection {
                check_projection(run, projection, at);
            }
        } else if written.is_none() {
            if !run.captures.is_empty() {
                at.at("capture").key_fault(
                    format!("`{}` returns no document to capture from", parts.name),
                    Some("capture from a find, an insert or a replacement".to_owned()),
                );
            }
            return;
        }
        let forms = match written {
            Some(document) => vec![document],
            None => self.forms(&operation.collection),
        };
        for capture in &run.captures {
            let Some(path) = capture.path else {
                continue;
            };
            let id = path == "_id" && (written.is_none() || parts.inserts > 0);
            let is_there = |form: &&Template| may_hold(form, path);
            if !id && !forms.is_empty() && !forms.iter().any(is_there) {
                let help = "capture a field that the documents of the collection have";
                at.at("capture").at(capture.name).fault(
                    format!("no document of `{}` holds `{path}`", operation.collection),
                    Some(help.to_owned()),
                );
            }
        }
    }

    /// The forms of the documents of a collection, as far as the file tells them; none where there
    /// can be others.
    fn forms(&self, collection: &str) -> Vec<&'p Template> {
        let Some(of_data) = self.data.get(collection) else {
            return Vec::new();
        };
        let mut forms: Vec<&Template> = of_data.document.iter().collect();
        for (name, plan) in self.operations {
            let Some(plan) = plan else {
                // Which collection it changes, and how, may not be known.
                let keys = self.root.at("operations").at(name).keys();
                if keys.iter().any(|key| KEEP_FORMS.contains(key)) {
                    continue;
                }
                return Vec::new();
            };
            for call in plan.calls() {
                match call.kind.parts().payload {
                    _ if call.collection != collection => {}
                    Payload::Update(_) => return Vec::new(),
                    Payload::Insert(form) | Payload::Replacement(form) => forms.push(form),
                    Payload::None => {}
                }
            }
        }
        let is_existing = self.data.existing().iter().any(|name| name == collection);
        if is_existing { Vec::new() } else { forms }
    }
}

/// Records what is captured and not asked for.
fn check_projection(run: &Run<'_>, projection: &serde_json::Value, at: &Spot<'_>) {
    for capture in &run.captures {
        if let Some(path) = capture.path.filter(|path| !returns(projection, path)) {
            at.at("capture").at(capture.name).fault(
                format!("the projection of `{}` leaves out `{path}`", run.operation),
                Some(format!("show it in the projection: `{path}: 1`")),
            );
        }
    }
}

/// False if a document of this form never holds the field. What a constant holds is not looked at.
fn may_hold(form: &Template, path: &str) -> bool {
    let (first, rest) = path
        .split_once('.')
        .map_or((path, None), |(a, b)| (a, Some(b)));
    match (form.field(first), rest) {
        (None, _) => !matches!(form, Template::Document(_) | Template::Generator(_)),
        (Some(_), None) => true,
        (Some(below), Some(rest)) => may_hold(below, rest),
    }
}
