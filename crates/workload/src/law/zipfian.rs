//! The zipfian law: of n ranks, rank k has a probability that goes by `1 / k^theta`.
//!
//! By rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates
//! from monotone discrete distributions", ACM Transactions on Modeling and Computer Simulation 6
//! (1996), 169-184. It is exact for any exponent above 0, but for the rounding of floating point
//! numbers, and needs no sum over the ranks: nothing to add up at the start, and a number of ranks
//! that may grow.

use super::{float, whole};
use crate::draw::Draw;

/// Parts of an octave, in each of which a growing law has a bound of its own.
const PARTS: u64 = 8;

/// Bits of a part's number.
const PART_BITS: u32 = PARTS.trailing_zeros();

/// Bits of a floating point number's fraction.
const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// A zipfian law.
#[derive(Clone, Debug)]
pub(crate) struct Zipfian {
    curve: Curve,
    ranks: Ranks,
}

/// Over how many ranks it is.
#[derive(Clone, Debug)]
enum Ranks {
    /// Always the same, and the curve's integral up to the last.
    Fixed { n: u64, end: f64 },
    /// Another number at each draw. The integral is kept for bounds from 1 to 2^53, [`PARTS`] to an
    /// octave, so that none is more than an eighth above the number of ranks.
    Growing { ends: Box<[f64]> },
}

impl Zipfian {
    /// The law over `n` ranks, at least 1.
    pub(crate) fn fixed(theta: f64, n: u64) -> Self {
        let curve = Curve::new(theta);
        let end = curve.end(n);
        let ranks = Ranks::Fixed { n, end };
        Self { curve, ranks }
    }

    /// The law over a number of ranks that is given with each draw.
    pub(crate) fn growing(theta: f64) -> Self {
        let curve = Curve::new(theta);
        let parts = u64::from(FRACTION_BITS + 2) * PARTS;
        let ends = (0..parts).map(|part| curve.end(bound(part)));
        let ranks = Ranks::Growing {
            ends: ends.collect(),
        };
        Self { curve, ranks }
    }

    /// Draws a rank below `n`; 0 is the most likely. Of a fixed law, `n` is its own.
    pub(crate) fn rank(&self, n: u64, draw: &mut Draw) -> u64 {
        match &self.ranks {
            Ranks::Fixed { n, end } => self.curve.draw(*n, *end, draw) - 1,
            Ranks::Growing { ends } => {
                let part = part_of(n);
                let (bound, end) = (bound(part), ends[index(part)]);
                // A draw over more ranks that is kept where it is one of them is a draw over these.
                loop {
                    let rank = self.curve.draw(bound, end, draw) - 1;
                    if rank < n {
                        return rank;
                    }
                }
            }
        }
    }
}

/// The part that holds `n`, from 1 to 2^53: parts are those of the floating point numbers.
fn part_of(n: u64) -> u64 {
    let bits = float(n).to_bits() - 1.0_f64.to_bits();
    bits >> (FRACTION_BITS - PART_BITS)
}

/// The largest number of a part.
fn bound(part: u64) -> u64 {
    let next = (part + 1) << (FRACTION_BITS - PART_BITS);
    let next = f64::from_bits(1.0_f64.to_bits() + next);
    // Below it. The parts of the first octaves hold one number or none.
    whole(next.ceil()) - 1
}

fn index(part: u64) -> usize {
    usize::try_from(part).expect("there are a few hundred parts")
}

/// The curve `x^-theta` through the law's probabilities, and its integral.
#[derive(Clone, Copy, Debug)]
struct Curve {
    theta: f64,
    /// `1 - theta`.
    power: f64,
    /// Where the area of rank 1 begins.
    first: f64,
    /// Within this distance below a rank no draw needs to be looked at: it would be kept.
    sure: f64,
}

impl Curve {
    fn new(theta: f64) -> Self {
        let mut curve = Self {
            theta,
            power: 1.0 - theta,
            first: 0.0,
            sure: 0.0,
        };
        curve.first = curve.integral(1.5) - 1.0;
        curve.sure = 2.0 - curve.inverse(curve.integral(2.5) - curve.height(2.0));
        curve
    }

    /// Where the area of the last of `n` ranks ends.
    fn end(&self, n: u64) -> f64 {
        self.integral(float(n) + 0.5)
    }

    /// `x^-theta`.
    fn height(&self, x: f64) -> f64 {
        (-self.theta * x.ln()).exp()
    }

    /// `(x^(1 - theta) - 1) / (1 - theta)`, and its limit, the logarithm, for theta 1.
    fn integral(&self, x: f64) -> f64 {
        if self.power == 0.0 {
            x.ln()
        } else {
            (self.power * x.ln()).exp_m1() / self.power
        }
    }

    /// Where the integral has this value.
    fn inverse(&self, area: f64) -> f64 {
        if self.power == 0.0 {
            area.exp()
        } else {
            // Rounding can bring the end of a steep law below -1, which has no logarithm.
            ((area * self.power).max(-1.0).ln_1p() / self.power).exp()
        }
    }

    /// Draws a rank from 1 to `n`, where `end` is the end of the last one's area.
    fn draw(&self, n: u64, end: f64, draw: &mut Draw) -> u64 {
        loop {
            let area = end + draw.unit() * (self.first - end);
            let x = self.inverse(area);
            let rank = whole(x + 0.5).clamp(1, n);
            let at = float(rank);
            if at - x <= self.sure || area >= self.integral(at + 0.5) - self.height(at) {
                return rank;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_in_a_part_whose_bound_is_at_most_an_eighth_above() {
        let edges = (0..53).flat_map(|bit| {
            let octave = 1_u64 << bit;
            (0..PARTS).flat_map(move |part| {
                let edge = octave + octave * part / PARTS;
                [edge - 1, edge, edge + 1]
            })
        });
        for n in edges.filter(|n| *n > 0).chain([(1 << 53) - 1, 1 << 53]) {
            let bound = bound(part_of(n));
            assert!(bound >= n, "{n}: {bound}");
            assert!(bound - n <= n / PARTS, "{n}: {bound}");
        }
        assert_eq!(part_of(1 << 53), 53 * PARTS);
    }
}
