//! The stages of aggregations and of updates, by their names.

use serde_json::Value;

use crate::nearest::advice;
use crate::spot::Spot;

/// Stages of an aggregation on a collection, of all servers from 6.0 on.
const OF_AGGREGATION: [&str; 37] = [
    "$addFields",
    "$bucket",
    "$bucketAuto",
    "$collStats",
    "$count",
    "$densify",
    "$facet",
    "$fill",
    "$geoNear",
    "$graphLookup",
    "$group",
    "$indexStats",
    "$limit",
    "$lookup",
    "$match",
    "$merge",
    "$out",
    "$planCacheStats",
    "$project",
    "$rankFusion",
    "$redact",
    "$replaceRoot",
    "$replaceWith",
    "$sample",
    "$scoreFusion",
    "$search",
    "$searchMeta",
    "$set",
    "$setWindowFields",
    "$shardedDataDistribution",
    "$skip",
    "$sort",
    "$sortByCount",
    "$unionWith",
    "$unset",
    "$unwind",
    "$vectorSearch",
];

/// Stages of an update.
const OF_UPDATE: [&str; 6] = [
    "$addFields",
    "$project",
    "$replaceRoot",
    "$replaceWith",
    "$set",
    "$unset",
];

/// What the stages belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stages {
    /// An aggregation: any stages, also none.
    OfAggregation,
    /// An update: at least one stage.
    OfUpdate,
}

impl Stages {
    /// True if there may be so many.
    pub(super) fn fits(self, number: usize) -> bool {
        self == Self::OfAggregation || number > 0
    }

    /// Records what is no stage here.
    pub(super) fn check(self, stage: &Value, at: &Spot<'_>, last: bool) {
        let Some(map) = stage.as_object() else {
            return; // recorded where it is read
        };
        let known: &[&str] = match self {
            Self::OfAggregation => &OF_AGGREGATION,
            Self::OfUpdate => &OF_UPDATE,
        };
        let mut names = map.keys();
        let (Some(name), None) = (names.next(), names.next()) else {
            at.fault(
                format!("a stage has one name, and this has {}", map.len()),
                Some("make a stage of each".to_owned()),
            );
            return;
        };
        if !known.contains(&name.as_str()) {
            let of = match self {
                Self::OfAggregation => "an aggregation",
                Self::OfUpdate => "an update",
            };
            at.at(name).key_fault(
                format!("`{name}` is no stage of {of}"),
                Some(advice(name, known)),
            );
        } else if matches!(name.as_str(), "$out" | "$merge") && !last {
            at.at(name).key_fault(
                format!("`{name}` must be the last stage"),
                Some("put it at the end".to_owned()),
            );
        }
    }
}
