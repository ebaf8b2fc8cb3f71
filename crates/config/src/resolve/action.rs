//! Actions of a load step: what is done, when, and whether it can be.

use docstone_model::plan::{
    ActionKind, ActionPlan, AdminCommand, HookText, MemberChoice, PrivateServer, TargetPlan,
};
use docstone_model::template::Context;
use docstone_model::{StepPlan, Stop, Template};

use crate::diagnostics::hook_without_secrets;
use crate::overrides::Overrides;
use crate::raw::{Action, At, Step, Workload};
use crate::spot::Spot;

/// The most actions of a step; each has a thread that waits for its time.
const MOST: usize = 100;

/// What can be done, for advice.
const FORMS: &str = "write `command: {replSetStepDown: 10}`, `run: \"...\"` for a command line, or \
                     `signal: kill` for a private server";

/// Resolves the actions of one step of one group, which ends by `stop`. One without a name gets it
/// when the groups are joined.
pub(super) fn resolve(raw: &Step, at: &Spot<'_>, stop: Option<Stop>) -> Vec<ActionPlan> {
    let at = at.at("actions");
    let Some(actions) = &raw.actions else {
        return Vec::new();
    };
    if actions.len() > MOST {
        at.key_fault(
            format!("a step has at most {MOST} actions, not {}", actions.len()),
            Some("spread them over several steps".to_owned()),
        );
    }
    let mut plans = Vec::new();
    for (number, action) in actions.iter().enumerate() {
        let at = at.item(number);
        match action {
            Some(action) => plans.extend(one(action, &at, stop)),
            None => at.null_item("an action"),
        }
    }
    plans
}

/// Records actions of a step that is not measured; `at` is their list.
pub(super) fn refuse_in_warmup(at: &Spot<'_>) {
    if at.node().is_some_and(|list| !list.children().is_empty()) {
        at.key_fault(
            "a warm-up has no actions: nothing in it is recorded",
            Some("put them into a step that is measured".to_owned()),
        );
    }
}

fn one(raw: &Action, at: &Spot<'_>, stop: Option<Stop>) -> Option<ActionPlan> {
    if raw.name.as_deref() == Some("") {
        at.at("name").fault(
            "the name of an action is empty",
            Some("leave it out, or name the action".to_owned()),
        );
    }
    let kind = kind(raw, at);
    let at_ns = start(raw.at, at, stop);
    let kind = kind?;
    let for_at = at.at("for");
    if for_at.exists() && !kind.can_be_undone() {
        for_at.key_fault(
            "`for` is for what can be undone: a signal, or a lock by `{fsync: 1, lock: true}`",
            Some("leave it out".to_owned()),
        );
    }
    if at.at("member").exists() && !matches!(kind, ActionKind::Signal { .. }) {
        at.at("member").key_fault(
            "`member` says who gets a `signal`, and this action has none",
            Some("leave it out; a command goes to the primary".to_owned()),
        );
    }
    Some(ActionPlan {
        name: raw.name.clone().unwrap_or_default(),
        at_ns: at_ns?,
        kind,
        lasts_ns: raw.r#for.map(|lasts| lasts.0),
    })
}

/// What is done: exactly one of the forms.
fn kind(raw: &Action, at: &Spot<'_>) -> Option<ActionKind> {
    let forms = ["command", "run", "signal"];
    let given: Vec<&str> = forms
        .into_iter()
        .filter(|key| at.at(key).exists())
        .collect();
    match given[..] {
        [_] => {}
        [] => {
            at.key_fault("nothing says what the action does", Some(FORMS.to_owned()));
            return None;
        }
        [first, second, ..] => {
            at.at(second).contradicts(
                &at.at(first),
                format!("`{first}` and `{second}` exclude each other in one action"),
                "make two actions of them",
            );
            return None;
        }
    }
    match raw {
        Action {
            command: Some(_), ..
        } => command(raw, at),
        Action {
            run: Some(text), ..
        } => {
            let at = at.at("run");
            if text.trim().is_empty() {
                at.fault("the command line is empty", Some(FORMS.to_owned()));
                return None;
            }
            let shown = match at.node().and_then(|node| node.unexpanded.as_ref()) {
                // What a variable holds may be a secret, so its name is shown.
                Some(before) => hook_without_secrets(&before.text),
                None => hook_without_secrets(text),
            };
            Some(ActionKind::Run(HookText::new(text, shown)))
        }
        Action {
            signal: Some(signal),
            member,
            ..
        } => Some(ActionKind::Signal {
            signal: signal.0,
            member: member.map_or(MemberChoice::Primary, |member| member.0),
        }),
        // Wrong in a way that is recorded already, or empty.
        _ => {
            let key = given[0];
            at.missing(key, FORMS);
            None
        }
    }
}

fn command(raw: &Action, at: &Spot<'_>) -> Option<ActionKind> {
    let at = at.at("command");
    let command = raw.command.as_ref()?;
    let help = || Some("write a map, such as `command: {replSetStepDown: 10}`".to_owned());
    let Some(map) = command.as_object().filter(|map| !map.is_empty()) else {
        at.fault("a command is a map whose first key is its name", help());
        return None;
    };
    let name = map.keys().next().map_or("", String::as_str);
    if name.starts_with('$') || name.is_empty() {
        at.fault(format!("`{name}` is no name of a command"), help());
        return None;
    }
    match Template::from_json(command, Context::Any) {
        Ok(template) => {
            let mut drawn = false;
            template.for_each_generator(&mut |_| drawn = true);
            if drawn {
                at.fault(
                    "a command is sent as it stands: no generators in it",
                    Some("write the value itself".to_owned()),
                );
                return None;
            }
            Some(ActionKind::Command(AdminCommand::new(command.clone())))
        }
        Err(errors) => {
            for error in errors {
                at.below(&error.path).fault(error.message, None);
            }
            None
        }
    }
}

/// The start in nanoseconds since the step began.
fn start(raw: Option<At>, at: &Spot<'_>, stop: Option<Stop>) -> Option<u64> {
    let Some(raw) = raw else {
        at.missing("at", "say when, such as `at: 20s` or `at: 50%`");
        return None;
    };
    let at = at.at("at");
    let duration_ns = stop?.duration_ns;
    match (raw, duration_ns) {
        (At::Share(_), None) => {
            at.fault(
                "a share needs a `duration`: this step ends by its number of operations alone",
                Some("write a time, such as `at: 20s`, or give the step a duration".to_owned()),
            );
            None
        }
        (At::Time(ns), Some(duration_ns)) if ns >= duration_ns => {
            let duration = std::time::Duration::from_nanos(duration_ns);
            let duration = humantime::format_duration(duration);
            at.fault(
                format!("the step is over by then: it takes {duration}"),
                Some(format!(
                    "name a time below {duration}, or a share such as `50%`"
                )),
            );
            None
        }
        (At::Time(ns), _) => Some(ns),
        (At::Share(share), Some(duration_ns)) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a duration is one"
            )]
            let ns = (share * duration_ns as f64) as u64;
            Some(ns)
        }
    }
}

/// Brings the actions of all groups of a step into order, and names those without a name.
pub(super) fn settle(step: &mut StepPlan, at: &Spot<'_>) {
    step.actions.sort_by_key(|action| action.at_ns);
    for number in 0..step.actions.len() {
        let (before, rest) = step.actions.split_at_mut(number);
        let action = &mut rest[0];
        if action.name.is_empty() {
            action.name = format!("action-{}", number + 1);
        }
        if before.iter().any(|other| other.name == action.name) {
            at.at("actions").key_fault(
                format!("two actions of the step have the name `{}`", action.name),
                Some("give each a name of its own".to_owned()),
            );
        }
    }
}

/// Records what this target, or this command line, does not allow.
pub(super) fn check(
    raw: &Workload,
    target: Option<&TargetPlan>,
    overrides: &Overrides,
    root: &Spot<'_>,
) {
    let main = raw.load.iter().map(|load| (load, root.at("load")));
    let groups = raw.groups.iter().flat_map(|groups| &groups.0);
    let groups = groups.filter_map(|(name, group)| {
        let load = group.load.as_ref()?;
        Some((load, root.at("groups").at(name).at("load")))
    });
    for (load, spot) in main.chain(groups) {
        for (number, step) in load.iter().enumerate() {
            let actions = step.iter().flat_map(|step| step.actions.iter().flatten());
            for (position, action) in actions.enumerate() {
                let Some(action) = action else { continue };
                let at = spot.item(number).at("actions").item(position);
                if action.signal.is_some()
                    && let Some(target) = target
                {
                    check_signal(action, target.private.as_ref(), &at);
                }
                if action.run.is_some() && overrides.refuse_hooks {
                    at.at("run").key_fault(
                        "a command line on this machine is run only if you say so",
                        Some("read it, then give `--allow-hooks`".to_owned()),
                    );
                }
            }
        }
    }
}

fn check_signal(action: &Action, private: Option<&PrivateServer>, at: &Spot<'_>) {
    let signal = at.at("signal");
    let Some(private) = private else {
        signal.key_fault(
            "a signal is for a private server only: docstone does not touch the processes of others",
            Some("use `--private`, or a `command` or `run` instead".to_owned()),
        );
        return;
    };
    if private.keep {
        signal.key_fault(
            "a private server that is kept gets no signals: only one that ends with the run does",
            Some("leave out `keep`".to_owned()),
        );
    }
    let members = if private.standalone {
        1
    } else {
        private.members
    };
    match action.member.map(|member| member.0) {
        Some(MemberChoice::Secondary | MemberChoice::Secondaries) if members < 2 => {
            at.at("member").fault(
                "the private server has one member, which is the primary",
                Some("write `target: {private: {members: 3}}`".to_owned()),
            );
        }
        Some(MemberChoice::Number(number)) if number >= members => {
            at.at("member").fault(
                format!("there is no member {number}: the private server has {members}"),
                Some(format!("name one from 0 to {}", members.saturating_sub(1))),
            );
        }
        _ => {}
    }
}
