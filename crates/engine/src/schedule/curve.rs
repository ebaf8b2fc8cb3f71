//! The rate over time: how many arrivals are due up to a time, and when a given number is.
//!
//! Owns stages, ramps, pauses and redrawn rates. How arrivals are spread under the curve is for
//! the other files of this folder.

use std::sync::Arc;

use docstone_model::plan::{Rate, RateStage};
use docstone_workload::draw::StreamKey;

const NS_PER_S: f64 = 1e9;

/// The whole part of a number that is not negative; what is too large becomes the largest.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and nothing here is negative"
)]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// A stretch of time with a linear rate.
#[derive(Clone, Copy, Debug)]
struct Segment {
    start_ns: u64,
    end_ns: u64,
    from_per_s: f64,
    to_per_s: f64,
    /// Arrivals up to its start; a real number, so that a rest carries over to the next.
    before: f64,
}

impl Segment {
    fn seconds(&self) -> f64 {
        (self.end_ns - self.start_ns) as f64 / NS_PER_S
    }

    /// Arrivals up to its end.
    fn after(&self) -> f64 {
        self.before + 0.5 * (self.from_per_s + self.to_per_s) * self.seconds()
    }

    /// Arrivals up to a time within it.
    fn count_at(&self, t_ns: u64) -> f64 {
        let t = (t_ns.min(self.end_ns) - self.start_ns) as f64 / NS_PER_S;
        let slope = self.slope();
        self.before + t * (self.from_per_s + 0.5 * slope * t)
    }

    /// Change of the rate per second.
    fn slope(&self) -> f64 {
        (self.to_per_s - self.from_per_s) / self.seconds()
    }

    /// When the count reaches `x`, which it does within the segment.
    ///
    /// The quadratic's root in the form `2n / (r + sqrt(r^2 + 2 n s))`, which is stable for a
    /// constant rate, from a rate of 0, and for ramps down.
    fn time_of(&self, x: f64) -> u64 {
        let n = (x - self.before).max(0.0);
        let radicand = self.from_per_s * self.from_per_s + 2.0 * n * self.slope();
        let divisor = self.from_per_s + radicand.max(0.0).sqrt();
        if divisor <= 0.0 {
            return self.start_ns;
        }
        let offset_ns = whole(2.0 * n / divisor * NS_PER_S + 0.5);
        (self.start_ns + offset_ns).min(self.end_ns - 1)
    }
}

/// A walk along the curve, always forwards. Memory is constant.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    stages: Arc<[RateStage]>,
    key: StreamKey,
    /// The stage of the segment, and the segment's number within it.
    at: (usize, u64),
    segment: Segment,
}

impl Curve {
    /// The start of the curve of some stages. `key` is what rates are drawn from.
    pub(super) fn new(stages: &[RateStage], key: StreamKey) -> Self {
        let mut curve = Self {
            stages: stages.into(),
            key,
            at: (0, 0),
            segment: Segment {
                start_ns: 0,
                end_ns: 0,
                from_per_s: 0.0,
                to_per_s: 0.0,
                before: 0.0,
            },
        };
        curve.enter();
        curve
    }

    /// When the count of arrivals reaches `x`; `None` if it never does. Asked for `x` that do
    /// not fall.
    pub(super) fn time_of(&mut self, x: f64) -> Option<u64> {
        while x >= self.segment.after() {
            if !self.advance() {
                return None;
            }
        }
        Some(self.segment.time_of(x))
    }

    /// Arrivals up to a time. Asked for times that do not fall.
    pub(super) fn count_at(&mut self, t_ns: u64) -> f64 {
        while t_ns > self.segment.end_ns {
            if !self.advance() {
                return self.segment.after();
            }
        }
        self.segment.count_at(t_ns.max(self.segment.start_ns))
    }

    /// Goes on to the next segment; false at the end, where nothing changes.
    fn advance(&mut self) -> bool {
        let (stage, number) = self.at;
        let stage_end_ns = self.stage_start_ns() + self.stages[stage].duration_ns;
        if self.segment.end_ns < stage_end_ns {
            self.at = (stage, number + 1);
        } else if stage + 1 < self.stages.len() {
            self.at = (stage + 1, 0);
        } else {
            return false;
        }
        self.enter();
        true
    }

    /// Where the stage of the current segment begins.
    fn stage_start_ns(&self) -> u64 {
        let (stage, number) = self.at;
        match self.stages[stage].rate {
            Rate::Linear { .. } => self.segment.start_ns,
            Rate::Random { every_ns, .. } => self.segment.start_ns - number * every_ns,
        }
    }

    /// Makes the segment of `at` the current one; it begins where the one before ended.
    fn enter(&mut self) {
        let (stage, number) = self.at;
        let RateStage { duration_ns, rate } = self.stages[stage];
        let (start_ns, before) = (self.segment.end_ns, self.segment.after());
        let (length_ns, from_per_s, to_per_s) = match rate {
            Rate::Linear {
                from_per_s,
                to_per_s,
            } => (duration_ns, from_per_s, to_per_s),
            Rate::Random {
                min_per_s,
                max_per_s,
                every_ns,
            } => {
                let mut draw = self.key.word(stage as u64).word(number).draw();
                let rate = min_per_s + draw.unit() * (max_per_s - min_per_s);
                (every_ns.min(duration_ns - number * every_ns), rate, rate)
            }
        };
        self.segment = Segment {
            start_ns,
            end_ns: start_ns + length_ns,
            from_per_s,
            to_per_s,
            before,
        };
    }
}
