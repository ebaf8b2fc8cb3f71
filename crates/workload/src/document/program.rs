//! The program of a template: bytes that never change, and slots for what is drawn between them.

use std::sync::Arc;

use bson::spec::{BinarySubtype, ElementType};
use docstone_model::template::{KeyDistribution, WorkingSet};

use super::encode::framed;
use super::generator::{Choice, Value};
use super::lineage::Lineage;
use super::payload::{Filling, PayloadSlot};
use crate::captures::{Captures, NO_CAPTURES};
use crate::draw::{Draw, StreamKey};
use crate::error::Fault;
use crate::inserted::Inserted;
use crate::law::{KeyLaw, NumberLaw};

/// What a program draws from.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    /// The stream of draws.
    pub(crate) draw: &'a mut Draw,
    /// The number of the document, or of the operation where there is no new document.
    pub(crate) number: u64,
    /// Who draws.
    pub(crate) worker: Worker<'a>,
    /// Where its payloads are.
    pub(crate) filling: Filling,
}

/// Who draws.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worker<'a> {
    /// Its number within its group, from 1; 0 where there are no workers.
    pub(crate) number: i32,
    /// How often it has drawn this operation, from 1.
    pub(crate) drawn: i64,
    /// What its iteration has captured.
    pub(crate) captures: &'a Captures,
}

impl Default for Worker<'_> {
    fn default() -> Self {
        Self {
            number: 0,
            drawn: 0,
            captures: &NO_CAPTURES,
        }
    }
}

/// Appends encoded BSON: the fields of a document, or one value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program(Vec<Instruction>);

#[derive(Clone, Debug)]
enum Instruction {
    /// Always the same bytes.
    Literal(Vec<u8>),
    /// A drawn value.
    Slot(Slot),
    /// A field with the value of a captured one, whose type is known when it is written: what
    /// stands in a document behind the type, and the number of the value.
    Captured { name: Vec<u8>, number: usize },
    /// A field with one of some values, whose types may differ.
    OneOf(Arc<Choice>),
    /// A document or an array in which something is drawn; its length is known when it is written.
    Nested(Program),
}

impl Program {
    /// Appends bytes that never change.
    pub(super) fn literal(&mut self, bytes: &[u8]) {
        match self.0.last_mut() {
            Some(Instruction::Literal(before)) => before.extend_from_slice(bytes),
            _ => self.0.push(Instruction::Literal(bytes.to_vec())),
        }
    }

    /// Appends a drawn value.
    pub(super) fn slot(&mut self, slot: Slot) {
        self.0.push(Instruction::Slot(slot));
    }

    /// Appends a field with the value of a captured one. `name` ends with its zero byte.
    pub(super) fn captured(&mut self, name: Vec<u8>, number: usize) {
        self.0.push(Instruction::Captured { name, number });
    }

    /// Appends a field with one of some values.
    pub(super) fn one_of(&mut self, choice: Choice) {
        self.0.push(Instruction::OneOf(Arc::new(choice)));
    }

    /// Appends another program.
    pub(super) fn append(&mut self, other: Self) {
        for instruction in other.0 {
            match instruction {
                Instruction::Literal(bytes) => self.literal(&bytes),
                other => self.0.push(other),
            }
        }
    }

    /// Appends a document with the fields of another program. Where nothing is drawn in it, its
    /// length is a constant too, and all of it becomes a literal.
    pub(super) fn nested(&mut self, fields: Self) {
        match fields.0.as_slice() {
            [] => self.framed_literal(&[]),
            [Instruction::Literal(bytes)] => self.framed_literal(bytes),
            _ => self.0.push(Instruction::Nested(fields)),
        }
    }

    fn framed_literal(&mut self, fields: &[u8]) {
        let mut bytes = Vec::new();
        framed(&mut bytes, |out| out.extend_from_slice(fields));
        self.literal(&bytes);
    }

    /// Draws all slots and appends the bytes.
    pub(super) fn write(&self, context: &mut Context<'_>, out: &mut Vec<u8>) {
        for instruction in &self.0 {
            match instruction {
                Instruction::Literal(bytes) => out.extend_from_slice(bytes),
                Instruction::Slot(slot) => slot.write(context, out),
                Instruction::Captured { name, number } => {
                    // A step does not run without what it needs.
                    if let Some(value) = context.worker.captures.get(*number) {
                        out.push(value.kind);
                        out.extend_from_slice(name);
                        out.extend_from_slice(&value.bytes);
                    }
                }
                Instruction::OneOf(choice) => choice.write(context.draw, out),
                Instruction::Nested(fields) => framed(out, |out| fields.write(context, out)),
            }
        }
    }

    /// Draws all slots and appends a document with this program's fields.
    pub(crate) fn write_document(&self, context: &mut Context<'_>, out: &mut Vec<u8>) {
        framed(out, |out| self.write(context, out));
    }

    /// Bytes that are appended, as drawn for document 0.
    pub(super) fn size_bytes(&self) -> u64 {
        let mut out = Vec::new();
        let mut context = Context {
            draw: &mut StreamKey::new(0).draw(),
            number: 0,
            worker: Worker::default(),
            filling: Filling::default(),
        };
        self.write(&mut context, &mut out);
        out.len() as u64
    }
}

/// A value that is drawn.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// `start + number * step`, 64 bits.
    Sequence { start: i64, step: i64 },
    /// An integer from `min` to `max` of 32 bits.
    Int { min: i32, max: i32 },
    /// An integer from `min` to `max` of 64 bits.
    Long { min: i64, max: i64 },
    /// An integer by a law; of 32 bits if it is narrow, else of 64.
    Number { law: Box<NumberLaw>, narrow: bool },
    /// Characters.
    String { length: u32 },
    /// A random UUID.
    Uuid,
    /// Time, these two bytes, number.
    ObjectId { origin: [u8; 6] },
    /// The time of the draw.
    Now,
    /// The `_id` of a document that was loaded or inserted.
    Key(Box<KeyDraw>),
    /// The worker's number from 1.
    Worker,
    /// How often this worker has drawn this operation.
    WorkerSequence,
    /// A value that follows from the stream alone.
    Plain(Arc<dyn Value>),
    /// A slice of a pool.
    Payload(PayloadSlot),
}

impl Slot {
    /// The BSON type of the value.
    pub(super) fn element_type(&self) -> u8 {
        match self {
            Self::Int { .. } | Self::Number { narrow: true, .. } | Self::Worker => {
                ElementType::Int32 as u8
            }
            Self::Sequence { .. }
            | Self::Long { .. }
            | Self::Number { .. }
            | Self::WorkerSequence => ElementType::Int64 as u8,
            Self::String { .. } => ElementType::String as u8,
            Self::Uuid => ElementType::Binary as u8,
            Self::ObjectId { .. } => ElementType::ObjectId as u8,
            Self::Now => ElementType::DateTime as u8,
            Self::Key(keys) => keys.source.kind,
            Self::Plain(value) => value.element_type(),
            Self::Payload(payload) => payload.element_type(),
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
            Self::Number { law, narrow } => {
                let bytes = law.draw(context.draw).to_le_bytes();
                // Both bounds of a narrow one have 32 bits, so the upper half only has the sign.
                out.extend_from_slice(if *narrow { &bytes[..4] } else { &bytes });
            }
            Self::String { length } => {
                // The length counts the zero byte at the end.
                out.extend_from_slice(&(length + 1).to_le_bytes());
                context.draw.characters(*length as usize, out);
                out.push(0);
            }
            Self::Uuid => write_uuid(context, out),
            Self::ObjectId { origin } => {
                out.extend_from_slice(origin);
                out.extend_from_slice(&context.number.to_be_bytes()[2..]);
            }
            Self::Now => {
                let now_ms = bson::DateTime::now().timestamp_millis();
                out.extend_from_slice(&now_ms.to_le_bytes());
            }
            Self::Key(keys) => keys.write(context.number, context.draw, out),
            Self::Worker => out.extend_from_slice(&context.worker.number.to_le_bytes()),
            Self::WorkerSequence => out.extend_from_slice(&context.worker.drawn.to_le_bytes()),
            Self::Plain(value) => value.write(context.draw, out),
            Self::Payload(payload) => payload.write(context.number, &mut context.filling, out),
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

/// The `_id` of the documents of a collection's data plan, computed again from their numbers.
#[derive(Debug)]
pub(crate) struct KeySource {
    /// Loaded documents, at least 1.
    pub(crate) count: u64,
    /// The BSON type of their `_id`.
    pub(crate) kind: u8,
    /// What makes their `_id`.
    pub(crate) ids: Ids,
    /// Those that the load inserts, or why they cannot be drawn; `None` where none is inserted or
    /// asked for.
    pub(crate) inserted: Option<Result<Arc<InsertedKeys>, Fault>>,
}

/// The `_id` of the documents that a step inserts.
#[derive(Debug)]
pub(crate) struct InsertedKeys {
    /// Which of them are there.
    pub(crate) documents: Arc<Inserted>,
    /// What makes their `_id`, of the same type as those of the loaded documents.
    pub(crate) ids: Ids,
}

/// What makes the `_id` of a document from its number.
#[derive(Debug)]
pub(crate) struct Ids {
    /// The documents' streams.
    pub(crate) lineage: Lineage,
    /// The value, which draws neither keys nor workers.
    pub(crate) value: Program,
}

impl Ids {
    /// Appends the value of the `_id` of document `number`.
    fn write(&self, number: u64, out: &mut Vec<u8>) {
        let mut context = Context {
            draw: &mut self.lineage.id(number),
            number,
            worker: Worker::default(),
            filling: Filling::default(),
        };
        self.value.write(&mut context, out);
    }
}

/// Draws documents by a law, for their `_id`.
#[derive(Clone, Debug)]
pub(super) struct KeyDraw {
    source: Arc<KeySource>,
    inserted: Option<Arc<InsertedKeys>>,
    law: KeyLaw,
}

impl KeyDraw {
    /// A distribution over the loaded documents, and over those that the load inserts, where it does
    /// and they are wanted.
    pub(super) fn new(
        source: Arc<KeySource>,
        distribution: KeyDistribution,
        working_set: Option<WorkingSet>,
        wants_inserted: bool,
    ) -> Result<Self, Fault> {
        let inserted = source.inserted.as_ref().filter(|_| wants_inserted);
        let inserted = inserted.cloned().transpose()?;
        let law = match inserted {
            Some(_) => KeyLaw::growing(distribution, working_set, source.count),
            None => KeyLaw::new(distribution, working_set, source.count),
        };
        Ok(Self {
            source,
            inserted,
            law,
        })
    }

    /// Draws a document and appends the value of its `_id`. `number` is that of the operation, or
    /// of the document that holds the key.
    fn write(&self, number: u64, draw: &mut Draw, out: &mut Vec<u8>) {
        let loaded = self.source.count;
        let Some(keys) = &self.inserted else {
            let position = self.law.position(loaded, number, draw);
            return self.source.ids.write(position, out);
        };
        let documents = loaded + keys.documents.len();
        let position = self.law.position(documents, number, draw);
        match position.checked_sub(loaded) {
            None => self.source.ids.write(position, out),
            Some(position) => match keys.documents.number(position) {
                Some(number) => keys.ids.write(number, out),
                None => self.source.ids.write(loaded - 1, out),
            },
        }
    }
}
