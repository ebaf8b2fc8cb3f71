//! Numbers that are no whole ones: drawn as whole steps from the smallest on.

use docstone_model::template::Distribution;

use crate::draw::Draw;
use crate::law::NumberLaw;

/// As many steps as a distribution takes of a number whose decimals are not limited.
const FINE: f64 = 1_125_899_906_842_624.0;

/// A number between two bounds.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    law: NumberLaw,
    /// Steps between the bounds.
    count: f64,
}

impl Steps {
    /// Bounds and a distribution without faults; as many steps as the decimals ask for.
    pub(super) fn new(
        (min, max): (f64, f64),
        decimals: Option<u8>,
        distribution: Distribution,
    ) -> Self {
        let width = max - min;
        let count = match decimals {
            Some(decimals) => (width * 10.0_f64.powi(decimals.into())).round(),
            None if width > 0.0 => FINE,
            None => 0.0,
        };
        let to_steps = |length: f64| {
            if width > 0.0 {
                length / width * count
            } else {
                0.0
            }
        };
        let in_steps = match distribution {
            Distribution::Normal { mean, stddev } => Distribution::Normal {
                mean: mean.map(|mean| to_steps(mean - min)),
                stddev: stddev.map(|stddev| to_steps(stddev).max(f64::MIN_POSITIVE)),
            },
            Distribution::Exponential { mean } => Distribution::Exponential {
                mean: mean.map(|mean| to_steps(mean).max(f64::MIN_POSITIVE)),
            },
            other => other,
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a fault says where there are more than 2^53"
        )]
        let last = count as i64;
        Self {
            law: NumberLaw::new(in_steps, 0, last),
            count,
        }
    }

    /// Draws how many steps a value lies above the smallest.
    pub(super) fn draw(&self, draw: &mut Draw) -> i64 {
        self.law.draw(draw)
    }

    /// Steps between the bounds.
    pub(super) fn count(&self) -> f64 {
        self.count
    }
}
