//! How far the numbers of one trial can be trusted: warnings about it, and how precise they are
//! within it.

use docstone_model::plan::ITERATIONS;
use docstone_model::record::{
    GroupRecord, MeanPrecision, OperationPrecision, PrecisionRecord, TimeKind, TrialRecord,
};

use crate::paint::printable;
use crate::units;

/// Operations whose precision is printed; that of the others stands in the record.
const MAX_OPERATIONS: usize = 6;

/// The lines of one trial.
pub(super) fn lines(trial: &TrialRecord) -> Vec<String> {
    let warnings = trial.validity.warnings.iter();
    let warnings = warnings.map(|warning| format!("warning: {}", printable(&warning.text)));
    let steps = |group: &GroupRecord| group.iterations.is_some();
    let unit = match (
        trial.groups.values().any(steps),
        trial.groups.values().all(steps),
    ) {
        (true, true) => "iterations/s",
        (true, false) => "ops/s and iterations/s",
        (false, _) => "ops/s",
    };
    warnings
        .chain(trial.precision.iter().flat_map(|of| precision(of, unit)))
        .collect()
}

/// The line for the throughput, and one for each operation; that of whole iterations first.
fn precision(record: &PrecisionRecord, unit: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(throughput) = &record.throughput_ops_per_s {
        lines.push(format!(
            "  throughput {} {unit}",
            mean(throughput, &units::rate)
        ));
    }
    let whole = |of: &(&String, &OperationPrecision)| *of.0 == ITERATIONS;
    let (first, others): (Vec<_>, Vec<_>) = record.operations.iter().partition(whole);
    let operations = first.into_iter().chain(others);
    let operations = operations.filter_map(|(name, of)| operation(name, of));
    lines.extend(operations.take(MAX_OPERATIONS));
    if !lines.is_empty() {
        let head = "95 % intervals within this run; runs differ by more, so they are no basis for a \
                    comparison:";
        lines.insert(0, head.to_owned());
    }
    lines
}

fn operation(name: &str, of: &OperationPrecision) -> Option<String> {
    let quantiles = [("p50", of.p50_ns), ("p99", of.p99_ns)];
    let quantiles = quantiles.iter().filter_map(|(name, precision)| {
        let precision = precision.as_ref()?;
        Some(format!(
            "{name} [{}, {}]",
            units::latency(precision.low as f64),
            units::latency(precision.high as f64)
        ))
    });
    let of_mean = of.mean_ns.as_ref();
    let of_mean = of_mean.map(|of| format!("mean {}", mean(of, &units::latency)));
    let parts: Vec<String> = of_mean.into_iter().chain(quantiles).collect();
    let time = match of.time {
        TimeKind::Service => "service",
        TimeKind::Response => "response",
    };
    (!parts.is_empty()).then(|| format!("  {} {time} time: {}", printable(name), parts.join(", ")))
}

fn mean(precision: &MeanPrecision, text: &dyn Fn(f64) -> String) -> String {
    format!(
        "{} [{}, {}]",
        text(precision.mean),
        text(precision.low.max(0.0)),
        text(precision.high)
    )
}
