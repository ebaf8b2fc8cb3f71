//! `$bool`.

use bson::spec::ElementType;
use docstone_model::template;

use super::value::Value;
use crate::draw::Draw;

#[derive(Debug)]
pub(super) struct Boolean {
    probability: f64,
}

impl Boolean {
    pub(super) fn new(of: &template::Boolean) -> Self {
        Self {
            probability: of.probability,
        }
    }
}

impl Value for Boolean {
    fn element_type(&self) -> u8 {
        ElementType::Boolean as u8
    }

    fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        out.push(u8::from(draw.unit() < self.probability));
    }
}
