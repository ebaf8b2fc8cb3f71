//! Why a plan's templates cannot be turned into operations or documents.

/// A template, a mix or a fact that cannot be used, with the place where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{subject}{}{field}: {fault}", if field.is_empty() { "" } else { ", " })]
#[non_exhaustive]
pub struct CompileError {
    /// What the fault is in, such as ``operation `find` ``.
    pub subject: String,
    /// The field, such as `filter._id`; empty where the fault is in the whole.
    pub field: String,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// `$key` of a collection that is not set up by the plan.
    #[error("`$key` draws from collection `{collection}`, which is not in `data`; add it there")]
    KeyWithoutData {
        /// The collection that `$key` draws from.
        collection: String,
    },
    /// `$key` of a collection without documents.
    #[error("`$key` draws from collection `{collection}`, whose `count` is 0; load documents")]
    KeyOfEmptyCollection {
        /// The collection that `$key` draws from.
        collection: String,
    },
    /// `$key` of a collection whose `_id` is not a function of the document's number.
    #[error(
        "`$key` cannot compute the `_id` of collection `{collection}` again; use `$sequence`, \
         `$int`, `$string`, `$uuid` or `$object_id` there"
    )]
    KeyNotReproducible {
        /// The collection that `$key` draws from.
        collection: String,
    },
    /// `$key` of inserted documents whose `_id` cannot be computed, or not in one way.
    #[error(
        "`$key` also draws what operation `{operation}` inserts, {why}; use the `_id` of the \
         collection's own documents there, or `inserted: false` here"
    )]
    KeyOfInserted {
        /// The operation that inserts.
        operation: String,
        /// What is in the way.
        why: &'static str,
    },
    /// `$field_range` of a field whose range was not read.
    #[error("`$field_range` has no range for field `{field}` of collection `{collection}`")]
    FieldRangeUnknown {
        /// The operation's collection.
        collection: String,
        /// The field.
        field: String,
    },
    /// `$payload` of a collection whose text was not made.
    #[error("`$payload` has no text for this collection: it is made when a run is prepared")]
    NoPayloads,
    /// A size that the fields besides the payloads take up.
    #[error(
        "the document cannot have {size_bytes} bytes: without its payloads it has {least_bytes}"
    )]
    SizeTooSmall {
        /// The size that was asked for.
        size_bytes: u64,
        /// The size of the first document without payloads.
        least_bytes: u64,
    },
    /// A generator that needs a running load in a document that is loaded before it.
    #[error("`{generator}` cannot stand in documents that are loaded before the load starts")]
    OnlyUnderLoad {
        /// The generator.
        generator: &'static str,
    },
    /// Something else than a document where a document must stand.
    #[error("must be a document")]
    NotADocument,
    /// An update without operators.
    #[error("must begin with an update operator such as `$set`")]
    NoUpdateOperator,
    /// An `_id` in a replacement.
    #[error("a replacement keeps the `_id` of the document that it replaces; leave `_id` out")]
    IdInReplacement,
    /// An `_id` of a type that the server refuses.
    #[error("an `_id` cannot be an array, a regular expression or undefined")]
    IdType,
    /// An `_id` that is one of some values.
    #[error("an `_id` cannot be `$one_of`: it would come again")]
    IdOfSeveralTypes,
    /// A document that the server would refuse for its size.
    #[error("the document has {size_bytes} bytes; MongoDB allows at most 16777216 (16 MiB)")]
    TooLarge {
        /// The size of the encoded document.
        size_bytes: u64,
    },
    /// A value or a name of a field that BSON cannot hold.
    #[error("cannot be encoded as BSON: {0}")]
    Encoding(String),
    /// A `$sequence` that leaves the 64-bit integers.
    #[error(
        "`$sequence` leaves the range of 64-bit integers, counted from the largest `_id` that is \
             there; use a smaller `start` or `step`, or an empty collection"
    )]
    SequenceOverflow,
    /// A mix without operations.
    #[error("must name at least one operation")]
    EmptyMix,
    /// Steps that run no operation.
    #[error("must run at least one operation")]
    EmptySteps,
    /// `$captured` of a value that no step captures, or where no step is.
    #[error("`$captured` names `{name}`, which no step of a scenario captures")]
    UnknownCapture {
        /// The name.
        name: String,
    },
    /// A weight that is not a number above 0.
    #[error("weights must be finite numbers above 0")]
    Weight,
    /// A mix entry whose operation is not in the plan.
    #[error("operation number {operation} is not in the plan")]
    UnknownOperation {
        /// The index that the mix entry holds.
        operation: usize,
    },
}
