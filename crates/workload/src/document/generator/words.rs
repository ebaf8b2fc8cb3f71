//! `$words`.

use bson::spec::ElementType;
use docstone_model::template;

use super::value::{Value, one_of, text};
use crate::draw::Draw;

/// How words begin and how they end.
const BEGIN: [&str; 16] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va",
];
const END: [&str; 16] = [
    "ber", "den", "fix", "gal", "lin", "mor", "nes", "pal", "ra", "ster", "tin", "vel", "ward",
    "x", "yard", "zen",
];

#[derive(Debug)]
pub(super) struct Words {
    min: u32,
    most: u32,
}

impl Words {
    pub(super) fn new(of: &template::Words) -> Self {
        Self {
            min: of.min,
            most: of.most(),
        }
    }
}

impl Value for Words {
    fn element_type(&self) -> u8 {
        ElementType::String as u8
    }

    fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        let count = draw.int(self.min.into(), self.most.into());
        text(out, |out| {
            for word in 0..count {
                if word > 0 {
                    out.push(b' ');
                }
                out.extend_from_slice(one_of(&BEGIN, draw).as_bytes());
                out.extend_from_slice(one_of(&END, draw).as_bytes());
            }
        });
    }
}
