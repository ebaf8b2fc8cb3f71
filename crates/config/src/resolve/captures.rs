//! What the steps of an iteration capture and use: what is used must be there before, and what is
//! captured must be in a document.

use std::collections::BTreeSet;

use docstone_model::plan::{GroupPlan, RunStep, Scenario, ScenarioStep, StepAction};
use docstone_model::{Generator, OperationKind, OperationPlan, Plan, Template};

use crate::nearest::nearest;
use crate::spot::Spot;

/// Records each use of a value that is not there, each capture that cannot be, and names of steps
/// that mean two operations. `root` is the spot of the plan.
pub(super) fn check(plan: &Plan, root: &Spot<'_>) {
    let spots = groups(plan, root);
    check_names(plan, &spots);
    let all: BTreeSet<&str> = plan
        .groups
        .iter()
        .flat_map(|group| group.scenario.run_steps())
        .flat_map(|run| run.captures.iter().map(|capture| capture.name.as_str()))
        .collect();
    for operation in &plan.operations {
        let at = root.at("operations").at(&operation.name);
        if let OperationKind::InsertOne { document } = &operation.kind
            && let Some(Template::Generator(Generator::Captured { .. })) = document.field("_id")
        {
            at.key_fault(
                "the `_id` of an insert cannot be a captured value",
                Some("keep the value in another field".to_owned()),
            );
        }
        for name in used(operation) {
            if !all.contains(name) {
                let all: Vec<&str> = all.iter().copied().collect();
                at.key_fault(
                    format!(
                        "`{}` uses the captured value `{name}`, which no step captures",
                        operation.name
                    ),
                    Some(cure(name, &all)),
                );
            }
        }
    }
    for (group, spot) in &spots {
        match &group.scenario {
            Scenario::Mix(entries) => {
                for entry in entries {
                    let operation = &plan.operations[entry.operation];
                    if let Some(name) = used(operation).first() {
                        spot.at("mix").at(&operation.name).key_fault(
                            format!(
                                "`{}` uses the captured value `{name}`, and a mix captures none",
                                operation.name
                            ),
                            Some("write `steps` instead of `mix`".to_owned()),
                        );
                    }
                }
            }
            Scenario::Steps(steps) => {
                check_stops(spot);
                let walk = Walk { plan, all: &all };
                let _ = walk.sequence(steps, &spot.at("steps"), &Around::default());
            }
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

/// The groups with the spots of their scenarios.
fn groups<'p, 'a>(plan: &'p Plan, root: &Spot<'a>) -> Vec<(&'p GroupPlan, Spot<'a>)> {
    let named = root.at("groups");
    let spot = |group: &GroupPlan| {
        let parent = if named.exists() {
            named.at(&group.name)
        } else {
            root.clone()
        };
        parent.at("scenario")
    };
    plan.groups
        .iter()
        .map(|group| (group, spot(group)))
        .collect()
}

/// A name stands for one operation in all results.
fn check_names(plan: &Plan, spots: &[(&GroupPlan, Spot<'_>)]) {
    let mut known: Vec<(&str, usize)> = Vec::new();
    for (operation, named) in plan.operations.iter().enumerate() {
        known.push((&named.name, operation));
    }
    for (group, spot) in spots {
        let Scenario::Steps(steps) = &group.scenario else {
            continue;
        };
        each_run(steps, &spot.at("steps"), &mut |run, at| {
            let before = known.iter().find(|(name, _)| *name == run.name);
            match before {
                Some((_, operation)) if *operation != run.operation => at.at("name").fault(
                    format!(
                        "`{}` is counted for the operation `{}` already",
                        run.name, plan.operations[*operation].name
                    ),
                    Some("give the step another name".to_owned()),
                ),
                Some(_) => {}
                None => known.push((&run.name, run.operation)),
            }
        });
    }
}

fn each_run<'p>(
    steps: &'p [ScenarioStep],
    at: &Spot<'_>,
    visit: &mut dyn FnMut(&'p RunStep, &Spot<'_>),
) {
    for (position, step) in steps.iter().enumerate() {
        let at = at.item(position);
        match &step.action {
            StepAction::Run(run) => visit(run, &at),
            StepAction::Parallel(steps) => each_run(steps, &at.at("parallel"), visit),
            StepAction::Sequence(steps) => each_run(steps, &at.at("sequence"), visit),
        }
    }
}

/// The names of the captured values that an operation uses.
fn used(operation: &OperationPlan) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for template in operation.kind.templates() {
        template.for_each_generator(&mut |generator| {
            if let Generator::Captured { name } = generator
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        });
    }
    names
}

fn cure(name: &str, captured: &[&str]) -> String {
    match nearest(name, captured) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            format!("capture it in a step before: `{{run: OPERATION, capture: {{{name}: _id}}}}`")
        }
    }
}

/// The names that a step captures, with those in it.
fn captured_by(step: &ScenarioStep) -> BTreeSet<&str> {
    let runs = step.run_steps().into_iter();
    let captures = runs.flat_map(|run| &run.captures);
    captures.map(|capture| capture.name.as_str()).collect()
}

/// Follows the steps of one group and knows what each of them can use.
struct Walk<'p> {
    plan: &'p Plan,
    /// What is captured in any group.
    all: &'p BTreeSet<&'p str>,
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
    /// Checks steps one after the other; returns what is there behind them.
    fn sequence(
        &self,
        steps: &'p [ScenarioStep],
        at: &Spot<'_>,
        around: &Around<'p>,
    ) -> BTreeSet<&'p str> {
        let mut around = around.clone();
        for (position, step) in steps.iter().enumerate() {
            around.before = self.step(step, &at.item(position), &around);
        }
        around.before
    }

    fn step(
        &self,
        step: &'p ScenarioStep,
        at: &Spot<'_>,
        around: &Around<'p>,
    ) -> BTreeSet<&'p str> {
        match &step.action {
            StepAction::Run(run) => {
                self.check_uses(run, at, around);
                self.check_captures(run, at);
                let own = run.captures.iter().map(|capture| capture.name.as_str());
                around.before.iter().copied().chain(own).collect()
            }
            StepAction::Sequence(steps) => self.sequence(steps, &at.at("sequence"), around),
            StepAction::Parallel(branches) => self.parallel(branches, &at.at("parallel"), around),
        }
    }

    /// No branch can use what another one captures: which comes first is not known.
    fn parallel(
        &self,
        branches: &'p [ScenarioStep],
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

    fn check_uses(&self, run: &RunStep, at: &Spot<'_>, around: &Around<'_>) {
        for name in used(&self.plan.operations[run.operation]) {
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

    fn check_captures(&self, run: &RunStep, at: &Spot<'_>) {
        let operation = &self.plan.operations[run.operation];
        let written = match &operation.kind {
            OperationKind::FindOne { .. } | OperationKind::FindMany { .. } => None,
            OperationKind::InsertOne { document } | OperationKind::ReplaceOne { document, .. } => {
                Some(document)
            }
            other => {
                if !run.captures.is_empty() {
                    at.at("capture").key_fault(
                        format!("`{}` returns no document to capture from", other.name()),
                        Some("capture from a find, an insert or a replacement".to_owned()),
                    );
                }
                return;
            }
        };
        let forms = match written {
            Some(document) => vec![document],
            None => self.forms(&operation.collection),
        };
        for capture in &run.captures {
            let inserts = matches!(operation.kind, OperationKind::InsertOne { .. });
            let id = capture.path == "_id" && (written.is_none() || inserts);
            let is_there = |form: &&Template| may_hold(form, &capture.path);
            if !id && !forms.is_empty() && !forms.iter().any(is_there) {
                let help = "capture a field that the documents of the collection have";
                at.at("capture").at(&capture.name).fault(
                    format!(
                        "no document of `{}` holds `{}`",
                        operation.collection, capture.path
                    ),
                    Some(help.to_owned()),
                );
            }
        }
    }

    /// The forms of the documents of a collection, as far as the plan knows them; none where there
    /// can be others.
    fn forms(&self, collection: &str) -> Vec<&'p Template> {
        let plan = self.plan;
        let data = plan.data.iter().find(|data| data.name == collection);
        let updated = plan.operations.iter().any(|operation| {
            operation.collection == collection
                && matches!(
                    operation.kind,
                    OperationKind::UpdateOne { .. } | OperationKind::UpdateMany { .. }
                )
        });
        if updated || plan.existing.iter().any(|name| name == collection) {
            return Vec::new();
        }
        let of_data = data.and_then(|data| data.document.as_ref());
        let written = plan.operations.iter().filter_map(|operation| {
            let writes = matches!(
                operation.kind,
                OperationKind::InsertOne { .. } | OperationKind::ReplaceOne { .. }
            );
            let payload = operation.kind.payload();
            payload.filter(|_| writes && operation.collection == collection)
        });
        of_data.into_iter().chain(written).collect()
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
