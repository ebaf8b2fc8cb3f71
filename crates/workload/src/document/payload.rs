//! Payloads: slices of a pool, and documents that they fill to an exact size.
//!
//! What the other fields of a document take may differ from document to document. So it is
//! written with the payload that the last lengths ask for, and again where its size then is not
//! the one that was asked for: once for documents whose other fields have fixed lengths, at most
//! twice for others.

use std::sync::Arc;

use bson::spec::{BinarySubtype, ElementType};
use docstone_model::Template;
use docstone_model::template::{Compressibility, Generator, Payload};

use crate::error::Fault;
use crate::payload::Pool;

/// Attempts to write a document of an exact size. The second has what the first has learnt; a
/// third is needed only if a key of another length was acknowledged in between.
const ATTEMPTS: usize = 16;

/// A payload that is compiled.
#[derive(Clone, Debug)]
pub(super) struct PayloadSlot {
    pool: Arc<Pool>,
    /// Bytes; `None` takes a share of what the document's size leaves.
    length: Option<usize>,
    random: bool,
    /// The first of its text over and over.
    repeated: bool,
}

/// The length of a piece of text that is repeated, in bytes: what `POCDriver` repeats.
const PIECE_BYTES: usize = 512;

impl PayloadSlot {
    pub(super) fn new(payload: &Payload, pool: Arc<Pool>) -> Self {
        let length = payload
            .length
            .map(|length| usize::try_from(length.0).unwrap_or(usize::MAX));
        Self {
            pool,
            length,
            random: payload.compressibility == Some(Compressibility::Random),
            repeated: payload.compressibility == Some(Compressibility::Repeated),
        }
    }

    /// Its BSON type: random bytes are no text.
    pub(super) fn element_type(&self) -> u8 {
        if self.random {
            ElementType::Binary as u8
        } else {
            ElementType::String as u8
        }
    }

    /// Appends the value for a document of this number.
    pub(super) fn write(&self, number: u64, filling: &mut Filling, out: &mut Vec<u8>) {
        let length = match self.length {
            Some(length) => length,
            None => filling.share(),
        };
        let piece = if self.repeated {
            length.min(PIECE_BYTES)
        } else {
            length
        };
        let slice = self.pool.slice(number, filling.offset, piece);
        filling.offset += length as u64;
        // A text's length counts the zero byte at its end, that of bytes not their subtype.
        let counted = if self.random { length } else { length + 1 };
        let counted = u32::try_from(counted).unwrap_or(u32::MAX);
        out.extend_from_slice(&counted.to_le_bytes());
        if self.random {
            out.push(u8::from(BinarySubtype::Generic));
        }
        let begin = out.len();
        out.extend_from_slice(slice);
        while out.len() - begin < length {
            let now = (length - (out.len() - begin)).min(piece);
            out.extend_from_within(begin..begin + now);
        }
        if !self.random {
            out.push(0);
        }
    }
}

/// Where the payloads of one document are, while it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filling {
    /// Bytes of payload that were written.
    offset: u64,
    /// Bytes for the payloads without a length of their own, and how many share them.
    total: usize,
    sharers: usize,
    /// How many of them were written, and their bytes.
    written: usize,
    written_bytes: usize,
}

impl Filling {
    /// The bytes of the next one: they are split evenly, the last takes the remainder too.
    fn share(&mut self) -> usize {
        self.written += 1;
        let share = self.total / self.sharers.max(1);
        let bytes = match self.written.cmp(&self.sharers) {
            std::cmp::Ordering::Less => share,
            std::cmp::Ordering::Equal => self.total - share * (self.sharers - 1),
            std::cmp::Ordering::Greater => 0,
        };
        self.written_bytes += bytes;
        bytes
    }
}

/// The exact size of the documents of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    bytes: usize,
    /// Of the first document: what is no payload, and how many payloads fill it.
    overhead: usize,
    sharers: usize,
}

impl Size {
    /// The size that a template's payloads ask for, with the lengths of what `write`, which
    /// appends the first document, writes; `None` where they ask for none.
    pub(crate) fn learn(
        template: &Template,
        write: impl FnMut(&mut Filling, &mut Vec<u8>),
    ) -> Option<Result<Self, Fault>> {
        let bytes = document_bytes(template)?;
        let mut size = Self {
            bytes,
            overhead: bytes,
            sharers: 1,
        };
        let mut out = Vec::new();
        size.write(&mut out, write, |learnt| size = learnt);
        let overhead = size.overhead;
        Some(if overhead > bytes {
            Err(Fault::SizeTooSmall {
                size_bytes: bytes as u64,
                least_bytes: overhead as u64,
            })
        } else {
            Ok(size)
        })
    }

    /// The size, in bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes as u64
    }

    /// Appends a document of this size. `write` appends it with the payloads that it is given, and
    /// appends the same each time.
    pub(crate) fn fill(self, out: &mut Vec<u8>, write: impl FnMut(&mut Filling, &mut Vec<u8>)) {
        self.write(out, write, |_| {});
    }

    fn write(
        self,
        out: &mut Vec<u8>,
        mut write: impl FnMut(&mut Filling, &mut Vec<u8>),
        mut learnt: impl FnMut(Self),
    ) {
        let begin = out.len();
        let mut next = self;
        for _ in 0..ATTEMPTS {
            out.truncate(begin);
            let mut filling = Filling {
                total: next.bytes.saturating_sub(next.overhead),
                sharers: next.sharers,
                ..Filling::default()
            };
            write(&mut filling, out);
            let length = out.len() - begin;
            next.overhead = length - filling.written_bytes;
            next.sharers = filling.written;
            learnt(next);
            let most = next.overhead.max(next.bytes);
            if length == most || next.sharers == 0 {
                return;
            }
        }
    }
}

/// The size of a document that its payloads ask for.
fn document_bytes(template: &Template) -> Option<usize> {
    let mut bytes = None;
    template.for_each_generator(&mut |generator| {
        if let Generator::Payload(Payload {
            document_bytes: Some(size),
            ..
        }) = generator
        {
            bytes = usize::try_from(*size).ok();
        }
    });
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::StreamKey;
    use crate::payload::Style;
    use proptest::prelude::*;

    /// Appends other fields of this length and payloads that share the rest.
    fn write(pool: &Arc<Pool>, (other, payloads): (usize, usize), out: &mut Vec<u8>, size: Size) {
        let slot = PayloadSlot::new(&Payload::default(), Arc::clone(pool));
        size.fill(out, |filling, out| {
            out.extend(std::iter::repeat_n(7, other));
            for _ in 0..payloads {
                slot.write(3, filling, out);
            }
        });
    }

    proptest! {
        #[test]
        fn documents_whose_other_fields_differ_in_length_have_one_size(
            learnt in (0..300_usize, 1..4_usize), other in 0..300_usize, payloads in 1..5_usize,
            before in 0..9_usize
        ) {
            let pool = Arc::new(Pool::new(Style::Random, StreamKey::new(1), 1_000, 1_000));
            let size = Size { bytes: 400, overhead: learnt.0, sharers: learnt.1 };
            let mut out = vec![1; before];
            write(&pool, (other, payloads), &mut out, size);
            prop_assert_eq!(out.len() - before, 400);
        }
    }

    #[test]
    fn what_is_too_long_without_payloads_is_written_with_none() {
        let pool = Arc::new(Pool::new(Style::Random, StreamKey::new(1), 1_000, 1_000));
        let size = Size {
            bytes: 400,
            overhead: 20,
            sharers: 1,
        };
        let mut out = Vec::new();
        write(&pool, (500, 1), &mut out, size);
        assert_eq!(out.len(), 505);
    }
}
