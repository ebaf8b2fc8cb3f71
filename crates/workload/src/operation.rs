//! One operation of the plan, compiled.

use docstone_model::{OperationKind, OperationPlan, Template};

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
    /// Compiles the templates of an operation.
    pub(crate) fn compile(
        seed: u64,
        operation: &OperationPlan,
        (keys, captures): (&Keys, &[String]),
        facts: &Facts,
        collection: CollectionFacts,
    ) -> Result<Self, CompileError> {
        let inserts = matches!(operation.kind, OperationKind::InsertOne { .. });
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
        let filter = operation.kind.filter();
        let filter = filter.map(|template| compiler.document("filter", template));
        let filter = filter.transpose()?;
        let payload = match &operation.kind {
            OperationKind::InsertOne { document } => Payload::Insert(StoredProgram::of_insert(
                &mut compiler,
                document,
                collection,
            )?),
            OperationKind::ReplaceOne { document, .. } => {
                Payload::Drawn(replacement(&mut compiler, document)?)
            }
            OperationKind::UpdateOne { update, .. } | OperationKind::UpdateMany { update, .. } => {
                Payload::Drawn(Drawn {
                    program: operators(&mut compiler, update)?,
                    size: None,
                })
            }
            OperationKind::FindOne { .. }
            | OperationKind::FindMany { .. }
            | OperationKind::Count { .. }
            | OperationKind::DeleteOne { .. }
            | OperationKind::DeleteMany { .. } => Payload::None,
        };
        Ok(Self {
            filter,
            payload,
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
