//! Bytes of BSON: constants, frames of documents, buffers that are used again.

use bson::raw::{RawBson, RawDocumentBuf, cstr};
use bson::{Bson, spec::ElementType};

use crate::error::Fault;

/// A document without fields.
pub(crate) const EMPTY_DOCUMENT: [u8; 5] = [5, 0, 0, 0, 0];

/// Bytes of a document besides its fields: its length before them, a zero byte behind them.
pub(super) const FRAME_BYTES: u64 = 5;

/// Bytes of the length before a document's fields.
const LENGTH_BYTES: usize = 4;

/// The type and the encoded value of a constant.
pub(super) fn constant(value: &Bson) -> Result<(u8, Vec<u8>), Fault> {
    let fault = |error: bson::error::Error| Fault::Encoding(error.to_string());
    let value = RawBson::try_from(value.clone()).map_err(fault)?;
    let kind = value.element_type() as u8;
    let mut document = RawDocumentBuf::new();
    document.append(cstr!("v"), value);
    // Length, type and name before the value, one byte behind it.
    let bytes = document.into_bytes();
    Ok((kind, bytes[LENGTH_BYTES + 3..bytes.len() - 1].to_vec()))
}

/// Appends what stands before a value in a document: its type and its name.
pub(super) fn element(kind: u8, name: &str, out: &mut Vec<u8>) -> Result<(), Fault> {
    if name.contains('\0') {
        let fault = format!("the name {name:?} holds a zero byte");
        return Err(Fault::Encoding(fault));
    }
    out.push(kind);
    out.extend_from_slice(name.as_bytes());
    out.push(0);
    Ok(())
}

/// Appends a document whose fields `write` appends.
pub(super) fn framed(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let begin = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    write(out);
    out.push(0);
    // A document of 2 GiB is refused long before, when it is compiled.
    let length = u32::try_from(out.len() - begin).unwrap_or(u32::MAX);
    out[begin..begin + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
}

/// Replaces the content of a document by what `write` appends to an empty buffer, and keeps its
/// memory.
pub(crate) fn refill(document: RawDocumentBuf, write: impl FnOnce(&mut Vec<u8>)) -> RawDocumentBuf {
    let mut bytes = document.into_bytes();
    bytes.clear();
    write(&mut bytes);
    RawDocumentBuf::from_bytes(bytes).expect("programs write framed documents")
}

/// True for the types that cannot be an `_id`.
pub(super) fn cannot_be_id(kind: u8) -> bool {
    [
        ElementType::Array,
        ElementType::RegularExpression,
        ElementType::Undefined,
    ]
    .into_iter()
    .any(|refused| refused as u8 == kind)
}
