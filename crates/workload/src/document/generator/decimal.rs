//! `$decimal`.

use bson::spec::ElementType;
use docstone_model::template;

use super::steps::Steps;
use super::value::Value;
use crate::draw::Draw;

/// What is added to the exponent of a decimal number, and how far left it stands (IEEE 754-2008, binary
/// integer significand).
const BIAS: u128 = 6_176;
const EXPONENT_AT: u32 = 113;
const SIGN: u128 = 1 << 127;

#[derive(Debug)]
pub(super) struct Decimal {
    steps: Steps,
    /// The smallest value without its point.
    min: i64,
    decimals: u8,
}

impl Decimal {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a fault says where there are more than 2^53"
    )]
    pub(super) fn new(of: &template::Decimal) -> Self {
        let unit = 10.0_f64.powi(of.decimals.into());
        Self {
            steps: Steps::new((of.min, of.max), Some(of.decimals), of.distribution),
            min: (of.min * unit).round() as i64,
            decimals: of.decimals,
        }
    }
}

impl Value for Decimal {
    fn element_type(&self) -> u8 {
        ElementType::Decimal128 as u8
    }

    fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        let digits = self.min + self.steps.draw(draw);
        let exponent = BIAS - u128::from(self.decimals);
        let sign = if digits < 0 { SIGN } else { 0 };
        let value = sign | exponent << EXPONENT_AT | u128::from(digits.unsigned_abs());
        out.extend_from_slice(&value.to_le_bytes());
    }
}
