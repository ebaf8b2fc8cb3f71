//! Whether a trial's numbers may be used.
//!
//! Knows the cases in which there are none. Whether the client or the schedule was the limit
//! needs measurements that closed load does not give.

use std::fmt::Write;

use docstone_engine::SlotData;
use docstone_model::record::{Status, Validity, Verdict};

use super::operation::merge;

/// The verdict on a trial with these totals that ended so.
pub(crate) fn validity(slots: &[SlotData], status: Status) -> Validity {
    let all = merge(slots.iter());
    let ended = all.as_ref().map_or(0, |all| all.counters.ended());
    let Some(all) = all.filter(|_| ended > 0) else {
        return Validity {
            verdict: Verdict::NoSamples,
            reasons: vec!["no operation ended".to_owned()],
        };
    };
    if all.counters.errors < ended && status == Status::Failed {
        return Validity {
            verdict: Verdict::Failed,
            reasons: vec!["the run failed before the end of the trial".to_owned()],
        };
    }
    if all.counters.errors < ended {
        return Validity {
            verdict: Verdict::Valid,
            reasons: Vec::new(),
        };
    }
    let mut reason = format!("all {ended} operations that ended failed");
    let classes = all.counters.errors_by_class.iter();
    if let Some((class, count)) = classes.max_by_key(|(_, count)| **count) {
        let _ = write!(reason, "; {count} with {class}");
        if let Some(message) = all.error_messages.get(&class.to_string()) {
            let _ = write!(reason, ": {message}");
        }
    }
    Validity {
        verdict: Verdict::Failed,
        reasons: vec![reason],
    }
}
