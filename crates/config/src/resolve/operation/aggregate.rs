//! Aggregations.

use docstone_model::plan::OperationKind;

use super::find::check_batch_size;
use super::reader::Reader;
use super::stages::Stages;
use crate::raw::operation as raw;
use crate::spot::Spot;

impl Reader<'_> {
    pub(super) fn aggregate(
        &self,
        raw: &raw::Aggregate,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        check_batch_size(raw.batch_size, at);
        let Some(pipeline) = &raw.pipeline else {
            at.missing("pipeline", "write its stages, such as `[{$match: {n: 5}}]`");
            return None;
        };
        let of = Stages::OfAggregation;
        let pipeline = self.stages(pipeline, &at.at("pipeline"), of, collection.as_deref());
        let kind = OperationKind::Aggregate {
            pipeline: pipeline?,
            allow_disk_use: raw.allow_disk_use.unwrap_or(false),
            batch_size: raw.batch_size,
        };
        Some((collection?, kind))
    }
}
