//! One operation, drawn and encoded, ready to be sent.

use bson::RawDocumentBuf;

/// One operation with its values drawn: encoded BSON, no driver types. Its buffers are used
/// again for the next operation.
#[derive(Clone, Debug, Default)]
pub struct PreparedOperation {
    /// Index of the operation in the plan.
    pub operation: usize,
    /// Its position among the slots of its group.
    pub slot: usize,
    /// The documents that it inserts; `None` for an operation that inserts none.
    pub inserts: Option<Inserts>,
    /// A later step needs a value of the document that is read.
    pub wants_document: bool,
    /// The filter; empty where the operation has none.
    pub filter: RawDocumentBuf,
    /// The document to insert or put in place, or the update operators; empty where there is none.
    /// Of a batch, its first document.
    pub payload: RawDocumentBuf,
    /// What else is drawn, by its key: `array_filters`, `pipeline`, and `update` where that is a list
    /// of stages; empty where there is nothing.
    pub arguments: RawDocumentBuf,
    /// The documents of a batch after the first.
    pub batch: Vec<RawDocumentBuf>,
    /// The operations that it consists of, in their order.
    pub calls: Vec<Self>,
}

/// Consecutive numbers of documents that one call inserts into one collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserts {
    /// The position of the collection among those that are inserted into.
    pub collection: usize,
    /// The number of the first document.
    pub first: u64,
    /// How many there are, at least 1.
    pub count: u32,
}

impl Inserts {
    /// The numbers, each with its position among them.
    pub fn numbers(self) -> impl Iterator<Item = (u32, u64)> {
        (0..self.count).map(move |position| (position, self.first + u64::from(position)))
    }
}

impl PreparedOperation {
    /// Encoded bytes of filter, documents, update and the rest, where the operation has them.
    pub fn encoded_bytes(&self) -> u64 {
        let of = |document: &RawDocumentBuf| match document.as_bytes().len() {
            5 => 0, // an empty document
            bytes => bytes as u64,
        };
        let batch: u64 = self.batch.iter().map(of).sum();
        let calls: u64 = self.calls.iter().map(Self::encoded_bytes).sum();
        of(&self.filter) + of(&self.payload) + of(&self.arguments) + batch + calls
    }

    /// Calls `visit` for what it inserts and for what the operations in it insert, each with the
    /// position of its first document among all of them.
    pub fn each_insert(&self, visit: &mut dyn FnMut(u32, Inserts)) {
        let mut before = 0;
        for insert in self
            .inserts
            .iter()
            .chain(self.calls.iter().flat_map(|call| &call.inserts))
        {
            visit(before, *insert);
            before += insert.count;
        }
    }

    /// The documents of an insert, the first of them first.
    pub fn documents(&self) -> impl Iterator<Item = &RawDocumentBuf> {
        std::iter::once(&self.payload).chain(&self.batch)
    }
}
