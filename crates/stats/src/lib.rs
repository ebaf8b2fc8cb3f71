//! Pure statistics: latency histograms, rates, and what a series of one-second samples says about
//! its own run. Knows nothing of plans or records.

mod autocorrelation;
mod deviations;
mod drift;
pub mod ewma;
mod exponential_fit;
mod latencies;
mod mean_interval;
mod quantile_interval;
#[cfg(test)]
mod simulated;
mod theil_sen;
mod warmup;

pub use autocorrelation::{effective_samples, lag1_autocorrelation};
pub use drift::{Drift, drift};
pub use ewma::RateMeter;
pub use exponential_fit::{ExponentialFit, exponential_fit};
pub use latencies::{LATENCY_MAX_NS, Latencies, MIN_SAMPLES_BEYOND, quantile_is_supported};
pub use mean_interval::{MeanInterval, mean_interval};
pub use quantile_interval::{
    QuantileInterval, SecondAgainstQuantile, design_effect, quantile_interval,
    quantile_interval_min_count,
};
pub use theil_sen::theil_sen_slope;
pub use warmup::{Warmup, warmup};
