//! Pure statistics: latency histograms, rates. Knows nothing of plans or records.

pub mod ewma;
mod latencies;

pub use ewma::RateMeter;
pub use latencies::{LATENCY_MAX_NS, Latencies, MIN_SAMPLES_BEYOND, quantile_is_supported};
