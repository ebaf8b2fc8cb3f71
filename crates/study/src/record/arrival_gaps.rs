//! Whether arrivals were spread as Poisson arrivals are. A flag beside the numbers: it decides nothing.

use std::collections::BTreeMap;

use docstone_engine::TrialResult;
use docstone_model::plan::{LoadModel, Pacing};
use docstone_model::record::{ArrivalGapsRecord, GroupRecord, Warning, WarningKind};
use docstone_model::{Plan, StepPlan};
use docstone_stats::{ExponentialFit, exponential_fit};

/// The timer hands arrivals on no more often: shorter gaps are as long as this.
const GRAIN_NS: u64 = 50_000;

/// Where the mean gap is shorter than so many grains, the test would see the grain alone.
const GRAINS_MIN: f64 = 20.0;

/// What the gaps of a group say; `None` where they are not to be exponential, cannot be judged or
/// are too few.
pub(super) fn arrival_gaps(
    (plan, step): (&Plan, &StepPlan),
    result: &TrialResult,
    group: usize,
) -> Option<ArrivalGapsRecord> {
    let load = step.loads.iter().find(|load| load.group == group)?;
    let LoadModel::Open(open) = &load.model else {
        return None;
    };
    let rate_per_s = open.schedule.poisson_rate_per_s()?;
    let grain_ns = match plan.pacing {
        Pacing::Timer => GRAIN_NS,
        Pacing::Spin => 0,
    };
    if 1e9 / rate_per_s < GRAINS_MIN * grain_ns as f64 {
        return None;
    }
    let (_, gaps_ns) = result.arrival_gaps_ns.iter().find(|of| of.0 == group)?;
    let gaps_ns: Vec<u64> = gaps_ns.iter().map(|&gap_ns| gap_ns.max(grain_ns)).collect();
    let fit = exponential_fit(&gaps_ns)?;
    Some(ArrivalGapsRecord {
        gaps: fit.gaps as u64,
        mean_ns: fit.mean_ns,
        anderson_darling: fit.statistic,
        limit: ExponentialFit::CRITICAL,
    })
}

/// A line for each group whose arrivals were spread otherwise.
pub(super) fn warnings(groups: &BTreeMap<String, GroupRecord>) -> impl Iterator<Item = Warning> {
    let several = groups.len() > 1;
    groups.iter().filter_map(move |(name, group)| {
        let of = group.arrival_gaps?;
        let whose = if several {
            format!(" of group {name}")
        } else {
            String::new()
        };
        (of.anderson_darling > of.limit).then(|| Warning {
            kind: WarningKind::ArrivalGaps,
            text: format!(
                "the first arrivals{whose} were not spread as Poisson arrivals are: the \
                 Anderson-Darling statistic of {} gaps is {:.1}, above {:.1}; some were noticed late, \
                 and then together",
                of.gaps, of.anderson_darling, of.limit
            ),
        })
    })
}

#[cfg(test)]
mod tests;
