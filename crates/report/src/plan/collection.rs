//! What kind of collection a plan makes, and its indexes, in words.

use docstone_model::plan::IndexBuild;
use docstone_model::{CollectionPlan, IndexPlan};

use crate::units;

/// A line for what the server is asked for besides the documents.
pub(super) fn lines(collection: &CollectionPlan) -> Vec<String> {
    options(collection)
        .into_iter()
        .chain(collection.indexes.iter().map(index))
        .collect()
}

/// The collection's options, if it has any.
fn options(collection: &CollectionPlan) -> Option<String> {
    let options = &collection.options;
    let mut all = Vec::new();
    if let Some(compressor) = options.block_compressor {
        all.push(format!("block compressor {}", compressor.name()));
    }
    if let Some(capped) = options.capped {
        let documents = capped
            .documents
            .map(|most| format!(" and {} documents", units::count(most)));
        all.push(format!(
            "capped at {}{}",
            units::bytes(capped.size_bytes),
            documents.unwrap_or_default()
        ));
    }
    if options.clustered {
        all.push("clustered by _id".to_owned());
    }
    if let Some(series) = &options.time_series {
        let meta = series.meta.as_ref().map(|meta| format!(" of {meta}"));
        let granularity = series.granularity.map(|by| format!(", by {}", by.name()));
        all.push(format!(
            "time series{} by {}{}",
            meta.unwrap_or_default(),
            series.time,
            granularity.unwrap_or_default()
        ));
    }
    if let Some(validator) = &options.validator {
        all.push(format!("validator {validator}"));
    }
    (!all.is_empty()).then(|| all.join(", "))
}

fn index(index: &IndexPlan) -> String {
    let mut line = format!("index {}", index.name());
    let mut add = |what: String| {
        line.push_str(", ");
        line.push_str(&what);
    };
    if index.unique {
        add("unique".to_owned());
    }
    if index.sparse {
        add("sparse".to_owned());
    }
    if let Some(after_s) = index.expire_after_s {
        add(format!("removes documents after {after_s} s"));
    }
    if let Some(partial) = &index.partial {
        add(format!("of those that match {partial}"));
    }
    if let Some(collation) = &index.collation {
        add(format!("collation {collation}"));
    }
    if index.build == IndexBuild::BeforeLoad {
        add("built before the documents are loaded".to_owned());
    }
    line
}

#[cfg(test)]
mod tests {
    use docstone_model::plan::{BlockCompressor, Capped, CollectionOptions, TimeSeries};
    use serde_json::json;

    use super::*;

    fn shown(options: CollectionOptions, indexes: Vec<IndexPlan>) -> Vec<String> {
        lines(&CollectionPlan {
            name: "c".to_owned(),
            count: 0,
            document: None,
            indexes,
            options,
        })
    }

    #[test]
    fn a_plain_collection_has_no_line() {
        assert!(shown(CollectionOptions::default(), Vec::new()).is_empty());
    }

    #[test]
    fn all_that_the_server_is_asked_for_is_shown() {
        let options = CollectionOptions {
            block_compressor: Some(BlockCompressor::Zstd),
            capped: Some(Capped {
                size_bytes: 5_000,
                documents: Some(1_000),
            }),
            clustered: true,
            time_series: Some(TimeSeries {
                time: "at".to_owned(),
                meta: Some("sensor".to_owned()),
                granularity: None,
            }),
            validator: Some(json!({"n": 1})),
        };
        let index = IndexPlan {
            keys: vec![("at".to_owned(), json!(1))],
            unique: true,
            sparse: true,
            expire_after_s: Some(60),
            partial: Some(json!({"n": {"$gt": 1}})),
            collation: Some(json!({"locale": "en"})),
            build: IndexBuild::BeforeLoad,
        };
        assert_eq!(
            shown(options, vec![index]),
            [
                "block compressor zstd, capped at 5.00 KB and 1,000 documents, clustered by _id, \
                 time series of sensor by at, validator {\"n\":1}",
                "index at_1, unique, sparse, removes documents after 60 s, of those that match \
                 {\"n\":{\"$gt\":1}}, collation {\"locale\":\"en\"}, built before the documents \
                 are loaded",
            ]
        );
    }
}
