//! Whether a trial was in a steady state: how long its beginning was unlike the rest, and whether
//! its second half was unlike its first. Flags beside the numbers: nothing is cut by them.

use docstone_engine::TrialResult;
use docstone_model::plan::{OpenLoad, Rate, RateStage, SchedulePlan, WorkerStage};
use docstone_model::record::{
    DriftRecord, SeriesSteadiness, SteadinessRecord, Warning, WarningKind,
};
use docstone_model::{LoadModel, Plan, StepPlan};
use docstone_stats::{Warmup, drift, warmup};

use super::operation::by_name;
use crate::pieces::Pieces;

/// A beginning that differs by less from the rest is in the record, and no warning.
const WARN_CHANGE: f64 = 0.05;

/// The same, in standard deviations of the rest over the square root of the pieces.
const WARN_DEVIATIONS: f64 = 3.0;

/// The end of the first group in nanoseconds: later on, less is asked for by plan.
pub(super) fn common_window_ns(result: &TrialResult) -> u64 {
    let windows = result
        .group_windows_ns
        .iter()
        .map(|(_, window_ns)| *window_ns);
    windows.min().unwrap_or(0)
}

/// What the pieces of the window say.
pub(super) fn steadiness(
    (plan, step): (&Plan, &StepPlan),
    result: &TrialResult,
    pieces: &Pieces,
) -> SteadinessRecord {
    let until_ns = common_window_ns(result);
    let rates = pieces.throughput_ops_per_s(until_ns);
    let mut record = SteadinessRecord {
        piece_s: pieces.piece_s(),
        judged_s: rates.len() as f64 * pieces.piece_s(),
        ..SteadinessRecord::default()
    };
    if changes_by_plan(step) {
        record.not_judged = Some("the load changes by plan".to_owned());
        return record;
    }
    if warmup(&rates) == Warmup::TooShort {
        record.not_judged = Some("fewer than 25 whole seconds are too few to judge".to_owned());
        return record;
    }
    if !result.has_open_load() {
        record.throughput_ops_per_s = Some(series(&rates, &rates, pieces.piece_s()));
    }
    let mut left_out = Vec::new();
    for name in by_name(plan, result.slots.iter().chain(&result.iterations)).into_keys() {
        let Some(medians) = pieces.medians_ns(name, until_ns) else {
            left_out.push(name);
            continue;
        };
        let logarithms: Vec<f64> = medians.iter().map(|ns| ns.max(1.0).ln()).collect();
        let of = series(&logarithms, &medians, pieces.piece_s());
        let _ = record.median_ns.insert(name.to_owned(), of);
    }
    if !left_out.is_empty() {
        record.not_judged = Some(format!(
            "seconds without a success of {}",
            left_out.join(", ")
        ));
    }
    record
}

/// True if the step asks for more at one time than at another, or for a rate that is drawn.
pub(super) fn changes_by_plan(step: &StepPlan) -> bool {
    step.loads.iter().any(|load| match &load.model {
        LoadModel::Open(open) => !is_constant(open),
        LoadModel::Closed(closed) => !is_constant_number(&closed.stages),
    })
}

/// No stages are the same number throughout.
fn is_constant_number(stages: &[WorkerStage]) -> bool {
    let mut workers = stages.iter().flat_map(|stage| [stage.from, stage.to]);
    let first = workers.next();
    workers.all(|number| Some(number) == first)
}

fn is_constant(open: &OpenLoad) -> bool {
    let rate = |stage: &RateStage| match stage.rate {
        Rate::Linear {
            from_per_s,
            to_per_s,
        } => Some((from_per_s, to_per_s)),
        Rate::Random { .. } => None,
    };
    match &open.schedule {
        SchedulePlan::Rates { stages, .. } => {
            let mut rates = stages.iter().map(rate);
            let first = rates.next().flatten();
            #[expect(clippy::float_cmp, reason = "both are as they were written")]
            let level = first.is_some_and(|(from, to)| from == to);
            level && rates.all(|rate| rate == first)
        }
        SchedulePlan::Times { .. } => false,
    }
}

/// `scale` is what the beginning is found by, `samples` what its change is told in.
fn series(scale: &[f64], samples: &[f64], piece_s: f64) -> SeriesSteadiness {
    let drift = drift(samples).map(|drift| DriftRecord {
        first_mean: drift.first_mean,
        second_mean: drift.second_mean,
        change: drift.change,
        z: drift.z,
        is_drift: drift.is_drift(),
    });
    match warmup(scale) {
        Warmup::EndsAfter { samples: ends } => SeriesSteadiness {
            warmup_s: Some(ends as f64 * piece_s),
            no_steady_state: false,
            warmup_change: change(samples, ends),
            is_warmup: is_notable(samples, ends),
            drift,
        },
        Warmup::NoSteadyState | Warmup::TooShort => SeriesSteadiness {
            warmup_s: None,
            no_steady_state: true,
            warmup_change: None,
            is_warmup: false,
            drift,
        },
    }
}

/// The mean of the first samples less that of the rest, as a share of that of the rest.
fn change(samples: &[f64], first: usize) -> Option<f64> {
    let (beginning, rest) = samples.split_at_checked(first)?;
    let rest_mean = mean(rest).filter(|mean| *mean > 0.0)?;
    Some((mean(beginning)? - rest_mean) / rest_mean)
}

/// True if the beginning differs by more than the scatter of the rest explains.
fn is_notable(samples: &[f64], first: usize) -> bool {
    let (Some(change), Some((beginning, rest))) =
        (change(samples, first), samples.split_at_checked(first))
    else {
        return false;
    };
    let rest_mean = mean(rest).unwrap_or(0.0);
    let squares: Vec<f64> = rest.iter().map(|x| (x - rest_mean).powi(2)).collect();
    let deviation = mean(&squares).unwrap_or(0.0).sqrt();
    let by_chance = WARN_DEVIATIONS * deviation / (beginning.len().max(1) as f64).sqrt();
    change.abs() > WARN_CHANGE && change.abs() * rest_mean > by_chance
}

fn mean(samples: &[f64]) -> Option<f64> {
    (!samples.is_empty()).then(|| samples.iter().sum::<f64>() / samples.len() as f64)
}

/// What the reader must know of it: of each kind what stands out the most, not all.
pub(super) fn warnings(record: &SteadinessRecord) -> Vec<Warning> {
    let throughput = record.throughput_ops_per_s.as_ref();
    let throughput = throughput.map(|of| ("throughput".to_owned(), of));
    let medians = record.median_ns.iter();
    let medians = medians.map(|(name, of)| (format!("the median latency of {name}"), of));
    let all: Vec<(String, &SeriesSteadiness)> = throughput.into_iter().chain(medians).collect();
    beginning(&all).into_iter().chain(course(&all)).collect()
}

fn beginning(all: &[(String, &SeriesSteadiness)]) -> Option<Warning> {
    let stands_out = all.iter().filter(|(_, of)| of.is_warmup);
    let size = |of: &SeriesSteadiness| of.warmup_change.unwrap_or(0.0).abs();
    let (name, of) = stands_out.max_by(|a, b| size(a.1).total_cmp(&size(b.1)))?;
    let (ends_s, change) = (of.warmup_s?, of.warmup_change?);
    let text = format!(
        "the first {ends_s:.0} s were not like the rest: {name} was {:.0} % {} there; a warm-up \
         step of {:.0} s before this one would keep them out",
        change.abs() * 100.0,
        if change > 0.0 { "higher" } else { "lower" },
        // Warm-ups are found in steps of five pieces.
        (ends_s * 1.25).ceil().max(5.0)
    );
    Some(Warning {
        kind: WarningKind::Warmup,
        text,
    })
}

fn course(all: &[(String, &SeriesSteadiness)]) -> Option<Warning> {
    let drifts = all.iter().filter_map(|(name, of)| Some((name, of.drift?)));
    let drifts = drifts.filter(|(_, drift)| drift.is_drift);
    let (name, drift) = drifts.max_by(|a, b| a.1.change.abs().total_cmp(&b.1.change.abs()))?;
    let text = format!(
        "no steady state: in the second half of the window {name} was {:.0} % {} than in the first, \
         so that the numbers depend on the length of the run",
        drift.change.abs() * 100.0,
        if drift.change > 0.0 {
            "higher"
        } else {
            "lower"
        }
    );
    Some(Warning {
        kind: WarningKind::Drift,
        text,
    })
}

#[cfg(test)]
mod tests;
