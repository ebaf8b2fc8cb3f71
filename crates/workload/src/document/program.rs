//! The program of a template: bytes that never change, and slots between them.

use super::encode::framed;
use super::slot::Slot;
use crate::draw::Draw;

/// What a program draws from.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    /// The stream of draws.
    pub(crate) draw: &'a mut Draw,
    /// The number of the document, or of the operation where there is no document.
    pub(crate) number: u64,
    /// The worker's number from 1.
    pub(crate) worker: i32,
    /// How often this worker has drawn this operation, from 1.
    pub(crate) worker_sequence: i64,
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
            draw: &mut crate::draw::StreamKey::new(0).draw(),
            number: 0,
            worker: 1,
            worker_sequence: 1,
        };
        self.write(&mut context, &mut out);
        out.len() as u64
    }
}
