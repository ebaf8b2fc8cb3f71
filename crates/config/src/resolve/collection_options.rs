//! What kind of collection is made.

use docstone_model::Template;
use docstone_model::plan::{BlockCompressor, Capped, CollectionOptions, Granularity, TimeSeries};

use super::template::constant;
use crate::raw::{self, BLOCK_COMPRESSORS, Collection, GRANULARITIES};
use crate::spot::Spot;

/// The smallest capped collection: the server makes all others as large.
const MIN_CAPPED_BYTES: u64 = 4_096;

/// The options of a collection; `None` if a mistake leaves them open.
pub(super) fn resolve(
    raw: &Collection,
    document: Option<&Template>,
    spot: &Spot<'_>,
) -> Option<CollectionOptions> {
    let Some(given) = &raw.options else {
        return (!spot.has_value()).then(CollectionOptions::default);
    };
    check_together(given, spot);
    let block_compressor = given
        .block_compressor
        .as_deref()
        .and_then(|word| block_compressor(word, spot));
    let capped = match &given.capped {
        Some(capped) => Some(self::capped(capped, raw.count, &spot.at("capped"))?),
        None => None,
    };
    let time_series = match &given.time_series {
        Some(series) => {
            check_indexes(raw, spot);
            Some(self::time_series(
                series,
                document,
                &spot.at("time_series"),
            )?)
        }
        None => None,
    };
    Some(CollectionOptions {
        block_compressor,
        capped,
        clustered: given.clustered.unwrap_or(false),
        time_series,
        validator: constant(given.validator.as_ref(), spot, "validator"),
    })
}

/// Records options that the server refuses together.
fn check_together(given: &raw::CollectionOptions, spot: &Spot<'_>) {
    let clustered = given.clustered == Some(true);
    let pairs = [
        ("capped", given.capped.is_some(), "clustered", clustered),
        (
            "capped",
            given.capped.is_some(),
            "time_series",
            given.time_series.is_some(),
        ),
        (
            "clustered",
            clustered,
            "time_series",
            given.time_series.is_some(),
        ),
        (
            "validator",
            given.validator.is_some(),
            "time_series",
            given.time_series.is_some(),
        ),
    ];
    for (first, has_first, second, has_second) in pairs {
        if has_first && has_second {
            spot.at(first).key_fault(
                format!("`{first}` and `{second}` contradict each other"),
                Some("leave one of them out: the server makes no such collection".to_owned()),
            );
        }
    }
}

fn block_compressor(word: &str, spot: &Spot<'_>) -> Option<BlockCompressor> {
    Some(match word {
        "none" => BlockCompressor::None,
        "snappy" => BlockCompressor::Snappy,
        "zstd" => BlockCompressor::Zstd,
        "zlib" => BlockCompressor::Zlib,
        other => {
            let key = "block_compressor";
            spot.at(key).unknown_word(key, other, &BLOCK_COMPRESSORS);
            return None;
        }
    })
}

fn capped(raw: &raw::Capped, count: Option<u64>, spot: &Spot<'_>) -> Option<Capped> {
    let Some(size) = raw.size else {
        spot.missing(
            "size",
            "write how much BSON it holds, such as `size: 100MB`",
        );
        return None;
    };
    if size.0 < MIN_CAPPED_BYTES {
        spot.at("size").fault(
            format!("a capped collection has at least {MIN_CAPPED_BYTES} bytes"),
            Some("write more, such as `100MB`".to_owned()),
        );
    }
    if raw.documents == Some(0) {
        spot.at("documents").fault(
            "`documents` must be at least 1",
            Some("leave it out to limit the bytes alone".to_owned()),
        );
    }
    if let (Some(most), Some(count)) = (raw.documents, count)
        && most < count
    {
        spot.at("documents").fault(
            format!("it holds {most} documents at most, and `count` loads {count}"),
            Some("raise `documents`, or lower `count`".to_owned()),
        );
    }
    Some(Capped {
        size_bytes: size.0,
        documents: raw.documents,
    })
}

fn time_series(
    raw: &raw::TimeSeries,
    document: Option<&Template>,
    spot: &Spot<'_>,
) -> Option<TimeSeries> {
    let Some(time) = &raw.time else {
        spot.missing("time", "name the field with the time, such as `time: at`");
        return None;
    };
    for (key, field) in [("time", Some(time)), ("meta", raw.meta.as_ref())] {
        let Some(field) = field else { continue };
        let lacks = document.is_some_and(|document| document.field(field).is_none());
        if key == "time" && lacks {
            spot.at(key).fault(
                format!("the documents have no field `{field}`, in which each must have a date"),
                Some(format!("add it, such as `{field}: {{$now: {{}}}}`")),
            );
        }
        if field.is_empty() || field.contains('.') || field.starts_with('$') || field == "_id" {
            spot.at(key).fault(
                format!("`{field}` cannot be the {key} field of a time series"),
                Some("name a field of the document itself, not `_id`".to_owned()),
            );
        }
    }
    if raw.meta.as_ref() == Some(time) {
        spot.at("meta").fault(
            "`time` and `meta` name the same field",
            Some("name the field that says where a measurement comes from".to_owned()),
        );
    }
    Some(TimeSeries {
        time: time.clone(),
        meta: raw.meta.clone(),
        granularity: raw
            .granularity
            .as_deref()
            .and_then(|word| granularity(word, spot)),
    })
}

fn granularity(word: &str, spot: &Spot<'_>) -> Option<Granularity> {
    Some(match word {
        "seconds" => Granularity::Seconds,
        "minutes" => Granularity::Minutes,
        "hours" => Granularity::Hours,
        other => {
            let key = "granularity";
            spot.at(key).unknown_word(key, other, &GRANULARITIES);
            return None;
        }
    })
}

/// Records indexes that no time series has.
fn check_indexes(raw: &Collection, spot: &Spot<'_>) {
    let indexes = raw.indexes.iter().flatten().flatten();
    if indexes.into_iter().any(|index| index.unique == Some(true)) {
        spot.at("time_series").key_fault(
            "a time series has no unique index",
            Some("leave `unique` out of its `indexes`".to_owned()),
        );
    }
}
