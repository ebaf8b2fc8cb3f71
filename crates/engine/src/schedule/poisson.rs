//! Arrivals of a Poisson process: between two of them the curve's count grows by an exponentially
//! distributed amount of mean 1. Where the rate varies this is the same process on another scale
//! of time (time change theorem; Cinlar, "Introduction to Stochastic Processes", 1975).

use docstone_workload::draw::Draw;

use super::curve::Curve;

/// The walk along the arrivals.
#[derive(Clone, Debug)]
pub(super) struct Poisson {
    curve: Curve,
    draw: Draw,
    x: f64,
}

impl Poisson {
    pub(super) fn new(curve: Curve, draw: Draw) -> Self {
        Self {
            curve,
            draw,
            x: 0.0,
        }
    }

    /// When the next arrival is due.
    pub(super) fn next_ns(&mut self) -> Option<u64> {
        // 1 - u lies in (0, 1], where the logarithm is finite.
        self.x -= (1.0 - self.draw.unit()).ln();
        self.curve.time_of(self.x)
    }
}
