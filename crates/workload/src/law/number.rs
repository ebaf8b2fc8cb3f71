//! How a whole number between two bounds is drawn.

use docstone_model::template::Distribution;

use super::normal;
use super::zipfian::Zipfian;
use crate::draw::Draw;

/// A law over the whole numbers from a smallest to a largest one.
#[derive(Clone, Debug)]
pub struct NumberLaw {
    min: i64,
    max: i64,
    law: Law,
}

#[derive(Clone, Debug)]
enum Law {
    Uniform,
    /// `low` and `share`: what the normal law has cumulated half below `min`, and from there to half
    /// above `max`.
    Normal {
        mean: f64,
        stddev: f64,
        low: f64,
        share: f64,
    },
    /// `share`: what the exponential law has cumulated at `max + 1`.
    Exponential {
        mean: f64,
        share: f64,
    },
    Zipfian {
        ranks: u64,
        zipfian: Zipfian,
    },
}

impl NumberLaw {
    /// A distribution without a fault over the numbers from `min` to `max`, which is not below.
    pub fn new(distribution: Distribution, min: i64, max: i64) -> Self {
        let (low, high) = (float(min), float(max));
        let law = match distribution {
            Distribution::Normal { .. } if min == max => Law::Uniform,
            Distribution::Uniform => Law::Uniform,
            Distribution::Normal { mean, stddev } => {
                let mean = mean.unwrap_or(f64::midpoint(low, high));
                let stddev = stddev.unwrap_or((high - low) / 6.0);
                let before = normal::cumulated((low - 0.5 - mean) / stddev);
                let until = normal::cumulated((high + 0.5 - mean) / stddev);
                Law::Normal {
                    mean,
                    stddev,
                    low: before,
                    share: until - before,
                }
            }
            Distribution::Exponential { mean } => {
                let values = high - low + 1.0;
                let mean = mean.unwrap_or(values / 10.0);
                let share = -(-values / mean).exp_m1();
                Law::Exponential { mean, share }
            }
            Distribution::Zipfian { theta } => {
                let ranks = max.wrapping_sub(min).cast_unsigned() + 1;
                let zipfian = Zipfian::fixed(theta, ranks);
                Law::Zipfian { ranks, zipfian }
            }
        };
        Self { min, max, law }
    }

    /// Draws a number.
    pub fn draw(&self, draw: &mut Draw) -> i64 {
        let number = match &self.law {
            Law::Uniform => return draw.int(self.min, self.max),
            Law::Normal {
                mean,
                stddev,
                low,
                share,
            } => nearest(mean + stddev * normal::quantile(low + share * draw.unit())),
            Law::Exponential { mean, share } => {
                let distance = -mean * (-share * draw.unit()).ln_1p();
                self.min.saturating_add(nearest(distance.floor()))
            }
            Law::Zipfian { ranks, zipfian } => {
                let rank = zipfian.rank(*ranks, draw);
                return self.min.wrapping_add_unsigned(rank);
            }
        };
        number.clamp(self.min, self.max)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "laws other than uniform have less than 2^53 values, and bounds need no more"
)]
fn float(number: i64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast from a float goes to the nearest, and what is drawn is cut at the bounds"
)]
fn nearest(number: f64) -> i64 {
    number.round() as i64
}
