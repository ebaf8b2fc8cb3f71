//! `$date`.

use bson::spec::ElementType;
use docstone_model::template;

use super::value::Value;
use crate::draw::Draw;
use crate::law::NumberLaw;

#[derive(Debug)]
pub(super) struct Date {
    law: NumberLaw,
}

impl Date {
    /// Of bounds without a fault.
    pub(super) fn new(of: &template::Date) -> Self {
        let (min, max) = of.bounds_ms().unwrap_or_default();
        Self {
            law: NumberLaw::new(of.distribution, min, max),
        }
    }
}

impl Value for Date {
    fn element_type(&self) -> u8 {
        ElementType::DateTime as u8
    }

    fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.law.draw(draw).to_le_bytes());
    }
}
