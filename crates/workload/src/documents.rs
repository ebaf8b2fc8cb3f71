//! The documents of a data plan, by number.

use bson::raw::{RawBson, RawDocumentBuf};
use docstone_model::{CollectionPlan, Plan};

use crate::document::{StoredProgram, Worker, refill};
use crate::error::CompileError;
use crate::key::keys_of;
use crate::payloads::Payloads;

/// The documents of one collection's data plan. Any number of these give the same documents, so
/// each thread of a data set-up can have its own.
#[derive(Debug)]
pub struct Documents<'a> {
    collection: &'a CollectionPlan,
    program: StoredProgram,
    id: RawDocumentBuf,
    spare: Option<RawDocumentBuf>,
}

impl<'a> Documents<'a> {
    /// Compiles the template of a collection of the plan.
    ///
    /// # Errors
    /// A template that cannot be encoded, draws what only exists under load, or makes documents
    /// of more than 16 MiB.
    pub fn new(plan: &Plan, collection: &'a CollectionPlan) -> Result<Self, CompileError> {
        Self::with_payloads(plan, collection, &Payloads::default())
    }

    /// The same for a collection whose documents may have payloads.
    ///
    /// # Errors
    /// As [`Documents::new`], and where the payloads leave no room for the other fields.
    pub fn with_payloads(
        plan: &Plan,
        collection: &'a CollectionPlan,
        payloads: &Payloads,
    ) -> Result<Self, CompileError> {
        let keys = keys_of(plan)?;
        Ok(Self {
            collection,
            program: StoredProgram::of_data(plan.seed, collection, &keys, payloads)?,
            id: RawDocumentBuf::new(),
            spare: None,
        })
    }

    /// The collection whose documents these are.
    pub fn collection(&self) -> &'a CollectionPlan {
        self.collection
    }

    /// Replaces `out` by loaded document `number`, in the memory that `out` has.
    pub fn write(&mut self, number: u64, out: &mut RawDocumentBuf) {
        let spare = self.spare.take().unwrap_or_default();
        let document = std::mem::replace(out, spare);
        let document = refill(document, |bytes| {
            self.program.write(number, Worker::default(), bytes);
        });
        self.spare = Some(std::mem::replace(out, document));
    }

    /// The `_id` of loaded document `number`, without the cost of its other fields.
    pub fn id(&mut self, number: u64) -> RawBson {
        let document = std::mem::take(&mut self.id);
        self.id = refill(document, |bytes| self.program.write_id(number, bytes));
        let id = self.id.get("_id").expect("the document is well-formed");
        id.expect("the document is its `_id`").into()
    }
}

#[cfg(test)]
mod tests;
