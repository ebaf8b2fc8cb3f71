//! Operations that insert documents.

use docstone_model::Template;
use docstone_model::plan::OperationKind;
use serde_json::Value;

use super::super::data::{check_id_type, check_size, with_id_first};
use super::super::size::{MAX_BATCH_BYTES, MAX_BATCH_DOCUMENTS, largest};
use super::reader::Reader;
use crate::raw::operation as raw;
use crate::spot::Spot;

impl Reader<'_> {
    pub(super) fn insert_one(
        &self,
        raw: &raw::InsertOne,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let document = self.inserted(raw.document.as_ref(), at, collection.as_deref())?;
        Some((collection?, OperationKind::InsertOne { document }))
    }

    pub(super) fn insert_many(
        &self,
        raw: &raw::InsertMany,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let document = self.inserted(raw.document.as_ref(), at, collection.as_deref());
        let Some(count) = raw.count else {
            at.missing(
                "count",
                "say how many documents one batch has, such as `count: 100`",
            );
            return None;
        };
        let document = document?;
        check_batch(count, &document, &at.at("count"));
        let kind = OperationKind::InsertMany {
            document,
            count,
            ordered: raw.ordered.unwrap_or(true),
        };
        Some((collection?, kind))
    }

    fn inserted(
        &self,
        raw: Option<&Value>,
        at: &Spot<'_>,
        collection: Option<&str>,
    ) -> Option<Template> {
        let document = with_id_first(self.document(raw, at, collection)?);
        if raw.is_some() {
            check_size(&document, &at.at("document"));
            check_id_type(&document, &at.at("document"));
        }
        Some(document)
    }
}

/// Records a batch that the server would refuse or the driver would send in several parts.
fn check_batch(count: u32, document: &Template, at: &Spot<'_>) {
    if !(1..=MAX_BATCH_DOCUMENTS).contains(&count) {
        at.fault(
            format!("a batch has 1 to {MAX_BATCH_DOCUMENTS} documents, not {count}"),
            Some("spread them over several operations".to_owned()),
        );
        return;
    }
    let each = largest(document);
    let bytes = each.saturating_mul(count.into());
    if bytes > MAX_BATCH_BYTES {
        let most = (MAX_BATCH_BYTES / each.max(1)).max(1);
        at.fault(
            format!(
                "a batch of {count} documents of up to {each} bytes has up to {bytes}; one message \
                 holds {MAX_BATCH_BYTES} of them"
            ),
            Some(format!("write at most `count: {most}`")),
        );
    }
}
