//! Operations that change or remove documents.

use docstone_model::Template;
use docstone_model::plan::OperationKind;
use docstone_model::template::Context;
use serde_json::Value;

use super::super::data::check_size;
use super::super::payload;
use super::reader::Reader;
use crate::raw::operation as raw;
use crate::spot::Spot;

impl Reader<'_> {
    pub(super) fn update(
        &self,
        raw: &raw::Updates,
        at: &Spot<'_>,
        one: bool,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        let update = self.operators(raw.update.as_ref(), at, collection.as_deref());
        let array_filters =
            self.array_filters(raw.array_filters.as_ref(), at, collection.as_deref())?;
        let (filter, update, upsert) = (filter?, update?, raw.upsert.unwrap_or(false));
        let kind = if one {
            OperationKind::UpdateOne {
                filter,
                update,
                upsert,
                array_filters,
            }
        } else {
            OperationKind::UpdateMany {
                filter,
                update,
                upsert,
                array_filters,
            }
        };
        Some((collection?, kind))
    }

    pub(super) fn replace_one(
        &self,
        raw: &raw::ReplaceOne,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        let document = self.replacement(raw.document.as_ref(), at, collection.as_deref())?;
        let upsert = raw.upsert.unwrap_or(false);
        Some((
            collection?,
            OperationKind::ReplaceOne {
                filter: filter?,
                document,
                upsert,
            },
        ))
    }

    /// A document without `_id`, by default the collection's own form.
    pub(super) fn replacement(
        &self,
        raw: Option<&Value>,
        at: &Spot<'_>,
        collection: Option<&str>,
    ) -> Option<Template> {
        let given = raw.is_some();
        let document = match self.document(raw, at, collection)? {
            document if !given => payload::replacement(document, at),
            document => document,
        };
        check_size(&document, &at.at("document"));
        if given && document.field("_id").is_some() {
            at.at("document").at("_id").key_fault(
                "a replacement keeps the `_id` of the document that it replaces",
                Some("leave `_id` out".to_owned()),
            );
        }
        Some(document)
    }

    /// Filters of the elements of arrays; `Some(None)` where there are none.
    #[expect(
        clippy::option_option,
        reason = "a mistake is something else than nothing"
    )]
    pub(super) fn array_filters(
        &self,
        raw: Option<&Value>,
        at: &Spot<'_>,
        collection: Option<&str>,
    ) -> Option<Option<Template>> {
        let Some(json) = raw else {
            return Some(None);
        };
        let at = at.at("array_filters");
        let Some(items) = json.as_array().filter(|items| !items.is_empty()) else {
            at.fault(
                "`array_filters` is a list of filters, one at least",
                Some("write it as in the shell: `[{item.n: {$gt: 5}}]`".to_owned()),
            );
            return None;
        };
        self.documents(items, &at, Context::Filter, collection)
            .map(Some)
    }

    pub(super) fn delete(&self, raw: &raw::Delete, at: &Spot<'_>) -> Option<(String, Template)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        Some((collection?, filter?))
    }
}
