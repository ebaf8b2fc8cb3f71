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
    /// The number of the document that it inserts; `None` for an operation that inserts none.
    pub document: Option<u64>,
    /// A later step needs a value of the document that is read.
    pub wants_document: bool,
    /// The filter; empty where the operation has none.
    pub filter: RawDocumentBuf,
    /// The document to insert or put in place, or the update operators; empty where there is none.
    pub payload: RawDocumentBuf,
}

impl PreparedOperation {
    /// Encoded bytes of filter and payload, where the operation has them.
    pub fn encoded_bytes(&self) -> u64 {
        let of = |document: &RawDocumentBuf| match document.as_bytes().len() {
            5 => 0, // an empty document
            bytes => bytes as u64,
        };
        of(&self.filter) + of(&self.payload)
    }
}
