//! Kinds of collections and indexes, as they are written and as they are wrong.

use docstone_model::plan::{
    BlockCompressor, Capped, CollectionOptions, Granularity, IndexBuild, TimeSeries,
};
use docstone_model::{CollectionPlan, IndexPlan};
use serde_json::json;

use super::parts::{PARTS, Parts};

/// A collection with these keys besides its documents.
fn data(keys: &str) -> String {
    format!(
        "{{c: {{count: 10, document: {{fields: {{_id: {{$sequence: {{}}}}, at: {{$now: {{}}}}, n: \
         {{$int: {{}}}}}}}}, {keys}}}}}"
    )
}

fn read(keys: &str) -> CollectionPlan {
    let data = data(keys);
    let plan = Parts {
        data: &data,
        ..PARTS
    }
    .plan();
    plan.data[0].clone()
}

/// All mistakes, as they are shown.
fn wrong(keys: &str, operations: Option<&str>) -> String {
    let data = data(keys);
    Parts {
        data: &data,
        operations: operations.unwrap_or(PARTS.operations),
        ..PARTS
    }
    .mistakes()
}

#[test]
fn options_of_a_collection_become_those_of_the_plan() {
    let options = |keys: &str| read(&format!("options: {{{keys}}}")).options;
    assert_eq!(read("options: {}").options, CollectionOptions::default());
    assert_eq!(
        options("block_compressor: none, capped: {size: 10MB, documents: 10}"),
        CollectionOptions {
            block_compressor: Some(BlockCompressor::None),
            capped: Some(Capped {
                size_bytes: 10_000_000,
                documents: Some(10),
            }),
            ..CollectionOptions::default()
        }
    );
    assert_eq!(
        options("clustered: true, validator: {n: {$gte: 0}}"),
        CollectionOptions {
            clustered: true,
            validator: Some(json!({"n": {"$gte": 0}})),
            ..CollectionOptions::default()
        }
    );
    let series = options("time_series: {time: at, meta: n, granularity: hours}").time_series;
    assert_eq!(
        series,
        Some(TimeSeries {
            time: "at".to_owned(),
            meta: Some("n".to_owned()),
            granularity: Some(Granularity::Hours),
        })
    );
}

#[test]
fn an_index_has_what_the_file_says_and_is_else_as_before() {
    let plain = read("indexes: [{keys: {n: 1}}]").indexes;
    let written = serde_json::to_value(&plain[0]).expect("writes");
    assert_eq!(written, json!({"keys": [["n", 1]], "unique": false}));
    let all = read(
        "indexes: [{keys: {at: -1}, sparse: true, expire_after: 1h, collation: {locale: en}, build: \
         before_load}, {keys: {n: 1}, unique: true, partial: {n: {$gt: 5}}, build: after_load}]",
    );
    let at = |keys: &str, direction| vec![(keys.to_owned(), json!(direction))];
    assert_eq!(
        all.indexes,
        [
            IndexPlan {
                keys: at("at", -1),
                sparse: true,
                expire_after_s: Some(3_600),
                collation: Some(json!({"locale": "en"})),
                build: IndexBuild::BeforeLoad,
                ..IndexPlan::default()
            },
            IndexPlan {
                keys: at("n", 1),
                unique: true,
                partial: Some(json!({"n": {"$gt": 5}})),
                ..IndexPlan::default()
            },
        ]
    );
}

#[test]
fn options_that_no_server_takes_are_refused_with_their_cure() {
    for (options, message, cure) in [
        (
            "block_compressor: lz4",
            "unknown `block_compressor`: `lz4`",
            "snappy",
        ),
        ("capped: {}", "`size`", "size: 100MB"),
        ("capped: {size: 1KB}", "at least 4096 bytes", "100MB"),
        (
            "capped: {size: 1MB, documents: 9}",
            "`count` loads 10",
            "raise `documents`",
        ),
        (
            "capped: {size: 1MB, documents: 0}",
            "at least 1",
            "leave it out",
        ),
        (
            "capped: {size: 1MB}, clustered: true",
            "`capped` and `clustered` contradict",
            "leave one",
        ),
        ("time_series: {}", "`time`", "time: at"),
        (
            "time_series: {time: when}",
            "no field `when`",
            "when: {$now: {}}",
        ),
        (
            "time_series: {time: _id}",
            "cannot be the time field",
            "not `_id`",
        ),
        (
            "time_series: {time: at, meta: at}",
            "the same field",
            "where a measurement",
        ),
        (
            "time_series: {time: at, granularity: days}",
            "unknown `granularity`: `days`",
            "seconds, minutes, hours",
        ),
        (
            "time_series: {time: at}, validator: {n: 1}",
            "contradict",
            "leave one",
        ),
        (
            "validator: {n: {$int: {}}}",
            "nothing is drawn in `validator`",
            "constant",
        ),
        ("validator: 5", "expected a document", "{n: 5}"),
        ("clusterd: true", "unknown key `clusterd`", "clustered"),
    ] {
        let text = wrong(&format!("options: {{{options}}}"), None);
        assert!(text.contains(message), "{options}: {text}");
        assert!(text.contains(cure), "{options}: {text}");
    }
}

#[test]
fn indexes_that_no_server_takes_are_refused_with_their_cure() {
    for (index, message, cure) in [
        (
            "keys: {n: 1}, sparse: true, partial: {n: 1}",
            "`sparse` and `partial`",
            "$exists",
        ),
        (
            "keys: {n: 1, at: 1}, expire_after: 1h",
            "on one field",
            "of its own",
        ),
        (
            "keys: {_id: 1}, expire_after: 1h",
            "not `_id`",
            "of its own",
        ),
        (
            "keys: {at: 1}, expire_after: 1500ms",
            "to the second",
            "90s",
        ),
        (
            "keys: {at: 1}, expire_after: 99years",
            "68 years",
            "leave it out",
        ),
        (
            "keys: {n: hashed}, unique: true",
            "a hashed index cannot",
            "second index",
        ),
        (
            "keys: {n: text}, collation: {locale: en}",
            "its own rules",
            "leave it out",
        ),
        (
            "keys: {n: 1}, collation: {strength: 2}",
            "needs a `locale`",
            "locale: en",
        ),
        (
            "keys: {n: 1}, collation: en",
            "needs a `locale`",
            "locale: en",
        ),
        (
            "keys: {n: 1}, build: before",
            "unknown `build`: `before`",
            "before_load",
        ),
        (
            "keys: {n: 1}, partial: {n: {$key: {}}}",
            "nothing is drawn in `partial`",
            "constant",
        ),
    ] {
        let text = wrong(&format!("indexes: [{{{index}}}]"), None);
        assert!(text.contains(message), "{index}: {text}");
        assert!(text.contains(cure), "{index}: {text}");
    }
}

#[test]
fn what_a_time_series_does_not_take_is_refused() {
    let series = "options: {time_series: {time: at}}";
    for operation in [
        "update_one: {collection: c, filter: {}, update: {$set: {n: 1}}}",
        "update_many: {collection: c, filter: {}, update: {$set: {n: 1}}}",
        "update_many: {collection: c, filter: {}, update: {$set: {n: 1}}, upsert: true}",
        "replace_one: {collection: c, filter: {}}",
    ] {
        let text = wrong(series, Some(&format!("{{o: {{{operation}}}}}")));
        assert!(text.contains("`c` is a time series"), "{operation}: {text}");
    }
    let unique = format!("{series}, indexes: [{{keys: {{n: 1}}, unique: true}}]");
    let text = wrong(&unique, None);
    assert!(text.contains("no unique index"), "{text}");
}

#[test]
fn an_existing_collection_has_no_options_of_its_own() {
    let data = "{c: {existing: true, options: {clustered: true}}}";
    let text = Parts { data, ..PARTS }.mistakes();
    assert!(text.contains("`options` and `existing: true`"), "{text}");
}
