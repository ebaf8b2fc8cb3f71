//! Operations that read.

use docstone_model::plan::{Limits, OperationKind};

use super::super::limits::limits;
use super::reader::Reader;
use crate::raw::operation as raw;
use crate::spot::Spot;

impl Reader<'_> {
    pub(super) fn find_one(
        &self,
        raw: &raw::Find,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        let options = limits(raw.projection.as_ref(), raw.sort.as_ref(), at);
        let (filter, options) = (filter?, options?);
        Some((collection?, OperationKind::FindOne { filter, options }))
    }

    pub(super) fn find_many(
        &self,
        raw: &raw::FindMany,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.filter(raw.filter.as_ref(), at, collection.as_deref());
        let options = limits(raw.projection.as_ref(), raw.sort.as_ref(), at);
        if let Some(limit) = raw.limit.filter(|limit| *limit < 1) {
            let help = Some("leave it out for all documents".to_owned());
            at.at("limit")
                .fault(format!("`limit` must be at least 1, not {limit}"), help);
        }
        check_batch_size(raw.batch_size, at);
        if let Some(skip) = raw.skip.filter(|skip| i64::try_from(*skip).is_err()) {
            at.at("skip")
                .fault(format!("`skip` is at most {}, not {skip}", i64::MAX), None);
        }
        let options = Limits {
            skip: raw.skip,
            limit: raw.limit,
            batch_size: raw.batch_size,
            ..options?
        };
        let filter = filter?;
        Some((collection?, OperationKind::FindMany { filter, options }))
    }

    pub(super) fn count_documents(
        &self,
        raw: &raw::Count,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.filter(raw.filter.as_ref(), at, collection.as_deref())?;
        Some((collection?, OperationKind::CountDocuments { filter }))
    }

    pub(super) fn estimated_count(
        &self,
        raw: &raw::EstimatedCount,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at)?;
        Some((collection, OperationKind::EstimatedCount {}))
    }

    pub(super) fn distinct(
        &self,
        raw: &raw::Distinct,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.filter(raw.filter.as_ref(), at, collection.as_deref());
        let Some(field) = &raw.field else {
            at.missing("field", "name the field whose values are wanted");
            return None;
        };
        if field.is_empty() || field.starts_with('$') {
            at.at("field").fault(
                format!("`{field}` is no name of a field"),
                Some("write it as in a filter, such as `address.city`".to_owned()),
            );
        }
        let kind = OperationKind::Distinct {
            field: field.clone(),
            filter: filter?,
        };
        Some((collection?, kind))
    }

    pub(super) fn count(&self, raw: &raw::Count, at: &Spot<'_>) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.filter(raw.filter.as_ref(), at, collection.as_deref());
        Some((collection?, OperationKind::Count { filter: filter? }))
    }
}

/// Records a batch size that the server does not take.
pub(super) fn check_batch_size(batch_size: Option<u32>, at: &Spot<'_>) {
    if batch_size.is_some_and(|size| i32::try_from(size).map_or(true, |size| size < 1)) {
        at.at("batch_size")
            .fault(format!("`batch_size` must be 1 to {}", i32::MAX), None);
    }
}
