//! The summary as JSON, for `--json`.

use docstone_model::record::{RunRecord, TrialRecord};
use serde_json::Value;

/// The record of the run, with each trial's `operations` (counts and latencies by operation,
/// merged over groups) added to its entry in `trials`.
pub fn summary_json(record: &RunRecord, trials: &[TrialRecord]) -> Value {
    let mut json = serde_json::to_value(record).expect("a record is plain data");
    let entries = json.get_mut("trials").and_then(Value::as_array_mut);
    for (entry, known) in entries.into_iter().flatten().zip(&record.trials) {
        let trial = trials
            .iter()
            .find(|trial| trial.cell == known.cell && trial.n == known.n);
        let operations = trial.map(|trial| &trial.operations);
        entry["operations"] = serde_json::to_value(operations).expect("a record is plain data");
    }
    json
}
