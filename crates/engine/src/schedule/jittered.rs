//! The exact number of arrivals in each interval, at random times within it: what "50 per second"
//! means in tools that start 50 copies each second and let each sleep a random part of it.

use docstone_workload::draw::{Draw, StreamKey};

use super::curve::{Curve, whole};

/// The walk along the arrivals.
#[derive(Clone, Debug)]
pub(super) struct Jittered {
    curve: Curve,
    key: StreamKey,
    interval_ns: u64,
    duration_ns: u64,
    /// The interval that is being walked; the count of the next.
    interval: u64,
    /// Arrivals up to the end of the interval.
    until: u64,
    /// Arrivals of the interval that are left.
    left: u64,
    draw: Draw,
    /// The time of the last arrival as a part of the interval.
    part: f64,
}

impl Jittered {
    pub(super) fn new(curve: Curve, key: StreamKey, interval_ns: u64, duration_ns: u64) -> Self {
        let mut jittered = Self {
            curve,
            draw: key.word(0).draw(),
            key,
            interval_ns,
            duration_ns,
            interval: 0,
            until: 0,
            left: 0,
            part: 0.0,
        };
        jittered.enter();
        jittered
    }

    /// When the next arrival is due.
    pub(super) fn next_ns(&mut self) -> Option<u64> {
        while self.left == 0 {
            self.interval += 1;
            if self.start_ns() >= self.duration_ns {
                return None;
            }
            self.enter();
        }
        // The least of n independent even draws from the rest of the interval (Devroye,
        // "Non-Uniform Random Variate Generation", 1986, V.3): sorted times without a list.
        let rest = (1.0 - self.draw.unit()).powf(1.0 / self.left as f64);
        self.part = 1.0 - (1.0 - self.part) * rest;
        self.left -= 1;
        let length_ns = (self.duration_ns - self.start_ns()).min(self.interval_ns);
        let offset_ns = whole(self.part * length_ns as f64);
        Some(self.start_ns() + offset_ns.min(length_ns - 1))
    }

    fn start_ns(&self) -> u64 {
        self.interval.saturating_mul(self.interval_ns)
    }

    fn enter(&mut self) {
        let end_ns = self.start_ns().saturating_add(self.interval_ns);
        let count = self.curve.count_at(end_ns.min(self.duration_ns));
        // Rounded sums, not sums of rounded counts: 2.5 each second are 5 in two seconds.
        let until = whole(count + 1e-6);
        self.left = until.saturating_sub(self.until);
        self.until = until.max(self.until);
        self.draw = self.key.word(self.interval).draw();
        self.part = 0.0;
    }
}
