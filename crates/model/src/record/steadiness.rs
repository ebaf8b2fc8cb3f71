//! Whether a trial was in a steady state: flags beside the numbers. Nothing is cut by them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the seconds of the window say about its beginning and its course.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadinessRecord {
    /// Length of the pieces of the window that were compared, in seconds.
    pub piece_s: f64,
    /// Length of the part of the window that was judged, in seconds: up to the end of the first
    /// group, and without a last second that is not whole.
    pub judged_s: f64,
    /// Successes per second of all operations, of steps whole iterations; null with open load, where the schedule sets them.
    pub throughput_ops_per_s: Option<SeriesSteadiness>,
    /// By the name of an operation or a step, and `iterations`: the medians of the pieces, of response times in open load, of service
    /// times in closed load. An operation is left out of which a piece had no success.
    pub median_ns: BTreeMap<String, SeriesSteadiness>,
    /// Why something was not judged; null if all was.
    pub not_judged: Option<String>,
}

/// What was seen of one series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesSteadiness {
    /// How long the beginning was unlike the rest, in seconds (MSER-5); 0 where all is alike, null
    /// where there was no steady state.
    pub warmup_s: Option<f64>,
    /// True if the best cut is the last that is allowed, at half of the series: it was still
    /// changing.
    pub no_steady_state: bool,
    /// The mean of the beginning less that of the rest, as a share of that of the rest; null where
    /// there is no such beginning.
    pub warmup_change: Option<f64>,
    /// True if that is more than 5 %, and more than chance explains.
    pub is_warmup: bool,
    /// The first half against the second.
    pub drift: Option<DriftRecord>,
}

/// The first half of a series against the second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriftRecord {
    /// The mean of the first half: operations per second, or nanoseconds.
    pub first_mean: f64,
    /// The mean of the second half.
    pub second_mean: f64,
    /// The second less the first, as a share of the mean of the two.
    pub change: f64,
    /// The difference in units of its standard error; null where the halves do not scatter.
    pub z: Option<f64>,
    /// True if the halves differ by more than 2 % with |z| above 3.
    pub is_drift: bool,
}
