//! One operation of the plan, compiled.

use docstone_model::{OperationKind, OperationPlan, Template, plan};

use crate::document::{
    Compiler, Context, Filling, Keys, Lineage, Program, Scope, Size, StoredProgram, Worker,
};
use crate::draw::StreamKey;
use crate::error::{CompileError, Fault};
use crate::facts::{CollectionFacts, Facts};

/// What an operation draws.
#[derive(Debug)]
pub(crate) struct OperationProgram {
    pub(crate) filter: Option<Program>,
    pub(crate) payload: Payload,
    /// Further templates, as one document with a field for each.
    pub(crate) arguments: Option<Program>,
    /// The operations that it consists of, and how often they are sent.
    pub(crate) calls: (Vec<Self>, u32),
    /// New documents of one call.
    pub(crate) inserts: u32,
    /// The position of the collection that it inserts into; 0 where it inserts nothing.
    pub(crate) insert_into: usize,
    /// The numbers of the captured values that it draws.
    pub(crate) needs: Vec<usize>,
}

/// What an operation sends besides its filter.
#[derive(Debug)]
pub(crate) enum Payload {
    /// Nothing.
    None,
    /// Update operators or a replacement, drawn like the filter.
    Drawn(Drawn),
    /// A new document, drawn by its own number.
    Insert(StoredProgram),
}

impl OperationProgram {
    /// An operation that consists of others.
    pub(crate) fn of_calls(calls: Vec<Self>, kind: &OperationKind) -> Self {
        let repeat = match kind {
            OperationKind::BulkWrite { repeat, .. } => *repeat,
            _ => 1,
        };
        let mut needs: Vec<usize> = calls.iter().flat_map(|call| call.needs.clone()).collect();
        needs.sort_unstable();
        needs.dedup();
        Self {
            filter: None,
            payload: Payload::None,
            arguments: None,
            calls: (calls, repeat),
            inserts: 0,
            insert_into: 0,
            needs,
        }
    }

    /// Compiles the templates of an operation.
    pub(crate) fn compile(
        seed: u64,
        operation: &OperationPlan,
        (keys, captures): (&Keys, &[String]),
        facts: &Facts,
        (collection, insert_into): (CollectionFacts, usize),
    ) -> Result<Self, CompileError> {
        let parts = operation.kind.parts();
        let inserts = parts.inserts > 0;
        let name = &operation.collection;
        let mut compiler = Compiler {
            keys,
            payloads: &facts.payloads,
            collection: name,
            scope: Scope::Load(facts),
            captures,
            needs: Vec::new(),
            // Only inserts make new documents: an `ObjectId` in a filter is that of a loaded one.
            lineage: Lineage::of_era(seed, name, if inserts { collection.era } else { 0 }),
            subject: format!("operation `{}`", operation.name),
            path: Vec::new(),
        };
        let filter = parts
            .filter
            .map(|template| compiler.document("filter", template));
        let filter = filter.transpose()?;
        let payload = match parts.payload {
            plan::Payload::None | plan::Payload::Update(Template::Array(_)) => Payload::None,
            plan::Payload::Insert(document) => Payload::Insert(StoredProgram::of_insert(
                &mut compiler,
                document,
                collection,
            )?),
            plan::Payload::Replacement(document) => {
                Payload::Drawn(replacement(&mut compiler, document)?)
            }
            plan::Payload::Update(update) => Payload::Drawn(Drawn {
                program: operators(&mut compiler, update)?,
                size: None,
            }),
        };
        let arguments = arguments(&mut compiler, &parts)?;
        Ok(Self {
            calls: (Vec::new(), 1),
            filter,
            payload,
            arguments,
            inserts: parts.inserts,
            insert_into,
            needs: compiler.needs,
        })
    }
}

/// What is drawn like the filter.
#[derive(Debug)]
pub(crate) struct Drawn {
    program: Program,
    /// Where its payloads give it an exact one.
    size: Option<Size>,
}

impl Drawn {
    /// Draws it and appends it.
    pub(crate) fn write(&self, context: &mut Context<'_>, out: &mut Vec<u8>) {
        let Some(size) = self.size else {
            return self.program.write_document(context, out);
        };
        let begin = context.draw.clone();
        size.fill(out, |filling, out| {
            *context.draw = begin.clone();
            context.filling = *filling;
            self.program.write_document(context, out);
            *filling = context.filling;
        });
    }
}

/// What an operation sends besides filter and payload, an update by stages among it.
fn arguments(
    compiler: &mut Compiler<'_>,
    parts: &plan::Parts<'_>,
) -> Result<Option<Program>, CompileError> {
    let stages = match parts.payload {
        plan::Payload::Update(stages @ Template::Array(_)) => Some(("update", stages)),
        _ => None,
    };
    let all = stages.iter().chain(&parts.arguments);
    let fields: Vec<_> = all
        .map(|(name, template)| ((*name).to_owned(), (*template).clone()))
        .collect();
    if fields.is_empty() {
        return Ok(None);
    }
    let template = Template::Document(fields);
    compiler.document("arguments", &template).map(Some)
}

fn replacement(compiler: &mut Compiler<'_>, template: &Template) -> Result<Drawn, CompileError> {
    compiler.within("document", |compiler| {
        let fields = compiler.fields_of(template)?;
        if fields.iter().any(|(name, _)| name == "_id") {
            return Err(compiler.error(Fault::IdInReplacement));
        }
        Ok(())
    })?;
    let program = compiler.document("document", template)?;
    let mut draw = StreamKey::new(0).draw();
    let mut context = Context {
        draw: &mut draw,
        number: 0,
        worker: Worker::default(),
        filling: Filling::default(),
    };
    let size = compiler.exact_size(template, |filling, out| {
        context.filling = *filling;
        program.write_document(&mut context, out);
        *filling = context.filling;
    })?;
    Ok(Drawn { program, size })
}

fn operators(compiler: &mut Compiler<'_>, template: &Template) -> Result<Program, CompileError> {
    compiler.within("update", |compiler| {
        let fields = compiler.fields_of(template)?;
        if fields.is_empty() || fields.iter().any(|(name, _)| !name.starts_with('$')) {
            return Err(compiler.error(Fault::NoUpdateOperator));
        }
        Ok(())
    })?;
    compiler.document("update", template)
}
