//! `$double`.

use bson::spec::ElementType;
use docstone_model::template;

use super::steps::Steps;
use super::value::Value;
use crate::draw::Draw;

#[derive(Debug)]
pub(super) struct Double {
    steps: Steps,
    min: f64,
    width: f64,
    /// 10 to the power of its decimals, where they are limited.
    unit: Option<f64>,
}

impl Double {
    pub(super) fn new(of: &template::Double) -> Self {
        Self {
            steps: Steps::new((of.min, of.max), of.decimals, of.distribution),
            min: of.min,
            width: of.max - of.min,
            unit: of.decimals.map(|decimals| 10.0_f64.powi(decimals.into())),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "there are less than 2^53 steps")]
    fn draw(&self, draw: &mut Draw) -> f64 {
        let step = self.steps.draw(draw) as f64;
        match self.unit {
            // Divided last, so that 0.1 is the number that 0.1 is elsewhere.
            Some(unit) => ((self.min * unit).round() + step) / unit,
            None if self.width > 0.0 => self.min + step / self.steps.count() * self.width,
            None => self.min,
        }
    }
}

impl Value for Double {
    fn element_type(&self) -> u8 {
        ElementType::Double as u8
    }

    fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.draw(draw).to_le_bytes());
    }
}
