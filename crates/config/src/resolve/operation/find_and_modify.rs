//! Operations that change or remove one document and return it.

use docstone_model::plan::{OperationKind, Returned};

use super::super::limits::limits;
use super::reader::Reader;
use crate::raw::operation as raw;
use crate::spot::Spot;

impl Reader<'_> {
    pub(super) fn find_one_and_update(
        &self,
        raw: &raw::FindOneAndUpdate,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let name = collection.as_deref();
        let filter = self.required_filter(raw.filter.as_ref(), at, name);
        let update = self.operators(raw.update.as_ref(), at, name);
        let array_filters = self.array_filters(raw.array_filters.as_ref(), at, name);
        let options = limits(raw.projection.as_ref(), raw.sort.as_ref(), at);
        let returned = returned(raw.returned.as_deref(), at);
        let kind = OperationKind::FindOneAndUpdate {
            filter: filter?,
            update: update?,
            upsert: raw.upsert.unwrap_or(false),
            array_filters: array_filters?,
            options: options?,
            returned: returned?,
        };
        Some((collection?, kind))
    }

    pub(super) fn find_one_and_replace(
        &self,
        raw: &raw::FindOneAndReplace,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let name = collection.as_deref();
        let filter = self.required_filter(raw.filter.as_ref(), at, name);
        let document = self.replacement(raw.document.as_ref(), at, name);
        let options = limits(raw.projection.as_ref(), raw.sort.as_ref(), at);
        let returned = returned(raw.returned.as_deref(), at);
        let kind = OperationKind::FindOneAndReplace {
            filter: filter?,
            document: document?,
            upsert: raw.upsert.unwrap_or(false),
            options: options?,
            returned: returned?,
        };
        Some((collection?, kind))
    }

    pub(super) fn find_one_and_delete(
        &self,
        raw: &raw::Find,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        let options = limits(raw.projection.as_ref(), raw.sort.as_ref(), at);
        let kind = OperationKind::FindOneAndDelete {
            filter: filter?,
            options: options?,
        };
        Some((collection?, kind))
    }
}

/// Which form of the document is returned.
fn returned(name: Option<&str>, at: &Spot<'_>) -> Option<Returned> {
    match name {
        None | Some("before") => Some(Returned::Before),
        Some("after") => Some(Returned::After),
        Some(other) => {
            at.at("returned").unknown("form", other, &raw::RETURNED);
            None
        }
    }
}
