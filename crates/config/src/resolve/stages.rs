//! Stages, of closed and of open load alike: parts of a step, one after the other.

use crate::defaults::SHORTEST_STEP_NS;
use crate::spot::Spot;
use crate::units::DurationNs;

/// Records a `duration` of the step beside its stages, whose own add up.
pub(super) fn refuse_duration(step: &Spot<'_>, stages: &Spot<'_>) {
    if step.at("duration").exists() {
        step.at("duration").contradicts(
            stages,
            "`duration` and `stages` exclude each other".to_owned(),
            "remove `duration`: the durations of the stages add up",
        );
    }
}

/// All stages; `None` if one is wrong, or if there is none. The texts say how all of them are
/// written, and how one is.
pub(super) fn list<R, S>(
    raw: &[Option<R>],
    at: &Spot<'_>,
    (help, example): (&str, &str),
    stage: impl Fn(&R, &Spot<'_>) -> Option<S>,
) -> Option<Vec<S>> {
    if raw.is_empty() {
        at.key_fault("`stages` has no stage", Some(help.to_owned()));
        return None;
    }
    let stages = raw.iter().enumerate().map(|(number, raw)| {
        let at = at.item(number);
        if raw.is_none() {
            at.null_item(&format!("a stage, such as `{example}`"));
        }
        stage(raw.as_ref()?, &at)
    });
    // All of them are looked at, for all mistakes at once.
    stages.collect::<Vec<_>>().into_iter().collect()
}

/// How long a stage takes, in nanoseconds; `at` is the stage.
pub(super) fn duration_ns(raw: Option<DurationNs>, at: &Spot<'_>) -> Option<u64> {
    match raw {
        None => {
            at.missing("duration", "say how long the stage takes: `duration: 10s`");
            None
        }
        Some(DurationNs(0)) => {
            let help = Some("make it longer, or leave the stage out".to_owned());
            at.at("duration")
                .fault("the `duration` of a stage must be above 0", help);
            None
        }
        Some(duration) => Some(duration.0),
    }
}

/// Records stages that are too short together; true if they are not.
pub(super) fn long_enough(durations_ns: impl Iterator<Item = u64>, at: &Spot<'_>) -> bool {
    let enough = durations_ns.fold(0, u64::saturating_add) >= SHORTEST_STEP_NS;
    if !enough {
        let help = Some("make them longer".to_owned());
        at.key_fault("the stages must be at least 100ms together", help);
    }
    enough
}
