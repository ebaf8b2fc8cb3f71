//! The numbers of one block or row: counts, rates per second, latencies in milliseconds.

use std::fmt::Write as _;

use docstone_model::LatencySummary;

/// One block of the console, or one row of a CSV file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Snapshot {
    /// Operations that succeeded since the step began.
    pub(super) count: u64,
    /// Successes per second since the step began.
    pub(super) mean_rate: f64,
    /// Weighted over 1, 5 and 15 minutes, per second.
    pub(super) weighted_rates: [f64; 3],
    /// Latencies of the window.
    pub(super) latency: Milliseconds,
}

/// A latency summary in milliseconds; all 0 for an empty window, as the old tool prints it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Milliseconds {
    pub(super) size: u64,
    pub(super) max: f64,
    pub(super) mean: f64,
    pub(super) min: f64,
    /// With n - 1 in its denominator; 0 up to one value.
    pub(super) stddev: f64,
    pub(super) p50: f64,
    pub(super) p75: f64,
    pub(super) p95: f64,
    pub(super) p98: f64,
    pub(super) p99: f64,
    pub(super) p99_9: f64,
}

impl From<&LatencySummary> for Milliseconds {
    fn from(summary: &LatencySummary) -> Self {
        let whole = |value: Option<u64>| value.unwrap_or(0) as f64 / 1e6;
        let float = |value: Option<f64>| value.filter(|v| v.is_finite()).unwrap_or(0.0) / 1e6;
        let sample = match summary.count {
            0 | 1 => 0.0,
            n => (n as f64 / (n - 1) as f64).sqrt(),
        };
        Self {
            size: summary.count,
            max: whole(summary.max),
            mean: float(summary.mean),
            min: whole(summary.min),
            stddev: float(summary.stddev) * sample,
            p50: whole(summary.p50),
            p75: whole(summary.p75),
            p95: whole(summary.p95),
            p98: whole(summary.p98),
            p99: whole(summary.p99),
            p99_9: whole(summary.p99_9),
        }
    }
}

impl Snapshot {
    /// The lines of a block below its name, the `=` of each in column 20.
    pub(super) fn block(&self) -> String {
        let [m1, m5, m15] = self.weighted_rates;
        let ms = &self.latency;
        let mut text = format!("{:>18} = {}\n", "count", self.count);
        let rates = [
            ("mean rate", self.mean_rate),
            ("1-minute rate", m1),
            ("5-minute rate", m5),
            ("15-minute rate", m15),
        ];
        for (label, value) in rates {
            let _ = writeln!(text, "{label:>18} = {value:2.2} calls/second");
        }
        let moments = [
            ("min", ms.min),
            ("max", ms.max),
            ("mean", ms.mean),
            ("stddev", ms.stddev),
            ("median", ms.p50),
        ];
        for (label, value) in moments {
            let _ = writeln!(text, "{label:>18} = {value:2.2} milliseconds");
        }
        let percentiles = [
            ("75%", ms.p75),
            ("95%", ms.p95),
            ("98%", ms.p98),
            ("99%", ms.p99),
            ("99.9%", ms.p99_9),
        ];
        for (label, value) in percentiles {
            let _ = writeln!(text, "{label:>17} <= {value:2.2} milliseconds");
        }
        text
    }

    /// The 18 columns of a row, with its line end.
    pub(super) fn csv_row(&self, epoch_s: i64) -> String {
        let [m1, m5, m15] = self.weighted_rates;
        let ms = &self.latency;
        let mut row = format!("{epoch_s},{}", self.count);
        let numbers = [
            ms.max,
            ms.mean,
            ms.min,
            ms.stddev,
            ms.p50,
            ms.p75,
            ms.p95,
            ms.p98,
            ms.p99,
            ms.p99_9,
            self.mean_rate,
            m1,
            m5,
            m15,
        ];
        for number in numbers {
            let _ = write!(row, ",{number:.6}");
        }
        row.push_str(",calls/second,milliseconds\n");
        row
    }
}
