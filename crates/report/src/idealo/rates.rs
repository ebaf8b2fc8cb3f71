//! Rates of one mode: mean, and exponentially weighted over 1, 5 and 15 minutes.

/// Seconds between two ticks.
const TICK_S: f64 = 5.0;

/// Mean and weighted rates of events.
#[derive(Clone, Debug, Default)]
pub(super) struct RateMeter {
    count: u64,
    since_tick: u64,
    ticks: u64,
    rates_per_s: [f64; 3],
}

impl RateMeter {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn mark(&mut self, n: u64) {
        self.count += n;
        self.since_tick += n;
    }

    pub(super) fn advance(&mut self, elapsed_s: f64) {
        while (self.ticks + 1) as f64 * TICK_S <= elapsed_s + 1e-6 {
            let instant = self.since_tick as f64 / TICK_S;
            for (rate, minutes) in self.rates_per_s.iter_mut().zip([1.0, 5.0, 15.0]) {
                let alpha = 1.0 - (-TICK_S / 60.0 / minutes).exp();
                *rate = if self.ticks == 0 {
                    instant
                } else {
                    *rate + alpha * (instant - *rate)
                };
            }
            self.since_tick = 0;
            self.ticks += 1;
        }
    }

    pub(super) fn m1_ops_per_s(&self) -> f64 {
        self.rates_per_s[0]
    }

    pub(super) fn m5_ops_per_s(&self) -> f64 {
        self.rates_per_s[1]
    }

    pub(super) fn m15_ops_per_s(&self) -> f64 {
        self.rates_per_s[2]
    }

    pub(super) fn mean_ops_per_s(&self, elapsed_s: f64) -> f64 {
        if elapsed_s > 0.0 {
            self.count as f64 / elapsed_s
        } else {
            0.0
        }
    }
}
