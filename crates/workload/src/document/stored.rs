//! Stored documents: the `_id` from its own stream, then the rest.

use docstone_model::{CollectionPlan, Generator, Plan, Template};

use super::compile::{Compiler, Scope};
use super::encode::{cannot_be_id, element, framed};
use super::lineage::Lineage;
use super::program::{Context, Program};
use super::slot::Slot;
use crate::error::{CompileError, Fault};
use crate::facts::CollectionFacts;

/// The template of a document that names no fields.
static NO_FIELDS: Template = Template::Document(Vec::new());

/// What an `_id` is where the template names none.
static OBJECT_ID: Template = Template::Generator(Generator::ObjectId {});

/// Bytes of a document besides its fields.
const FRAME_BYTES: u64 = 5;

/// The `_id` of a stored document.
#[derive(Debug)]
pub(crate) struct IdProgram {
    kind: u8,
    value: Program,
}

impl IdProgram {
    /// The `_id` of a collection's data plan.
    pub(crate) fn of_data(plan: &Plan, data: &CollectionPlan) -> Result<Self, CompileError> {
        let mut compiler = data_compiler(plan, data);
        let template = data.document.as_ref().unwrap_or(&NO_FIELDS);
        compiler.within("document", |compiler| {
            let fields = compiler.fields_of(template)?;
            Self::compile(compiler, &fields)
        })
    }

    fn compile(
        compiler: &mut Compiler<'_>,
        fields: &[(String, Template)],
    ) -> Result<Self, CompileError> {
        let id = fields.iter().find(|(name, _)| name == "_id");
        let template = id.map_or(&OBJECT_ID, |(_, template)| template);
        compiler.within("_id", |compiler| {
            let (kind, value) = compiler.value(template)?;
            if cannot_be_id(kind) {
                return Err(compiler.error(Fault::IdType));
            }
            Ok(Self { kind, value })
        })
    }

    /// The BSON type of the `_id`.
    pub(crate) fn element_type(&self) -> u8 {
        self.kind
    }

    /// Appends the value alone.
    pub(crate) fn write_value(&self, context: &mut Context<'_>, out: &mut Vec<u8>) {
        self.value.write(context, out);
    }
}

/// A document to load or to insert: `_id` first, wherever the template has it.
#[derive(Debug)]
pub(crate) struct StoredProgram {
    id: Program,
    rest: Program,
    lineage: Lineage,
}

impl StoredProgram {
    /// The documents of a collection's data plan.
    pub(crate) fn of_data(plan: &Plan, data: &CollectionPlan) -> Result<Self, CompileError> {
        let mut compiler = data_compiler(plan, data);
        let template = data.document.as_ref().unwrap_or(&NO_FIELDS);
        compiler.within("document", |compiler| {
            let fields = compiler.fields_of(template)?;
            let id = IdProgram::compile(compiler, &fields)?;
            Self::compile(compiler, id, &fields)
        })
    }

    /// The documents that an operation inserts.
    pub(crate) fn of_insert(
        compiler: &mut Compiler<'_>,
        template: &Template,
        facts: CollectionFacts,
    ) -> Result<Self, CompileError> {
        compiler.within("document", |compiler| {
            let fields = compiler.fields_of(template)?;
            let mut id = IdProgram::compile(compiler, &fields)?;
            let sequence = fields.iter().find_map(|(name, template)| match template {
                Template::Generator(Generator::Sequence { start, step }) if name == "_id" => {
                    Some((*start, *step))
                }
                _ => None,
            });
            if let Some((start, step)) = sequence {
                let start = continued(start, step, facts).ok_or_else(|| {
                    compiler.path.push("_id".to_owned());
                    let error = compiler.error(Fault::SequenceOverflow);
                    compiler.path.pop();
                    error
                })?;
                id.value = Program::default();
                id.value.slot(Slot::Sequence { start, step });
            }
            Self::compile(compiler, id, &fields)
        })
    }

    fn compile(
        compiler: &mut Compiler<'_>,
        id: IdProgram,
        fields: &[(String, Template)],
    ) -> Result<Self, CompileError> {
        let mut before = Vec::new();
        element(id.kind, "_id", &mut before).expect("`_id` has no zero byte");
        let mut program = Program::default();
        program.literal(&before);
        program.append(id.value);
        let stored = Self {
            id: program,
            rest: compiler.fields(fields.iter().filter(|(name, _)| name != "_id"))?,
            lineage: compiler.lineage,
        };
        let fields_bytes = stored.id.size_bytes() + stored.rest.size_bytes();
        compiler.check_size(fields_bytes + FRAME_BYTES)?;
        Ok(stored)
    }

    /// Appends document `number` as it is loaded, without workers.
    pub(crate) fn write(&self, number: u64, out: &mut Vec<u8>) {
        self.write_as((0, 0), number, out);
    }

    /// Appends document `number`; `worker` is the number of the worker and how often it has drawn
    /// this operation.
    pub(crate) fn write_as(&self, worker: (i32, i64), number: u64, out: &mut Vec<u8>) {
        framed(out, |out| {
            self.write_id(worker, number, out);
            self.rest.write(
                &mut context(&mut self.lineage.rest(number), worker, number),
                out,
            );
        });
    }

    /// Appends a document with the `_id` of document `number` alone.
    pub(crate) fn write_id_alone(&self, number: u64, out: &mut Vec<u8>) {
        framed(out, |out| self.write_id((0, 0), number, out));
    }

    fn write_id(&self, worker: (i32, i64), number: u64, out: &mut Vec<u8>) {
        self.id.write(
            &mut context(&mut self.lineage.id(number), worker, number),
            out,
        );
    }
}

fn context(draw: &mut crate::draw::Draw, worker: (i32, i64), number: u64) -> Context<'_> {
    Context {
        draw,
        number,
        worker: worker.0,
        worker_sequence: worker.1,
    }
}

fn data_compiler<'a>(plan: &'a Plan, data: &'a CollectionPlan) -> Compiler<'a> {
    Compiler {
        plan,
        collection: &data.name,
        scope: Scope::Data { count: data.count },
        lineage: Lineage::loaded(plan.seed, &data.name),
        subject: format!("collection `{}`", data.name),
        path: Vec::new(),
    }
}

/// The start of an `_id` sequence such that the first inserted document goes on after the largest
/// `_id` that is there; `None` if there is no room for it.
fn continued(start: i64, step: i64, facts: CollectionFacts) -> Option<i64> {
    let Some(max_id) = facts.max_id else {
        return Some(start);
    };
    let (first, step, max_id) = (i128::from(start), i128::from(step), i128::from(max_id));
    let planned = first + i128::from(facts.next_document) * step;
    // The first value of the progression beyond the largest `_id`, in the direction of the step.
    let beyond = match (max_id - first) * step.signum() {
        ..0 => first,
        distance => first + (distance / step.abs() + 1) * step,
    };
    let next = if step > 0 {
        planned.max(beyond)
    } else {
        planned.min(beyond)
    };
    let next = i64::try_from(next).ok()?;
    // Sequences count from document 0, in arithmetic that wraps around.
    let offset = i64::try_from(step)
        .ok()?
        .wrapping_mul(facts.next_document.cast_signed());
    Some(next.wrapping_sub(offset))
}
