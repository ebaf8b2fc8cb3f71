//! Arrivals at even distances under the curve: arrival `k` is due when the count reaches `k + 1/2`.
//!
//! The half puts the first arrival in the middle of its distance, so that `rate x duration`
//! arrivals fall into the duration, also where that is a small number.

use super::curve::Curve;

/// The walk along the arrivals.
#[derive(Clone, Debug)]
pub(super) struct Uniform {
    curve: Curve,
    number: u64,
}

impl Uniform {
    pub(super) fn new(curve: Curve) -> Self {
        Self { curve, number: 0 }
    }

    /// When the next arrival is due.
    pub(super) fn next_ns(&mut self) -> Option<u64> {
        let x = self.number as f64 + 0.5;
        self.number += 1;
        self.curve.time_of(x)
    }
}
