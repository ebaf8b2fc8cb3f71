//! Parts of the plan that are written as JSON, encoded.

use bson::RawDocumentBuf;

/// A document of the plan, encoded.
pub(super) fn as_raw(value: &serde_json::Value) -> Option<RawDocumentBuf> {
    let value = bson::Bson::try_from(value.clone()).ok()?;
    RawDocumentBuf::try_from(value.as_document()?).ok()
}
