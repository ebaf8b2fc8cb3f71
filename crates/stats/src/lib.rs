//! Pure statistics: quantiles and summaries of latency histograms.
