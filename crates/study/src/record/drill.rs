//! What a step's actions meant for its load. Pure: the formulas of `docs/guide/drills.md`.

use std::collections::BTreeMap;

use docstone_engine::{AfterAction, TrialResult};
use docstone_model::Plan;
use docstone_model::plan::{ActionKind, ActionPlan};
use docstone_model::record::{
    AcknowledgedRecord, ActionOperationRecord, ActionOutcome, ActionRecord, DrillRecord, Warning,
    WarningKind,
};

/// Seconds before an action that make its baseline, at most and at least.
const BEFORE: usize = 10;
const BEFORE_LEAST: usize = 3;

/// The share of the baseline that counts as recovered.
const RECOVERED: f64 = 0.9;

/// Seconds whose mean must be back: one good second is no recovery.
const HELD: usize = 3;

/// The throughput may fall up to so many seconds after an action had been done.
const FALLS_WITHIN: usize = 3;

/// An action as it was carried out; times in nanoseconds since the step began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) at_ns: Option<u64>,
    pub(crate) ended_ns: Option<u64>,
    pub(crate) undone_ns: Option<u64>,
    pub(crate) outcome: ActionOutcome,
    pub(crate) message: Option<String>,
    pub(crate) exit_code: Option<i32>,
}

impl Default for Played {
    /// An action whose time did not come.
    fn default() -> Self {
        Self {
            at_ns: None,
            ended_ns: None,
            undone_ns: None,
            outcome: ActionOutcome::NotStarted,
            message: None,
            exit_code: None,
        }
    }
}

/// What was seen of a step with actions.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrillFacts {
    /// By action.
    pub(crate) played: Vec<Played>,
    /// Operations that succeeded in each whole second of the window.
    pub(crate) successes: Vec<u64>,
    /// What became of acknowledged inserts.
    pub(crate) acknowledged: Vec<AcknowledgedRecord>,
}

/// The record of a step's actions; `None` for a step without any.
pub(crate) fn drill_record(
    plan: &Plan,
    actions: &[ActionPlan],
    facts: &DrillFacts,
    result: &TrialResult,
) -> Option<DrillRecord> {
    if actions.is_empty() {
        return None;
    }
    let mut records = Vec::new();
    let mut before: Option<Course> = None;
    for (number, action) in actions.iter().enumerate() {
        let played = facts.played.get(number).cloned().unwrap_or_default();
        let next = facts.played.iter().skip(number + 1);
        let next_ns = next.filter_map(|next| next.at_ns).min();
        let course = played
            .at_ns
            .map(|at_ns| course(&facts.successes, (at_ns, &played, next_ns), before));
        before = course.or(before);
        let after = result
            .drill
            .as_ref()
            .and_then(|drill| drill.after.get(number));
        records.push(record(
            plan,
            action,
            (&played, course),
            (result, after.map_or(&[], Vec::as_slice)),
        ));
    }
    Some(DrillRecord {
        actions: records,
        acknowledged: facts.acknowledged.clone(),
    })
}

/// What of the actions the reader must know: those that were not done, since then the numbers are of
/// a load without them, those that may have been done in part, and those that were not undone.
pub(super) fn warnings(record: &DrillRecord, plans: &[ActionPlan]) -> Vec<Warning> {
    let of = |(action, plan): (&ActionRecord, &ActionPlan)| {
        let message = action.message.as_deref().unwrap_or("no reason is known");
        let without = "the numbers are of a load without it";
        let what = match action.outcome {
            ActionOutcome::Ok if plan.kind.can_be_undone() && action.undone_s.is_none() => {
                message.to_owned()
            }
            ActionOutcome::Ok => return None,
            // A command line that ended badly has run; one that told no status may not have begun.
            ActionOutcome::Failed if action.exit_code.is_some() => {
                format!("failed, and may have been done in part: {message}")
            }
            ActionOutcome::Failed if matches!(plan.kind, ActionKind::Run(_)) => {
                format!("failed: {message}")
            }
            ActionOutcome::Failed => format!("failed: {message}; {without}"),
            ActionOutcome::TimedOut => "had not been done when the load ended".to_owned(),
            ActionOutcome::NotStarted => {
                format!("was not started, since the load had ended before; {without}")
            }
        };
        Some(Warning {
            kind: WarningKind::Action,
            text: format!("action {} {what}", action.name),
        })
    };
    record.actions.iter().zip(plans).filter_map(of).collect()
}

/// The throughput around one action.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Course {
    /// Successes per second before it.
    baseline: Option<f64>,
    /// The second from which it was back.
    back: Option<usize>,
    /// The first second after that in which nothing of its effect is left: what it held up has been
    /// caught up with.
    settled: Option<usize>,
    /// From the start of the action to when it was back.
    recovery_s: Option<f64>,
}

fn course(
    successes: &[u64],
    (at_ns, played, next_ns): (u64, &Played, Option<u64>),
    before: Option<Course>,
) -> Course {
    let second = |ns: u64| usize::try_from(ns / 1_000_000_000).unwrap_or(usize::MAX);
    let start = second(at_ns).min(successes.len());
    let end = next_ns.map_or(successes.len(), second).min(successes.len());
    // Seconds in which an action before this one had its effect are no baseline.
    let undisturbed = match before {
        None => Some(0),
        Some(before) => before.settled,
    };
    let own = undisturbed.and_then(|from| {
        let from = from.max(start.saturating_sub(BEFORE));
        let seconds = successes.get(from..start)?;
        (seconds.len() >= BEFORE_LEAST).then(|| mean(seconds))
    });
    let baseline = own.or(before.and_then(|before| before.baseline));
    let Some(baseline_rate) = baseline.filter(|rate| *rate > 0.0) else {
        return Course {
            baseline,
            ..Course::default()
        };
    };
    let wanted = RECOVERED * baseline_rate;
    let done = second(played.ended_ns.unwrap_or(at_ns));
    let falls_until = done.saturating_add(1 + FALLS_WITHIN).min(end);
    let fell = (start..falls_until).find(|at| (successes[*at] as f64) < wanted);
    let back = match fell {
        None => (start < end).then_some(start),
        Some(fell) => (fell + 1..end).find(|at| {
            let held = successes.get(*at..*at + HELD).filter(|_| *at + HELD <= end);
            successes[*at] as f64 >= wanted && held.is_some_and(|held| mean(held) >= wanted)
        }),
    };
    let settled = back.map(|back| {
        let low = fell.map_or(&[][..], |fell| &successes[fell..back]);
        let missing = low.iter().map(|of| baseline_rate - *of as f64).sum();
        settled(&successes[..end], back, (baseline_rate, missing))
    });
    let recovery_s = back.map(|back| (back as f64 - seconds(at_ns)).max(0.0));
    Course {
        baseline,
        back,
        settled,
        recovery_s,
    }
}

/// The second from which what was held up has been caught up with. What open load could not send is
/// sent in a burst when the deployment is back; that is not its usual throughput. The burst is over
/// when as much as was `missing` has come on top, or when there is none for some seconds.
fn settled(successes: &[u64], back: usize, (rate, mut missing): (f64, f64)) -> usize {
    let mut settled = back;
    for (at, of) in successes.iter().enumerate().skip(back) {
        if missing <= 0.0 || at >= settled + HELD {
            break;
        }
        let more = *of as f64 - rate;
        if *of as f64 > rate / RECOVERED {
            missing -= more;
            settled = at + 1;
        }
    }
    settled
}

/// When the throughput was back, and not before an operation that was sent after the action had
/// succeeded: seconds are coarser than that. A throughput that never fell is back at once.
fn recovery_s(course: &Course, played: &Played, first_success_s: Option<f64>) -> Option<f64> {
    let back_s = course.recovery_s?;
    match first_success_s {
        _ if back_s <= 0.0 => Some(back_s),
        Some(first_s) => Some(back_s.max(first_s)),
        // Of what was not done there is no first success.
        None => played.ended_ns.is_none().then_some(back_s),
    }
}

fn record(
    plan: &Plan,
    action: &ActionPlan,
    (played, course): (&Played, Option<Course>),
    (result, after): (&TrialResult, &[AfterAction]),
) -> ActionRecord {
    let at_ns = played.at_ns.unwrap_or(0);
    let since = |ns: u64| seconds(ns.saturating_sub(at_ns));
    let mut operations: BTreeMap<String, ActionOperationRecord> = BTreeMap::new();
    let mut errors_by_code = BTreeMap::new();
    for (slot, after) in result.slots.iter().zip(after) {
        let name = slot.key.name(plan).to_owned();
        let of = operations.entry(name).or_default();
        let first = after.first_success_ns.map(since);
        of.time_to_first_success_s = [of.time_to_first_success_s, first]
            .into_iter()
            .flatten()
            .reduce(f64::min);
        for (class, count) in &after.errors {
            of.errors += count;
            *of.errors_by_code.entry(class.to_string()).or_default() += count;
            *errors_by_code.entry(class.to_string()).or_default() += count;
        }
        of.timeouts += after.timeouts;
    }
    let course = course.unwrap_or_default();
    let firsts = operations.values();
    let first_success_s = firsts
        .filter_map(|of| of.time_to_first_success_s)
        .reduce(f64::min);
    ActionRecord {
        name: action.name.clone(),
        kind: action.kind.name().to_owned(),
        what: action.kind.text(),
        planned_at_s: seconds(action.at_ns),
        at_s: played.at_ns.map(seconds),
        ended_s: played.ended_ns.map(seconds),
        undone_s: played.undone_ns.map(seconds),
        outcome: played.outcome,
        message: played.message.clone(),
        exit_code: played.exit_code,
        throughput_before_ops_per_s: course.baseline,
        time_to_first_success_s: first_success_s,
        recovery_90_s: recovery_s(&course, played, first_success_s),
        errors: operations.values().map(|of| of.errors).sum(),
        errors_by_code,
        timeouts: operations.values().map(|of| of.timeouts).sum(),
        operations,
    }
}

fn mean(seconds: &[u64]) -> f64 {
    seconds.iter().sum::<u64>() as f64 / seconds.len() as f64
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn done(at_ns: u64, ended_ns: u64) -> Played {
        Played {
            at_ns: Some(at_ns),
            ended_ns: Some(ended_ns),
            outcome: ActionOutcome::Ok,
            ..Played::default()
        }
    }

    fn of(successes: &[u64], at_ns: u64, next_ns: Option<u64>) -> Course {
        course(
            successes,
            (at_ns, &done(at_ns, at_ns + S / 100), next_ns),
            None,
        )
    }

    #[test]
    fn recovery_counts_from_the_action_to_the_first_second_that_is_back_and_stays() {
        //                 0    1    2    3    4  5   6    7   8    9    10
        let successes = [100, 100, 100, 100, 50, 0, 95, 20, 90, 95, 100, 100];
        let course = of(&successes, 4 * S + S / 2, None);
        assert_eq!(course.baseline, Some(100.0));
        assert_eq!((course.back, course.recovery_s), (Some(8), Some(3.5)));
    }

    #[test]
    fn a_throughput_that_did_not_fall_has_a_recovery_of_0() {
        let course = of(&[100, 100, 100, 100, 91, 100, 100], 4 * S + 1, None);
        assert_eq!(course.recovery_s, Some(0.0));
        // It falls a little later, and much later, which is another matter.
        let late = |at: usize| {
            let mut successes = [100; 20];
            successes[at] = 10;
            of(&successes, 4 * S + 1, None).back
        };
        assert_eq!((late(6), late(12)), (Some(7), Some(4)));
    }

    #[test]
    fn what_does_not_exist_is_null() {
        let never_back = of(&[100, 100, 100, 0, 0, 0, 0, 0, 0, 0, 0], 3 * S, None);
        assert_eq!(never_back.recovery_s, None);
        let next_came_first = [100, 100, 100, 0, 0, 100, 100, 100, 100];
        assert_eq!(of(&next_came_first, 3 * S, Some(7 * S)).recovery_s, None);
        assert_eq!(of(&next_came_first, 3 * S, None).recovery_s, Some(2.0));
        let too_early = of(&[100, 100, 100, 100, 100], 2 * S, None);
        assert_eq!(too_early, Course::default());
        let nothing = of(&[0, 0, 0, 0, 0], 3 * S, None);
        assert_eq!((nothing.baseline, nothing.recovery_s), (Some(0.0), None));
    }

    #[test]
    fn seconds_that_an_earlier_action_disturbed_are_no_baseline() {
        let successes = [
            100, 100, 100, 100, 0, 0, 200, 200, 200, 200, 200, 0, 200, 200, 200,
        ];
        let first = of(&successes, 4 * S, Some(11 * S));
        // Two seconds later all that was missing has been made up for: 200/s is what it does now.
        assert_eq!((first.back, first.settled), (Some(6), Some(8)));
        let second = |before| course(&successes, (11 * S, &done(11 * S, 11 * S), None), before);
        assert_eq!(second(Some(first)).baseline, Some(200.0));
        let not_back = Course {
            back: None,
            settled: None,
            ..first
        };
        assert_eq!(second(Some(not_back)).baseline, Some(100.0));
    }

    #[test]
    fn a_burst_that_catches_up_with_what_an_action_held_up_is_no_baseline_of_the_next() {
        // A lock from second 4 to 6 at 50/s, then one from second 9 on.
        let of_lock = |after: [u64; 3]| {
            let mut successes = vec![50, 50, 50, 50, 0, 0];
            successes.extend(after);
            successes.extend([0, 50, 50, 50, 50]);
            let first = of(&successes, 4 * S, Some(9 * S));
            let second = (9 * S, &done(9 * S, 9 * S), None);
            (first.settled, course(&successes, second, Some(first)))
        };
        let (settled, second) = of_lock([150, 50, 50]);
        assert_eq!(settled, Some(7));
        assert_eq!((second.baseline, second.back), (Some(50.0), Some(10)));
        // It was back at the end of a second, and the burst is in the next; or takes long.
        let late = of_lock([48, 150, 50]);
        assert_eq!((late.0, late.1.baseline), (Some(8), Some(50.0)));
        let slow = of_lock([70, 70, 70]);
        assert_eq!((slow.0, slow.1.baseline), (Some(9), Some(50.0)));
        // What is left by chance some seconds later is no burst of the action.
        let successes = [50, 50, 50, 50, 0, 0, 130, 50, 50, 50, 60, 50];
        assert_eq!(of(&successes, 4 * S, None).settled, Some(7));
    }

    #[test]
    fn recovery_is_not_stated_before_the_first_success() {
        let successes = [100, 100, 100, 0, 0, 90, 100, 100, 100];
        let course = of(&successes, 3 * S, None);
        let after = |first_s| recovery_s(&course, &done(3 * S, 3 * S), first_s);
        assert_eq!(course.recovery_s, Some(2.0));
        assert_eq!((after(Some(2.5)), after(Some(0.1))), (Some(2.5), Some(2.0)));
        // Nothing that was sent after it succeeded, so that nothing was back.
        assert_eq!(after(None), None);
        assert_eq!(recovery_s(&course, &Played::default(), None), Some(2.0));
        let steady = of(&[100; 9], 3 * S, None);
        let after = recovery_s(&steady, &done(3 * S, 3 * S), Some(0.1));
        assert_eq!(after, Some(0.0));
    }

    #[test]
    fn a_command_line_that_ended_with_an_error_may_have_been_done_in_part() {
        use docstone_model::plan::HookText;
        let hook = ActionPlan {
            name: "hook".to_owned(),
            at_ns: S,
            kind: ActionKind::Run(HookText::new("half && false", "half && false")),
            lasts_ns: None,
        };
        let text = |exit_code: Option<i32>, message: &str| {
            let facts = DrillFacts {
                played: vec![Played {
                    outcome: ActionOutcome::Failed,
                    message: Some(message.to_owned()),
                    exit_code,
                    ..done(S, S)
                }],
                ..DrillFacts::default()
            };
            let plan = crate::fixture::plan(Vec::new());
            let result = crate::fixture::result(Vec::new());
            let hooks = std::slice::from_ref(&hook);
            let record = drill_record(&plan, hooks, &facts, &result).expect("an action");
            warnings(&record, hooks)[0].text.clone()
        };
        assert_eq!(
            text(Some(3), "exit status 3; it said: no"),
            "action hook failed, and may have been done in part: exit status 3; it said: no"
        );
        assert_eq!(
            text(None, "no exit status"),
            "action hook failed: no exit status"
        );
    }

    #[test]
    fn an_action_that_was_not_done_or_not_undone_is_a_warning() {
        use docstone_model::plan::{MemberChoice, MemberSignal};
        let action = |name: &str| ActionPlan {
            name: name.to_owned(),
            at_ns: S,
            kind: ActionKind::Signal {
                signal: MemberSignal::Stop,
                member: MemberChoice::Primary,
            },
            lasts_ns: None,
        };
        let names = ["done", "stays", "refused", "slow", "late"];
        let plans = names.map(action);
        let undone = Played {
            undone_ns: Some(3 * S),
            ..done(S, S)
        };
        let with = |outcome, message: &str| Played {
            outcome,
            message: Some(message.to_owned()),
            ..done(S, S)
        };
        let facts = DrillFacts {
            played: vec![
                undone,
                with(ActionOutcome::Ok, "could not be undone: no answer"),
                with(ActionOutcome::Failed, "Unauthorized (13)"),
                with(ActionOutcome::TimedOut, "it had not been done"),
                Played::default(),
            ],
            ..DrillFacts::default()
        };
        let plan = crate::fixture::plan(Vec::new());
        let result = crate::fixture::result(Vec::new());
        let record = drill_record(&plan, &plans, &facts, &result).expect("actions");
        let warnings = warnings(&record, &plans);
        let texts: Vec<_> = warnings.iter().map(|of| of.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "action stays could not be undone: no answer",
                "action refused failed: Unauthorized (13); the numbers are of a load without it",
                "action slow had not been done when the load ended",
                "action late was not started, since the load had ended before; the numbers are of \
                 a load without it",
            ]
        );
        assert!(warnings.iter().all(|of| of.kind == WarningKind::Action));
    }
}
