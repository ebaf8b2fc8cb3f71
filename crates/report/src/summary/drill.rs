//! What the actions of a trial did, and what became of acknowledged inserts.

use std::fmt::Write as _;

use docstone_model::record::{
    AcknowledgedRecord, ActionOutcome, ActionRecord, DrillRecord, TrialRecord,
};

use crate::line::plural;
use crate::paint::{Paint, printable, shortened};
use crate::units;

/// Characters of a message that are printed.
const MAX_MESSAGE: usize = 160;

/// The block of a trial's actions; nothing for a trial without any.
pub(super) fn lines(trial: &TrialRecord, paint: Paint) -> Vec<String> {
    let Some(DrillRecord {
        actions,
        acknowledged,
    }) = &trial.drill
    else {
        return Vec::new();
    };
    let mut lines = vec!["drills:".to_owned()];
    for action in actions {
        lines.extend(action_lines(action, paint));
    }
    lines.extend(acknowledged.iter().map(|of| acknowledged_line(of, paint)));
    lines
}

fn action_lines(action: &ActionRecord, paint: Paint) -> Vec<String> {
    let name = printable(&action.name);
    let what = shortened(&action.what, MAX_MESSAGE);
    let at_s = action.at_s.unwrap_or(action.planned_at_s);
    let mut first = format!("  {name} at {}: {what}", units::seconds(at_s));
    if let Some(undone_s) = action.undone_s {
        let _ = write!(first, ", undone at {}", units::seconds(undone_s));
    }
    let message = action.message.as_deref().unwrap_or("no reason is known");
    let message = shortened(message, MAX_MESSAGE);
    match action.outcome {
        ActionOutcome::Ok => {}
        ActionOutcome::Failed => {
            first = paint.red(&format!("{first}; failed: {message}"));
        }
        ActionOutcome::TimedOut => {
            first = paint.red(&format!("{first}; not done when the load ended"));
        }
        ActionOutcome::NotStarted => {
            return vec![format!("{first}; not started: the load had ended before")];
        }
    }
    let time = |seconds: Option<f64>, none: &str| {
        seconds.map_or_else(|| none.to_owned(), |s| units::latency(s * 1e9))
    };
    let recovery = match (action.throughput_before_ops_per_s, action.recovery_90_s) {
        (None, _) => "no throughput before it to compare with".to_owned(),
        (Some(before), Some(0.0)) => {
            format!(
                "throughput did not fall below 90 % of {}/s",
                units::rate(before)
            )
        }
        (Some(before), back) => format!(
            "back to 90 % of {}/s: {}",
            units::rate(before),
            time(back, "not before the next action or the end")
        ),
    };
    let mut second = format!(
        "    first success: {}; {recovery}; {}",
        time(action.time_to_first_success_s, "none"),
        plural(action.errors, "error"),
    );
    if !action.errors_by_code.is_empty() {
        let codes = action.errors_by_code.iter();
        let codes: Vec<String> = codes
            .map(|(code, count)| format!("{} {}", units::count(*count), printable(code)))
            .collect();
        let _ = write!(second, " ({})", codes.join(", "));
    }
    vec![first, second]
}

fn acknowledged_line(of: &AcknowledgedRecord, paint: Paint) -> String {
    let name = printable(&of.operation);
    let concern = match &of.write_concern {
        Some(concern) => format!(" (write concern {})", printable(concern)),
        None => String::new(),
    };
    let inserts = plural(of.acknowledged.unwrap_or(0), "acknowledged insert");
    let reason = of.reason.as_deref().map(printable);
    match (of.missing, reason) {
        (None, reason) => format!(
            "  {name}: {inserts}{concern}, not looked up: {}",
            reason.unwrap_or_else(|| "there were none".to_owned())
        ),
        (Some(0), None) => format!("  {name}: {inserts}{concern}, all found afterwards"),
        (Some(missing), reason) => {
            let mut text = format!(
                "  {name}: {inserts}{concern}, {} missing afterwards",
                units::count(missing)
            );
            if let Some(id) = of.missing_ids.first() {
                let _ = write!(text, ", the first is _id {}", printable(id));
            }
            if let Some(reason) = reason {
                let looked_up = units::count(of.looked_up);
                let _ = write!(text, "; only {looked_up} were looked up: {reason}");
            }
            if missing > 0 { paint.red(&text) } else { text }
        }
    }
}
