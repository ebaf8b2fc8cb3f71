//! Exponentially weighted moving rates over 1, 5 and 15 minutes, as in the Dropwizard meters that
//! older tools report.
//!
//! Owns the arithmetic and the ticks; when time passes is the caller's to say. A rate is brought
//! forward every 5 s: `rate += alpha * (instant - rate)` with `alpha = 1 - exp(-5 s / window)`,
//! where `instant` is the mean rate since the tick before. The first tick sets the rate to it.

use std::time::Duration;

/// Time between two ticks.
const TICK: Duration = Duration::from_secs(5);

/// Rates of events: the mean, and weighted over the last 1, 5 and 15 minutes.
#[derive(Clone, Debug)]
pub struct RateMeter {
    count: u64,
    since_tick: u64,
    ticks: u64,
    rates: [WeightedRate; 3],
}

#[derive(Clone, Copy, Debug)]
struct WeightedRate {
    alpha: f64,
    rate_per_s: f64,
}

impl WeightedRate {
    fn over_minutes(minutes: f64) -> Self {
        let ticks = minutes * 60.0 / TICK.as_secs_f64();
        Self {
            alpha: 1.0 - (-1.0 / ticks).exp(),
            rate_per_s: 0.0,
        }
    }

    /// Brings the rate forward by `ticks` in which nothing happened.
    fn decay(&mut self, ticks: u64) {
        self.rate_per_s *= (1.0 - self.alpha).powf(ticks as f64);
    }
}

impl Default for RateMeter {
    fn default() -> Self {
        Self::new()
    }
}

impl RateMeter {
    /// A meter that starts now.
    pub fn new() -> Self {
        Self {
            count: 0,
            since_tick: 0,
            ticks: 0,
            rates: [1.0, 5.0, 15.0].map(WeightedRate::over_minutes),
        }
    }

    /// Counts `n` events.
    pub fn mark(&mut self, n: u64) {
        self.count += n;
        self.since_tick += n;
    }

    /// Says that `elapsed_s` seconds have passed since the start. Each 5 s that are complete give
    /// one tick; events since the tick before count for the first of them. Time never goes back.
    pub fn advance(&mut self, elapsed_s: f64) {
        // Nanoseconds: 5 s that a sum of fractions falls short of by a rounding are complete.
        let elapsed = Duration::try_from_secs_f64(elapsed_s).unwrap_or_default();
        let due = elapsed.as_secs() / TICK.as_secs();
        let missed = due.saturating_sub(self.ticks);
        if missed == 0 {
            return;
        }
        let instant = self.since_tick as f64 / TICK.as_secs_f64();
        for rate in &mut self.rates {
            if self.ticks == 0 {
                rate.rate_per_s = instant;
            } else {
                rate.rate_per_s += rate.alpha * (instant - rate.rate_per_s);
            }
            rate.decay(missed - 1);
        }
        self.since_tick = 0;
        self.ticks = due;
    }

    /// The rate over the last minute, in events a second; 0 before the first 5 s are complete.
    pub fn m1_ops_per_s(&self) -> f64 {
        self.rates[0].rate_per_s
    }

    /// The rate over the last 5 minutes, in events a second.
    pub fn m5_ops_per_s(&self) -> f64 {
        self.rates[1].rate_per_s
    }

    /// The rate over the last 15 minutes, in events a second.
    pub fn m15_ops_per_s(&self) -> f64 {
        self.rates[2].rate_per_s
    }

    /// The mean rate over `elapsed_s` seconds, in events a second; 0 where no time has passed.
    pub fn mean_ops_per_s(&self, elapsed_s: f64) -> f64 {
        if elapsed_s > 0.0 {
            self.count as f64 / elapsed_s
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests;
