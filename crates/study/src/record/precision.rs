//! How precise the numbers of a trial are within it.
//!
//! Owns which intervals there are. Runs differ by more than the seconds of one do, so none of them
//! is a ground to compare two runs.

use docstone_engine::{SlotData, TrialResult};
use docstone_model::record::{
    MeanPrecision, OperationPrecision, PrecisionRecord, QuantilePrecision, TimeKind,
};
use docstone_model::{Plan, StepPlan};
use docstone_stats::{
    Latencies, design_effect, mean_interval, quantile_interval, quantile_is_supported,
};

use super::operation::{by_name, merge};
use super::steadiness::{changes_by_plan, common_window_ns};
use crate::pieces::{Pieces, times};

/// With fewer pieces nothing is known of how they scatter.
const MIN_PIECES: usize = 10;

/// The precision of a trial whose load was held; `None` where the window is too short.
pub(super) fn precision(
    (plan, step): (&Plan, &StepPlan),
    result: &TrialResult,
    pieces: &Pieces,
) -> Option<PrecisionRecord> {
    let until_ns = common_window_ns(result);
    let throughput = pieces.throughput_ops_per_s(until_ns);
    if throughput.len() < MIN_PIECES {
        return None;
    }
    // What the schedule sets, or changes, has no interval.
    let set = result.has_open_load() || changes_by_plan(step);
    let throughput = Some(throughput).filter(|_| !set);
    let of = |(name, slots): (&str, Vec<&SlotData>)| {
        // Times of open and of closed load together have no meaning.
        let open = slots.iter().all(|slot| slot.key.open);
        if !open && slots.iter().any(|slot| slot.key.open) {
            return None;
        }
        let merged = merge(slots.into_iter())?;
        let precision = OperationPrecision {
            time: if open {
                TimeKind::Response
            } else {
                TimeKind::Service
            },
            mean_ns: mean(&with_rest(pieces.sums(name), times(&merged))),
            p50_ns: quantile(times(&merged), 0.5, (pieces, name)),
            p99_ns: quantile(times(&merged), 0.99, (pieces, name)),
        };
        Some((name.to_owned(), precision))
    };
    let all = by_name(plan, result.slots.iter().chain(&result.iterations));
    Some(PrecisionRecord {
        piece_s: pieces.piece_s(),
        throughput_ops_per_s: throughput.and_then(|rates| interval(&rates)),
        operations: all.into_iter().filter_map(of).collect(),
    })
}

fn interval(samples: &[f64]) -> Option<MeanPrecision> {
    let interval = mean_interval(samples)?;
    Some(MeanPrecision {
        mean: interval.mean,
        low: interval.low,
        high: interval.high,
        effective_pieces: interval.effective_samples,
    })
}

/// The pieces, with what belongs to none of them: what ended in the drain, or in a last part of a
/// second. It goes to the last one, so that the mean is that of the whole trial.
fn with_rest(mut pieces: Vec<(f64, f64)>, all: &Latencies) -> Vec<(f64, f64)> {
    let count = all.count() as f64;
    let sum = all.mean_ns().unwrap_or(0.0) * count;
    let (own_count, own_sum) = pieces
        .iter()
        .fold((0.0, 0.0), |(n, s), (count, sum)| (n + count, s + sum));
    if let Some(last) = pieces.last_mut() {
        last.0 += count - own_count;
        last.1 += sum - own_sum;
    }
    pieces
}

/// The mean over all operations, whose pieces hold different numbers of them: the mean is a ratio
/// `R = sum S_i / sum n_i`, and its interval is that of the mean of `R + (S_i - R n_i) / n`, with
/// `n` the mean of the `n_i` (Cochran, "Sampling techniques", section 6.3).
fn mean(pieces: &[(f64, f64)]) -> Option<MeanPrecision> {
    let count: f64 = pieces.iter().map(|(count, _)| count).sum();
    let sum: f64 = pieces.iter().map(|(_, sum)| sum).sum();
    if count <= 0.0 {
        return None;
    }
    let (ratio, mean_count) = (sum / count, count / pieces.len() as f64);
    let residual = |(count, sum): &(f64, f64)| ratio + (sum - ratio * count) / mean_count;
    let samples: Vec<f64> = pieces.iter().map(residual).collect();
    interval(&samples)
}

fn quantile(
    latencies: &Latencies,
    q: f64,
    (pieces, name): (&Pieces, &str),
) -> Option<QuantilePrecision> {
    let value_ns = latencies.quantile_ns(q)?;
    if !quantile_is_supported(latencies.count(), q) {
        return None;
    }
    let against = pieces.against(name, q, value_ns);
    let interval = quantile_interval(latencies, q, &against)?;
    Some(QuantilePrecision {
        low: interval.low_ns,
        high: interval.high_ns,
        design_effect: design_effect(&against),
    })
}

#[cfg(test)]
mod tests;
