//! What the generators of plain values have in common.

use std::fmt;

use crate::draw::Draw;

/// A value that follows from a stream of draws alone.
pub(in crate::document) trait Value: fmt::Debug + Send + Sync {
    /// Its BSON type.
    fn element_type(&self) -> u8;

    /// Draws it and appends its bytes.
    fn write(&self, draw: &mut Draw, out: &mut Vec<u8>);
}

/// Appends a string: its length with the zero byte at its end, what `write` appends, and that byte.
pub(super) fn text(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let begin = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    out.push(0);
    let length = u32::try_from(out.len() - begin - 4).unwrap_or(u32::MAX);
    out[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
}

/// One of a list, each with the same probability.
pub(super) fn one_of<'a>(list: &[&'a str], draw: &mut Draw) -> &'a str {
    let which = draw.below(list.len() as u64);
    list[usize::try_from(which).unwrap_or_default()]
}
