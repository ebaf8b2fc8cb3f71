//! How large a constant is, by the BSON specification.

use bson::Bson;

/// The bytes of a constant in BSON, without its type and name.
pub fn constant_bytes(value: &Bson) -> u64 {
    let mut document = bson::Document::new();
    let _ = document.insert("v", value.clone());
    // Five bytes of document and three of the element around the value.
    bson::serialize_to_vec(&document).map_or(0, |bytes| bytes.len() as u64 - 8)
}
