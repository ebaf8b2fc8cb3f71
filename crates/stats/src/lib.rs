//! Pure statistics: latency histograms, rates, and what a series of one-second samples says about
//! its own run. Knows nothing of plans or records.

mod autocorrelation;
mod deviations;
mod drift;
pub mod ewma;
mod latencies;
mod mean_interval;
#[cfg(test)]
mod simulated;

pub use autocorrelation::{effective_samples, lag1_autocorrelation};
pub use drift::{Drift, drift};
pub use ewma::RateMeter;
pub use latencies::{LATENCY_MAX_NS, Latencies, MIN_SAMPLES_BEYOND, quantile_is_supported};
pub use mean_interval::{MeanInterval, mean_interval};
