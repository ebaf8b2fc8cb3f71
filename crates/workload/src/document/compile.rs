//! From a template to a program.

use std::borrow::Cow;
use std::sync::Arc;

use bson::{Bson, spec::ElementType};
use docstone_model::template::{DOCUMENT_MAX_BYTES, Distribution, IntType};
use docstone_model::{Generator, Template};

use super::encode::{FRAME_BYTES, constant, element};
use super::generator::{self, Choice};
use super::keys::Keys;
use super::lineage::Lineage;
use super::payload::{Filling, PayloadSlot, Size};
use super::program::{KeyDraw, Program, Slot};
use crate::error::{CompileError, Fault};
use crate::facts::Facts;
use crate::law::NumberLaw;
use crate::payloads::Payloads;

/// Where a template's values come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope<'a> {
    /// An operation under load.
    Load(&'a Facts),
    /// Documents that are loaded before the load, which know neither workers nor facts.
    Data {
        /// How many documents; 0 allows what only inserts can draw.
        count: u64,
    },
}

/// Compiles the templates of one operation or collection, and knows where it is in them.
pub(crate) struct Compiler<'a> {
    /// What `$key` can draw.
    pub(crate) keys: &'a Keys,
    /// What `$payload` is cut from.
    pub(crate) payloads: &'a Payloads,
    /// The operation's collection, or the one that is set up.
    pub(crate) collection: &'a str,
    /// Where values come from.
    pub(crate) scope: Scope<'a>,
    /// The names of all captured values of the plan, by their numbers.
    pub(crate) captures: &'a [String],
    /// The numbers of those that were met.
    pub(crate) needs: Vec<usize>,
    /// The streams of stored documents, for `ObjectId`s.
    pub(crate) lineage: Lineage,
    /// What errors name, such as ``operation `find` ``.
    pub(crate) subject: String,
    /// The keys that lead to the value at hand.
    pub(crate) path: Vec<String>,
}

impl Compiler<'_> {
    /// Compiles the fields of a document template that stands under `name`.
    pub(crate) fn document(
        &mut self,
        name: &str,
        template: &Template,
    ) -> Result<Program, CompileError> {
        self.within(name, |compiler| {
            let fields = compiler.fields_of(template)?;
            let program = compiler.fields(fields.iter())?;
            compiler.check_size(program.size_bytes() + FRAME_BYTES)?;
            Ok(program)
        })
    }

    /// Runs a step of the compiler below a key.
    pub(crate) fn within<T>(
        &mut self,
        key: &str,
        step: impl FnOnce(&mut Self) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        self.path.push(key.to_owned());
        let result = step(self);
        self.path.pop();
        result
    }

    /// An error at the value at hand.
    pub(crate) fn error(&self, fault: Fault) -> CompileError {
        CompileError {
            subject: self.subject.clone(),
            field: self.path.join("."),
            fault,
        }
    }

    /// The fields of a template that must be a document.
    pub(crate) fn fields_of<'t>(
        &self,
        template: &'t Template,
    ) -> Result<Cow<'t, [(String, Template)]>, CompileError> {
        match template {
            Template::Document(fields) => Ok(Cow::Borrowed(fields)),
            Template::Constant(Bson::Document(document)) => {
                let field = |(key, value): (&String, &Bson)| {
                    (key.clone(), Template::Constant(value.clone()))
                };
                Ok(document.iter().map(field).collect())
            }
            _ => Err(self.error(Fault::NotADocument)),
        }
    }

    /// Refuses a document that the server would refuse for its size.
    pub(crate) fn check_size(&self, size_bytes: u64) -> Result<(), CompileError> {
        if size_bytes > DOCUMENT_MAX_BYTES {
            return Err(self.error(Fault::TooLarge { size_bytes }));
        }
        Ok(())
    }

    /// The exact size that a document's payloads ask for, if they do. `write` appends the first
    /// document.
    pub(crate) fn exact_size(
        &self,
        template: &Template,
        write: impl FnMut(&mut Filling, &mut Vec<u8>),
    ) -> Result<Option<Size>, CompileError> {
        let size = Size::learn(template, write);
        let size = size.transpose().map_err(|fault| self.error(fault))?;
        if let Some(size) = size {
            self.check_size(size.bytes())?;
        }
        Ok(size)
    }

    /// Compiles fields in their order.
    pub(crate) fn fields<'t>(
        &mut self,
        fields: impl Iterator<Item = &'t (String, Template)>,
    ) -> Result<Program, CompileError> {
        let mut program = Program::default();
        for (name, template) in fields {
            self.within(name, |compiler| {
                compiler.field(name, template, &mut program)
            })?;
        }
        Ok(program)
    }

    fn field(
        &mut self,
        name: &str,
        template: &Template,
        program: &mut Program,
    ) -> Result<(), CompileError> {
        if let Template::Generator(Generator::Captured { name: value }) = template {
            let number = self.captured(value)?;
            let mut before = Vec::new();
            element(0, name, &mut before).map_err(|fault| self.error(fault))?;
            program.captured(before.split_off(1), number);
            return Ok(());
        }
        if let Template::Generator(Generator::OneOf(of)) = template {
            let choice = Choice::new(of, name).map_err(|fault| self.error(fault))?;
            program.one_of(choice);
            return Ok(());
        }
        let (kind, value) = self.value(template)?;
        let mut before = Vec::new();
        element(kind, name, &mut before).map_err(|fault| self.error(fault))?;
        program.literal(&before);
        program.append(value);
        Ok(())
    }

    /// Compiles a value: its BSON type and its bytes.
    pub(crate) fn value(&mut self, template: &Template) -> Result<(u8, Program), CompileError> {
        let mut program = Program::default();
        let kind = match template {
            Template::Constant(value) => {
                let (kind, bytes) = constant(value).map_err(|fault| self.error(fault))?;
                program.literal(&bytes);
                kind
            }
            Template::Document(fields) => {
                program.nested(self.fields(fields.iter())?);
                ElementType::EmbeddedDocument as u8
            }
            Template::Array(items) => {
                let mut fields = Program::default();
                for (position, item) in items.iter().enumerate() {
                    let name = position.to_string();
                    self.within(&name, |compiler| compiler.field(&name, item, &mut fields))?;
                }
                program.nested(fields);
                ElementType::Array as u8
            }
            Template::Generator(generator) => {
                let slot = self.slot(generator)?;
                let kind = slot.element_type();
                program.slot(slot);
                kind
            }
        };
        Ok((kind, program))
    }

    /// The number of a captured value.
    fn captured(&mut self, name: &str) -> Result<usize, CompileError> {
        let number = self.captures.iter().position(|known| known == name);
        let number = number.ok_or_else(|| {
            let name = name.to_owned();
            self.error(Fault::UnknownCapture { name })
        })?;
        if !self.needs.contains(&number) {
            self.needs.push(number);
        }
        Ok(number)
    }

    fn slot(&self, generator: &Generator) -> Result<Slot, CompileError> {
        if let Some(value) = generator::value(generator) {
            return Ok(Slot::Plain(value));
        }
        Ok(match generator {
            Generator::Sequence { start, step } => self.sequence(*start, *step)?,
            Generator::Int {
                min,
                max,
                distribution,
                int_type,
            } => match (int(*min, *max, *int_type), *distribution) {
                (slot, Distribution::Uniform) => slot,
                (slot, distribution) => Slot::Number {
                    law: Box::new(NumberLaw::new(distribution, *min, *max)),
                    narrow: matches!(slot, Slot::Int { .. }),
                },
            },
            Generator::String { length } => Slot::String { length: *length },
            Generator::Uuid {} => Slot::Uuid,
            Generator::ObjectId {} => Slot::ObjectId {
                origin: self.lineage.object_id(),
            },
            Generator::Now {} => Slot::Now,
            Generator::Key {
                distribution,
                collection,
                working_set,
                inserted,
            } => {
                let collection = collection.as_deref().unwrap_or(self.collection);
                let keys = self.keys.of(collection);
                let keys = keys.map_err(|fault| self.error(fault))?;
                let inserted = distribution.draws_inserted(*inserted);
                let draw = KeyDraw::new(keys, *distribution, *working_set, inserted);
                Slot::Key(Box::new(draw.map_err(|fault| self.error(fault))?))
            }
            Generator::Worker {} => {
                self.only_under_load("$worker")?;
                Slot::Worker
            }
            Generator::WorkerSequence {} => {
                self.only_under_load("$worker_sequence")?;
                Slot::WorkerSequence
            }
            Generator::FieldRange { field } => self.field_range(field)?,
            Generator::Payload(payload) => match self.payloads.pool(self.collection) {
                Some(pool) => Slot::Payload(PayloadSlot::new(payload, Arc::clone(pool))),
                None => return Err(self.error(Fault::NoPayloads)),
            },
            // Where it is the value of a field it was met before; here its type is asked for.
            Generator::Captured { .. } => {
                let generator = "$captured";
                return Err(self.error(Fault::OnlyUnderLoad { generator }));
            }
            // All others are plain values, or `$one_of`, as above.
            _ => return Err(self.error(Fault::IdOfSeveralTypes)),
        })
    }

    /// Loaded documents are known in number, so a sequence that would leave the 64-bit integers
    /// is refused. Under load it wraps around.
    fn sequence(&self, start: i64, step: i64) -> Result<Slot, CompileError> {
        if let Scope::Data { count } = self.scope {
            let last = i128::from(count.saturating_sub(1)) * i128::from(step) + i128::from(start);
            if i64::try_from(last).is_err() {
                return Err(self.error(Fault::SequenceOverflow));
            }
        }
        Ok(Slot::Sequence { start, step })
    }

    fn field_range(&self, field: &str) -> Result<Slot, CompileError> {
        let Scope::Load(facts) = self.scope else {
            self.only_under_load("$field_range")?;
            return Ok(Slot::Long { min: 0, max: 0 });
        };
        let key = (self.collection.to_owned(), field.to_owned());
        match facts.field_ranges.get(&key) {
            Some(&(min, max)) if min <= max => Ok(Slot::Long { min, max }),
            _ => Err(self.error(Fault::FieldRangeUnknown {
                collection: key.0,
                field: key.1,
            })),
        }
    }

    fn only_under_load(&self, generator: &'static str) -> Result<(), CompileError> {
        match self.scope {
            Scope::Data { count: 1.. } => Err(self.error(Fault::OnlyUnderLoad { generator })),
            Scope::Data { count: 0 } | Scope::Load(_) => Ok(()),
        }
    }
}

fn int(min: i64, max: i64, int_type: Option<IntType>) -> Slot {
    match (i32::try_from(min), i32::try_from(max), int_type) {
        (Ok(min), Ok(max), None | Some(IntType::Int)) => Slot::Int { min, max },
        _ => Slot::Long { min, max },
    }
}
