//! `$binary`.

use bson::spec::ElementType;
use docstone_model::template;

use super::value::Value;
use crate::draw::Draw;

#[derive(Debug)]
pub(super) struct Binary {
    length: u32,
    subtype: u8,
}

impl Binary {
    pub(super) fn new(of: &template::Binary) -> Self {
        Self {
            length: of.length,
            subtype: of.subtype,
        }
    }
}

impl Value for Binary {
    fn element_type(&self) -> u8 {
        ElementType::Binary as u8
    }

    fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.length.to_le_bytes());
        out.push(self.subtype);
        let mut left = self.length as usize;
        while left > 0 {
            let bytes = draw.bits().to_le_bytes();
            let taken = left.min(bytes.len());
            out.extend_from_slice(&bytes[..taken]);
            left -= taken;
        }
    }
}
