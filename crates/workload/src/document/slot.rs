//! Slots: the generators of a template, ready to be drawn.

use std::sync::Arc;

use bson::spec::{BinarySubtype, ElementType};

use super::program::Context;
use crate::key::KeySource;

/// The first four bytes of each `ObjectId`: 2024-01-01T00:00:00Z. A constant, since the same plan
/// and seed shall give the same keys at any time.
const OBJECT_ID_TIME: [u8; 4] = 1_704_067_200_u32.to_be_bytes();

/// A value that is drawn.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// `start + number * step`, 64 bits.
    Sequence { start: i64, step: i64 },
    /// An integer from `min` to `max` of 32 bits.
    Int { min: i32, max: i32 },
    /// An integer from `min` to `max` of 64 bits.
    Long { min: i64, max: i64 },
    /// Characters.
    String { length: u32 },
    /// A random UUID.
    Uuid,
    /// Time, these two bytes, number.
    ObjectId { origin: [u8; 2] },
    /// The time of the draw.
    Now,
    /// The `_id` of a loaded document.
    Key(Arc<KeySource>),
    /// The worker's number from 1.
    Worker,
    /// How often this worker has drawn this operation.
    WorkerSequence,
}

impl Slot {
    /// The BSON type of the value.
    pub(super) fn element_type(&self) -> u8 {
        match self {
            Self::Sequence { .. } | Self::Long { .. } | Self::WorkerSequence => {
                ElementType::Int64 as u8
            }
            Self::Int { .. } | Self::Worker => ElementType::Int32 as u8,
            Self::String { .. } => ElementType::String as u8,
            Self::Uuid => ElementType::Binary as u8,
            Self::ObjectId { .. } => ElementType::ObjectId as u8,
            Self::Now => ElementType::DateTime as u8,
            Self::Key(keys) => keys.element_type(),
        }
    }

    /// Draws the value and appends it.
    pub(super) fn write(&self, context: &mut Context<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Sequence { start, step } => {
                let offset = step.wrapping_mul(context.number.cast_signed());
                out.extend_from_slice(&start.wrapping_add(offset).to_le_bytes());
            }
            Self::Int { min, max } => {
                let value = context.draw.int((*min).into(), (*max).into());
                let value = i32::try_from(value).expect("both bounds have 32 bits");
                out.extend_from_slice(&value.to_le_bytes());
            }
            Self::Long { min, max } => {
                out.extend_from_slice(&context.draw.int(*min, *max).to_le_bytes());
            }
            Self::String { length } => {
                // The length counts the zero byte at the end.
                out.extend_from_slice(&(length + 1).to_le_bytes());
                context.draw.characters(*length as usize, out);
                out.push(0);
            }
            Self::Uuid => write_uuid(context, out),
            Self::ObjectId { origin } => {
                out.extend_from_slice(&OBJECT_ID_TIME);
                out.extend_from_slice(origin);
                out.extend_from_slice(&context.number.to_be_bytes()[2..]);
            }
            Self::Now => {
                let now_ms = bson::DateTime::now().timestamp_millis();
                out.extend_from_slice(&now_ms.to_le_bytes());
            }
            Self::Key(keys) => keys.write(context.draw, out),
            Self::Worker => out.extend_from_slice(&context.worker.to_le_bytes()),
            Self::WorkerSequence => out.extend_from_slice(&context.worker_sequence.to_le_bytes()),
        }
    }
}

fn write_uuid(context: &mut Context<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(&16_i32.to_le_bytes());
    out.push(u8::from(BinarySubtype::Uuid));
    let begin = out.len();
    out.extend_from_slice(&context.draw.bits().to_be_bytes());
    out.extend_from_slice(&context.draw.bits().to_be_bytes());
    // Version 4 and the variant of RFC 9562.
    out[begin + 6] = out[begin + 6] & 0x0f | 0x40;
    out[begin + 8] = out[begin + 8] & 0x3f | 0x80;
}
