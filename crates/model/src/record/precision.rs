//! How precise the numbers of a trial are within it. Runs differ by more than that, so nothing here
//! is a ground to compare two of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// 95 % confidence intervals of what a trial measured, over its window. They hold within this run
/// and are no basis for a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrecisionRecord {
    /// Length of the pieces of the window that were compared, in seconds.
    pub piece_s: f64,
    /// Successes per second, over all operations, of steps over whole iterations; null where the load changes by plan, and where
    /// there are too few pieces.
    pub throughput_ops_per_s: Option<MeanPrecision>,
    /// By the name of an operation or a step, merged over groups; and `iterations`.
    pub operations: BTreeMap<String, OperationPrecision>,
}

/// The precision of the latencies of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationPrecision {
    /// Of which times: response times in open load, service times in closed load.
    pub time: TimeKind,
    /// The arithmetic mean.
    pub mean_ns: Option<MeanPrecision>,
    /// The median.
    pub p50_ns: Option<QuantilePrecision>,
    /// The 99th percentile.
    pub p99_ns: Option<QuantilePrecision>,
}

/// Which times of an operation are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeKind {
    /// From sending to the answer.
    Service,
    /// From the intended start to the answer.
    Response,
}

/// A mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeanPrecision {
    /// The mean over the pieces.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// How many independent pieces they are worth: neighbours are alike.
    pub effective_pieces: f64,
}

/// The 95 % confidence interval of a quantile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuantilePrecision {
    /// The lower bound.
    pub low: u64,
    /// The upper bound.
    pub high: u64,
    /// How many times the variance is that of independent operations, since those of one piece are
    /// alike; 1 if they are not.
    pub design_effect: f64,
}
