//! What commands of actions need of the user, as far as it is known: privileges on the cluster. Any
//! other command is refused by the server, if it is, when its time has come.

use docstone_model::Plan;
use docstone_model::plan::{ActionKind, ActionPlan, AdminCommand};

/// What a command needs.
fn needed(command: &AdminCommand) -> &'static [&'static str] {
    match command.name() {
        "replSetStepDown" | "replSetFreeze" | "replSetSyncFrom" | "replSetMaintenance" => {
            &["replSetStateChange"]
        }
        "replSetReconfig" => &["replSetConfigure"],
        // Who may lock and not unlock would leave the lock behind.
        "fsync" if command.locks() => &["fsync", "unlock"],
        "fsync" => &["fsync"],
        "fsyncUnlock" => &["unlock"],
        "setParameter" => &["setParameter"],
        "shutdown" => &["shutdown"],
        "logRotate" => &["logRotate"],
        "setFeatureCompatibilityVersion" => &["setFeatureCompatibilityVersion"],
        _ => &[],
    }
}

/// An action whose command the user is not allowed to send.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused<'a> {
    /// The step.
    pub(super) step: &'a str,
    /// The action.
    pub(super) action: &'a str,
    /// Its command.
    pub(super) command: &'a str,
    /// The privileges on the cluster that are missing.
    pub(super) missing: Vec<&'static str>,
}

/// The first action of the plan that would be refused, by what `may` says of privileges on the
/// cluster.
pub(super) fn refused<'a>(plan: &'a Plan, may: &dyn Fn(&str) -> bool) -> Option<Refused<'a>> {
    let of = |(step, action): (&'a str, &'a ActionPlan)| {
        let ActionKind::Command(command) = &action.kind else {
            return None;
        };
        let needed = needed(command).iter().copied();
        let missing: Vec<_> = needed.filter(|privilege| !may(privilege)).collect();
        (!missing.is_empty()).then(|| Refused {
            step,
            action: &action.name,
            command: command.name(),
            missing,
        })
    };
    let actions = plan.steps.iter().flat_map(|step| {
        let actions = step.actions.iter();
        actions.map(|action| (step.name.as_str(), action))
    });
    actions.into_iter().find_map(of)
}

#[cfg(test)]
mod tests {
    use docstone_model::plan::TargetPlan;
    use docstone_model::{MongoUri, StepPlan};
    use serde_json::json;

    use super::*;

    fn plan(commands: &[serde_json::Value]) -> Plan {
        let action = |(number, command): (usize, &serde_json::Value)| ActionPlan {
            name: format!("action-{}", number + 1),
            at_ns: 0,
            kind: ActionKind::Command(AdminCommand::new(command.clone())),
            lasts_ns: None,
        };
        let step = StepPlan {
            name: "s".to_owned(),
            warmup: false,
            loads: Vec::new(),
            drain_ns: 0,
            actions: commands.iter().enumerate().map(action).collect(),
        };
        Plan {
            steps: vec![step],
            ..Plan::new("p", TargetPlan::new(MongoUri::new("mongodb://h"), "d"))
        }
    }

    #[test]
    fn the_first_command_that_is_not_allowed_is_named_with_what_it_needs() {
        let plan = plan(&[
            json!({"ping": 1}),
            json!({"replSetStepDown": 10, "force": true}),
            json!({"fsync": 1, "lock": true}),
        ]);
        let missing = |allowed: &[&str]| {
            let refused = refused(&plan, &|privilege| allowed.contains(&privilege));
            refused.map(|refused| (refused.action.to_owned(), refused.missing))
        };
        let first = Some(("action-2".to_owned(), vec!["replSetStateChange"]));
        assert_eq!(missing(&[]), first);
        let lock = ("action-3".to_owned(), vec!["unlock"]);
        assert_eq!(missing(&["replSetStateChange", "fsync"]), Some(lock));
        assert_eq!(missing(&["replSetStateChange", "fsync", "unlock"]), None);
    }
}
