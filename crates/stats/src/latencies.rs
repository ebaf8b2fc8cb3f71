//! Histograms of latencies in nanoseconds.
//!
//! Owns range and precision: 1 ns to 600 s with 3 significant digits. Values above are recorded
//! as 600 s and counted; minimum and maximum are kept exactly beside the histogram, whose buckets
//! would round them by up to 0.1 %.

use std::borrow::Cow;

use hdrhistogram::{Counter, Histogram};

/// The largest latency that is recorded as such, in nanoseconds.
pub const LATENCY_MAX_NS: u64 = 600_000_000_000;

/// A percentile is shown only if at least so many samples lie beyond it.
pub const MIN_SAMPLES_BEYOND: f64 = 10.0;

const SIGNIFICANT_DIGITS: u8 = 3;

/// True if `count` samples are enough to show quantile `q`: n(1-q) >= 10.
pub fn quantile_is_supported(count: u64, q: f64) -> bool {
    // A relative slack keeps 10,000 samples enough for q = 0.999, where 1 - q is not exact.
    count as f64 * (1.0 - q) >= MIN_SAMPLES_BEYOND * (1.0 - 1e-9)
}

/// A histogram of latencies with exact extremes. `C` is the width of its counters: `u32` halves
/// the memory of a recorder that is emptied each second.
#[derive(Clone, Debug)]
pub struct Latencies<C: Counter = u64> {
    /// None until the first value: most operations never fail, and most runs never wait.
    histogram: Option<Histogram<C>>,
    min_ns: u64,
    max_ns: u64,
    saturated: u64,
}

impl<C: Counter> Default for Latencies<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Counter> Latencies<C> {
    /// An empty histogram. It takes memory from its first value on.
    pub fn new() -> Self {
        Self {
            histogram: None,
            min_ns: u64::MAX,
            max_ns: 0,
            saturated: 0,
        }
    }

    /// Records one latency. 0 counts as 1 ns; what is above 600 s as 600 s, and is counted.
    pub fn record(&mut self, latency_ns: u64) {
        let clamped = latency_ns.clamp(1, LATENCY_MAX_NS);
        self.saturated += u64::from(latency_ns > LATENCY_MAX_NS);
        self.histogram
            .get_or_insert_with(buckets)
            .saturating_record(clamped);
        self.min_ns = self.min_ns.min(clamped);
        self.max_ns = self.max_ns.max(clamped);
    }

    /// Empties the histogram and keeps its memory.
    pub fn reset(&mut self) {
        if let Some(histogram) = self
            .histogram
            .as_mut()
            .filter(|histogram| !histogram.is_empty())
        {
            histogram.reset();
        }
        self.min_ns = u64::MAX;
        self.max_ns = 0;
        self.saturated = 0;
    }

    /// Recorded latencies.
    pub fn count(&self) -> u64 {
        self.histogram.as_ref().map_or(0, Histogram::len)
    }

    /// True if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The smallest latency, exact; `None` if nothing was recorded.
    pub fn min_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.min_ns)
    }

    /// The largest latency, exact up to 600 s; `None` if nothing was recorded.
    pub fn max_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.max_ns)
    }

    /// The arithmetic mean, to 3 digits and never outside the exact extremes; `None` if nothing
    /// was recorded.
    pub fn mean_ns(&self) -> Option<f64> {
        let mean = self.recorded()?.mean();
        Some(mean.clamp(self.min_ns as f64, self.max_ns as f64))
    }

    /// The population standard deviation; `None` if nothing was recorded.
    pub fn stddev_ns(&self) -> Option<f64> {
        self.recorded().map(Histogram::stdev)
    }

    /// The latency at quantile `q` (0 to 1): the value at or below which a share of `q` lies,
    /// never outside the exact extremes; `None` if nothing was recorded.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        let value = self.recorded()?.value_at_quantile(q);
        Some(value.clamp(self.min_ns, self.max_ns))
    }

    /// How many latencies are above `latency_ns`: those in buckets beyond its own.
    pub fn count_above(&self, latency_ns: u64) -> u64 {
        self.recorded().map_or(0, |histogram| {
            histogram.len() - histogram.count_between(0, latency_ns.min(LATENCY_MAX_NS))
        })
    }

    /// Latencies above 600 s that were recorded as 600 s.
    pub fn saturated(&self) -> u64 {
        self.saturated
    }

    /// The histogram itself, for logs of histograms.
    pub fn histogram(&self) -> Cow<'_, Histogram<C>> {
        self.histogram
            .as_ref()
            .map_or_else(|| Cow::Owned(buckets()), Cow::Borrowed)
    }

    fn recorded(&self) -> Option<&Histogram<C>> {
        self.histogram
            .as_ref()
            .filter(|histogram| !histogram.is_empty())
    }
}

fn buckets<C: Counter>() -> Histogram<C> {
    Histogram::new_with_bounds(1, LATENCY_MAX_NS, SIGNIFICANT_DIGITS)
        .expect("1 ns to 600 s with 3 digits are valid bounds")
}

impl Latencies<u64> {
    /// Adds all counts of another histogram, whatever the width of its counters.
    pub fn add<D: Counter>(&mut self, other: &Latencies<D>) {
        let Some(recorded) = other.recorded() else {
            return;
        };
        let histogram = self.histogram.get_or_insert_with(buckets);
        for value in recorded.iter_recorded() {
            histogram
                .record_n(
                    value.value_iterated_to().min(LATENCY_MAX_NS),
                    value.count_at_value().as_u64(),
                )
                .expect("both histograms have the same bounds");
        }
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.saturated += other.saturated;
    }
}

#[cfg(test)]
mod tests;
