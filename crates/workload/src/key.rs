//! Keys: the `_id` of a loaded document, computed again from its number.

use docstone_model::{CollectionPlan, Generator, Plan, Template};

use crate::document::{Context, IdProgram, Lineage};
use crate::draw::Draw;
use crate::error::{CompileError, Fault};

/// Draws the `_id` of a random document of a collection's data plan.
#[derive(Debug)]
pub(crate) struct KeySource {
    count: u64,
    lineage: Lineage,
    id: IdProgram,
}

impl KeySource {
    /// Prepares the keys of a collection. The outer error is a fault of the `$key`, the inner one
    /// of the collection's own template.
    pub(crate) fn compile(
        plan: &Plan,
        collection: &str,
    ) -> Result<Result<Self, CompileError>, Fault> {
        let name = || collection.to_owned();
        let data = plan.data.iter().find(|data| data.name == collection);
        let data = data.ok_or_else(|| Fault::KeyWithoutData { collection: name() })?;
        if data.count == 0 {
            return Err(Fault::KeyOfEmptyCollection { collection: name() });
        }
        if !is_reproducible(data) {
            return Err(Fault::KeyNotReproducible { collection: name() });
        }
        Ok(IdProgram::of_data(plan, data).map(|id| Self {
            count: data.count,
            lineage: Lineage::loaded(plan.seed, collection),
            id,
        }))
    }

    /// The BSON type of the keys.
    pub(crate) fn element_type(&self) -> u8 {
        self.id.element_type()
    }

    /// Draws a document and appends the value of its `_id`.
    pub(crate) fn write(&self, draw: &mut Draw, out: &mut Vec<u8>) {
        let number = draw.below(self.count);
        let mut context = Context {
            draw: &mut self.lineage.id(number),
            number,
            worker: 0,
            worker_sequence: 0,
        };
        self.id.write_value(&mut context, out);
    }
}

/// True if the `_id` of each document is a function of its number, and they can differ.
fn is_reproducible(data: &CollectionPlan) -> bool {
    let Some(id) = data.document.as_ref().and_then(|it| it.field("_id")) else {
        return true; // an `ObjectId` made from the number
    };
    let (mut generators, mut reproducible) = (0, true);
    id.for_each_generator(&mut |generator: &Generator| {
        generators += 1;
        reproducible &= generator.is_reproducible();
    });
    reproducible && (generators > 0 || data.count <= 1 || matches!(id, Template::Generator(_)))
}

#[cfg(test)]
mod tests;
