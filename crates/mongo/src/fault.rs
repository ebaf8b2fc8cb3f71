//! Errors of the target as they are shown: with the host, what was done before, and the cure.

use std::time::Duration;

use docstone_engine::target::{TargetError, TargetErrorKind};
use docstone_model::Plan;

use crate::control::Ended;
use crate::error::{LOST_HELP, plan_error};
use crate::options::Settings;
use crate::setup::{SetupProgress, SetupStage};

/// The error for work that was not waited for to the end.
pub(crate) fn ended(ended: Ended, silence: Duration) -> TargetError {
    match ended {
        Ended::Interrupted => TargetError {
            kind: TargetErrorKind::Setup,
            message: "interrupted".to_owned(),
            help: None,
        },
        Ended::Lost => TargetError {
            kind: TargetErrorKind::Unreachable,
            message: format!(
                "the server was lost: it has not answered for {} s",
                silence.as_secs_f64()
            ),
            help: Some(LOST_HELP.to_owned()),
        },
    }
}

/// The error with what was loaded before it.
pub(crate) fn so_far(
    problem: TargetError,
    last: Option<SetupProgress>,
    plan: &Plan,
) -> TargetError {
    let Some(told) = last.filter(|told| told.stage == SetupStage::Load) else {
        return problem;
    };
    if problem.kind != TargetErrorKind::Unreachable {
        return problem;
    }
    // The data of a private server are gone with it.
    let on = plan.target.private.is_none();
    let go_on = on.then_some("the same command goes on where this one stopped");
    let help: Vec<&str> = problem.help.as_deref().into_iter().chain(go_on).collect();
    TargetError {
        message: format!(
            "{} ({} of {} documents of {} were loaded)",
            problem.message, told.loaded, told.total, told.collection
        ),
        help: (!help.is_empty()).then(|| help.join("; ")),
        ..problem
    }
}

/// The error with the host that it is about and without secrets.
pub(crate) fn shown(problem: TargetError, settings: &Settings) -> TargetError {
    let hosts = settings.hosts();
    let mut message = problem.message;
    if problem.kind == TargetErrorKind::Unreachable && !message.starts_with(&hosts) {
        message = format!("{hosts}: {message}");
    }
    TargetError {
        message: settings.secrets.scrub(&message),
        ..problem
    }
}

/// The error for a plan that writes, at a server that takes no writes.
pub(crate) fn not_writable(plan: &Plan, settings: &Settings) -> TargetError {
    let hosts = settings.hosts();
    let help = if settings.direct() {
        "leave out directConnection=true, or name the primary"
    } else {
        "name all members of the replica set, so that the primary is found"
    };
    plan_error(
        format!(
            "{hosts} is not a primary, and the plan `{}` writes",
            plan.name
        ),
        Some(help),
    )
}
