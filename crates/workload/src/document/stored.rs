//! Stored documents: the `_id` from its own stream, then the rest.

use docstone_model::{CollectionPlan, Generator, OperationPlan, Template};

use super::compile::{Compiler, Scope};
use super::encode::{FRAME_BYTES, cannot_be_id, element, framed};
use super::keys::Keys;
use super::lineage::Lineage;
use super::payload::{Filling, Size};
use super::program::{Context, Program, Slot, Worker};
use crate::draw::Draw;
use crate::error::{CompileError, Fault};
use crate::facts::{CollectionFacts, Facts};
use crate::payloads::Payloads;

/// The template of a document that names no fields.
static NO_FIELDS: Template = Template::Document(Vec::new());

/// What an `_id` is where the template names none.
static OBJECT_ID: Template = Template::Generator(Generator::ObjectId {});

/// The `_id` of a stored document.
#[derive(Debug)]
pub(crate) struct IdProgram {
    /// Its BSON type.
    pub(crate) kind: u8,
    /// Its value.
    pub(crate) value: Program,
}

impl IdProgram {
    /// The `_id` of a collection's data plan, which draws no keys.
    pub(crate) fn of_data(seed: u64, data: &CollectionPlan) -> Result<Self, CompileError> {
        let (keys, payloads) = (Keys::default(), Payloads::default());
        let mut compiler = data_compiler(seed, data, &keys, &payloads);
        compiler.within("document", |compiler| {
            let fields = compiler.fields_of(data.document.as_ref().unwrap_or(&NO_FIELDS))?;
            Self::compile(compiler, &fields, None)
        })
    }

    /// The `_id` of the documents that an operation inserts, where it is a function of the
    /// document's number.
    pub(crate) fn of_insert(
        (seed, facts): (u64, &Facts),
        (operation, template): (&OperationPlan, &Template),
        collection: CollectionFacts,
    ) -> Result<Self, CompileError> {
        let keys = Keys::default();
        let mut compiler = Compiler {
            keys: &keys,
            payloads: &facts.payloads,
            collection: &operation.collection,
            scope: Scope::Load(facts),
            captures: &[],
            needs: Vec::new(),
            lineage: Lineage::of_era(seed, &operation.collection, collection.era),
            subject: format!("operation `{}`", operation.name),
            path: Vec::new(),
        };
        compiler.within("document", |compiler| {
            let fields = compiler.fields_of(template)?;
            Self::compile(compiler, &fields, Some(collection))
        })
    }

    /// Compiles the `_id` among these fields. Where facts are given and it is a `$sequence`, it
    /// goes on after the largest `_id` that is there.
    fn compile(
        compiler: &mut Compiler<'_>,
        fields: &[(String, Template)],
        facts: Option<CollectionFacts>,
    ) -> Result<Self, CompileError> {
        let id = fields.iter().find(|(name, _)| name == "_id");
        let template = id.map_or(&OBJECT_ID, |(_, template)| template);
        compiler.within("_id", |compiler| {
            let (kind, mut value) = compiler.value(template)?;
            if cannot_be_id(kind) {
                return Err(compiler.error(Fault::IdType));
            }
            if let (Template::Generator(Generator::Sequence { start, step }), Some(facts)) =
                (template, facts)
            {
                let start = continued(*start, *step, facts)
                    .ok_or_else(|| compiler.error(Fault::SequenceOverflow))?;
                value = Program::default();
                value.slot(Slot::Sequence { start, step: *step });
            }
            Ok(Self { kind, value })
        })
    }
}

/// A document to load or to insert: `_id` first, wherever the template has it.
#[derive(Debug)]
pub(crate) struct StoredProgram {
    id: Program,
    rest: Program,
    lineage: Lineage,
    /// Where its payloads give it an exact one.
    size: Option<Size>,
}

impl StoredProgram {
    /// The documents of a collection's data plan.
    pub(crate) fn of_data(
        seed: u64,
        data: &CollectionPlan,
        keys: &Keys,
        payloads: &Payloads,
    ) -> Result<Self, CompileError> {
        let template = data.document.as_ref().unwrap_or(&NO_FIELDS);
        let mut compiler = data_compiler(seed, data, keys, payloads);
        Self::compile(&mut compiler, template, None)
    }

    /// The documents that an operation inserts.
    pub(crate) fn of_insert(
        compiler: &mut Compiler<'_>,
        template: &Template,
        facts: CollectionFacts,
    ) -> Result<Self, CompileError> {
        Self::compile(compiler, template, Some(facts))
    }

    fn compile(
        compiler: &mut Compiler<'_>,
        template: &Template,
        facts: Option<CollectionFacts>,
    ) -> Result<Self, CompileError> {
        compiler.within("document", |compiler| {
            let fields = compiler.fields_of(template)?;
            let id = IdProgram::compile(compiler, &fields, facts)?;
            let mut before = Vec::new();
            element(id.kind, "_id", &mut before).expect("`_id` has no zero byte");
            let mut program = Program::default();
            program.literal(&before);
            program.append(id.value);
            let mut stored = Self {
                id: program,
                rest: compiler.fields(fields.iter().filter(|(name, _)| name != "_id"))?,
                lineage: compiler.lineage,
                size: None,
            };
            let fields_bytes = stored.id.size_bytes() + stored.rest.size_bytes();
            compiler.check_size(fields_bytes + FRAME_BYTES)?;
            stored.size = compiler.exact_size(template, |filling, out| {
                stored.write_with(filling, 0, Worker::default(), out);
            })?;
            Ok(stored)
        })
    }

    /// Appends document `number`.
    pub(crate) fn write(&self, number: u64, worker: Worker<'_>, out: &mut Vec<u8>) {
        match self.size {
            None => self.write_with(&mut Filling::default(), number, worker, out),
            Some(size) => size.fill(out, |filling, out| {
                self.write_with(filling, number, worker, out);
            }),
        }
    }

    fn write_with(
        &self,
        filling: &mut Filling,
        number: u64,
        worker: Worker<'_>,
        out: &mut Vec<u8>,
    ) {
        framed(out, |out| {
            write_id(&self.id, self.lineage.id(number), (number, worker), out);
            let mut context = Context {
                draw: &mut self.lineage.rest(number),
                number,
                worker,
                filling: *filling,
            };
            self.rest.write(&mut context, out);
            *filling = context.filling;
        });
    }

    /// Appends a document with the `_id` of document `number` alone.
    pub(crate) fn write_id(&self, number: u64, out: &mut Vec<u8>) {
        let of = (number, Worker::default());
        framed(out, |out| {
            write_id(&self.id, self.lineage.id(number), of, out);
        });
    }
}

fn write_id(program: &Program, mut draw: Draw, of: (u64, Worker<'_>), out: &mut Vec<u8>) {
    let mut context = Context {
        draw: &mut draw,
        number: of.0,
        worker: of.1,
        filling: Filling::default(),
    };
    program.write(&mut context, out);
}

fn data_compiler<'a>(
    seed: u64,
    data: &'a CollectionPlan,
    keys: &'a Keys,
    payloads: &'a Payloads,
) -> Compiler<'a> {
    Compiler {
        keys,
        payloads,
        collection: &data.name,
        scope: Scope::Data { count: data.count },
        captures: &[],
        needs: Vec::new(),
        lineage: Lineage::loaded(seed, &data.name),
        subject: format!("collection `{}`", data.name),
        path: Vec::new(),
    }
}

/// The start of an `_id` sequence such that the first inserted document goes on after the largest
/// `_id` that is there; `None` if there is no room for all that may be inserted.
fn continued(start: i64, step: i64, facts: CollectionFacts) -> Option<i64> {
    let (first, stride) = (i128::from(start), i128::from(step));
    let planned = first + i128::from(facts.next_document) * stride;
    // The first value of the progression beyond the largest `_id`, in the direction of the step.
    let beyond = facts.max_id.map_or(planned, |max_id| {
        match (i128::from(max_id) - first) * stride.signum() {
            ..0 => first,
            distance => first + (distance / stride.abs() + 1) * stride,
        }
    });
    let next = if step > 0 {
        planned.max(beyond)
    } else {
        planned.min(beyond)
    };
    let last = next + i128::from(facts.inserts.saturating_sub(1)) * stride;
    let (next, _) = (i64::try_from(next).ok()?, i64::try_from(last).ok()?);
    // Sequences count from document 0, in arithmetic that wraps around.
    let offset = step.wrapping_mul(facts.next_document.cast_signed());
    Some(next.wrapping_sub(offset))
}
