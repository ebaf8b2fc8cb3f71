//! Pure statistics: latency histograms and their summaries. Knows nothing of plans or records.

mod latencies;

pub use latencies::{LATENCY_MAX_NS, Latencies, MIN_SAMPLES_BEYOND, quantile_is_supported};
