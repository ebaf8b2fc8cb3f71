//! The kind of a collection: makes those that docstone loads, so that their UUIDs are known before the
//! first document, and compares the plan's with one that is there.

use std::fmt::Write as _;

use bson::{Bson, Document, doc};
use docstone_engine::target::TargetError;
use docstone_model::CollectionPlan;
use docstone_model::plan::{CollectionOptions, Granularity, TimeSeries};
use docstone_workload::Documents;
use mongodb::Database;
use mongodb::error::Error;
use mongodb::options::{
    ClusteredIndex, CreateCollectionOptions, TimeseriesGranularity, TimeseriesOptions,
};

use super::identity;
use crate::error::{self, plan_error, setup_error};
use crate::number::{at, integer};

/// The collection exists already.
const NAMESPACE_EXISTS: i32 = 48;

/// What to do where the server refuses the options.
const HELP: &str = "clustered collections need MongoDB 5.3, time series 5.0; a validator \
                               takes query operators or `$jsonSchema`";

/// Codes of a command that the server does not understand or take: `BadValue`, `FailedToParse`,
/// `TypeMismatch`, `InvalidOptions`, an operator that is not known, a field that is not known.
const REFUSED: [i32; 7] = [2, 9, 14, 72, 73, 40_415, 5_624_500];

/// Makes a collection that does not exist.
pub(super) async fn create(
    database: &Database,
    collection: &CollectionPlan,
) -> Result<(), TargetError> {
    let what = format!("{}.{}", database.name(), collection.name);
    let asked = of(&collection.options).map_err(|fault| {
        let help = "write it as in the shell";
        plan_error(format!("{what}: {fault}"), Some(help))
    })?;
    let creating = database
        .create_collection(&collection.name)
        .with_options(asked);
    match creating.await {
        Ok(()) => Ok(()),
        Err(problem) if error::code(&problem) == Some(NAMESPACE_EXISTS) => Err(plan_error(
            format!("{what} has just been made by another run or program"),
            Some("let the other one end first, or give this run another database or collection"),
        )),
        Err(problem) if are_refused(&problem) && !collection.options.is_default() => {
            Err(plan_error(
                format!(
                    "the server does not make {what} with these `options`: {}",
                    error::message(&problem)
                ),
                Some(HELP),
            ))
        }
        Err(problem) => Err(setup_error(&format!("create {what}"), &problem)),
    }
}

/// True if the server does not take what was asked for.
fn are_refused(problem: &Error) -> bool {
    error::code(problem).is_some_and(|code| REFUSED.contains(&code))
}

/// What the server is asked to make.
///
/// # Errors
/// A validator that is no document, in words.
fn of(options: &CollectionOptions) -> Result<CreateCollectionOptions, String> {
    let validator = match &options.validator {
        None => None,
        Some(json) => match Bson::try_from(json.clone()) {
            Ok(Bson::Document(validator)) => Some(validator),
            _ => return Err("`validator` is no document".to_owned()),
        },
    };
    let compressor = options.block_compressor.map(|compressor| {
        let config = format!("block_compressor={}", compressor.name());
        doc! {"wiredTiger": {"configString": config}}
    });
    let mut asked = CreateCollectionOptions::default();
    asked.capped = options.capped.map(|_| true);
    asked.size = options.capped.map(|capped| capped.size_bytes);
    asked.max = options.capped.and_then(|capped| capped.documents);
    asked.storage_engine = compressor;
    asked.clustered_index = options.clustered.then(ClusteredIndex::default);
    asked.timeseries = options.time_series.as_ref().map(time_series);
    asked.validator = validator;
    Ok(asked)
}

fn time_series(series: &TimeSeries) -> TimeseriesOptions {
    let granularity = series.granularity.map(|granularity| match granularity {
        Granularity::Seconds => TimeseriesGranularity::Seconds,
        Granularity::Minutes => TimeseriesGranularity::Minutes,
        Granularity::Hours => TimeseriesGranularity::Hours,
    });
    TimeseriesOptions::builder()
        .time_field(series.time.clone())
        .meta_field(series.meta.clone())
        .granularity(granularity)
        .build()
}

/// Refuses a time series whose documents have no date in its field: the server would refuse each of
/// them.
pub(super) fn check_time(
    collection: &CollectionPlan,
    documents: &mut Documents<'_>,
) -> Result<(), TargetError> {
    let Some(series) = &collection.options.time_series else {
        return Ok(());
    };
    let mut first = bson::RawDocumentBuf::new();
    documents.write(0, &mut first);
    let is_date = matches!(
        first.get(&series.time),
        Ok(Some(bson::RawBsonRef::DateTime(_)))
    );
    if is_date {
        return Ok(());
    }
    Err(plan_error(
        format!(
            "data.{}: the field `{}` of its documents holds no date, which a time series needs",
            collection.name, series.time
        ),
        Some("draw it with `$now`, or write a date as `{$date: \"2026-01-31T00:00:00Z\"}`"),
    ))
}

/// Refuses a collection that is kept and is of another kind than the plan's.
pub(super) async fn check(
    database: &Database,
    collection: &CollectionPlan,
) -> Result<(), TargetError> {
    if collection.options.is_default() {
        return Ok(());
    }
    // Whoever may not list it has an own one by its marker, which knows the options.
    let Ok(Some(found)) = identity::shown(database, &collection.name).await else {
        return Ok(());
    };
    let empty = Document::new();
    let there = found.get_document("options").unwrap_or(&empty);
    let differences = differences(&collection.options, there);
    if differences.is_empty() {
        return Ok(());
    }
    Err(plan_error(
        format!(
            "{}.{} is there with other options than those of the plan: {differences}",
            database.name(),
            collection.name
        ),
        Some("--drop drops it and makes it anew"),
    ))
}

/// Which options of the plan the collection that is there does not have, in words.
fn differences(options: &CollectionOptions, there: &Document) -> String {
    let mut all = String::new();
    let mut differ = |key: &str, differs: bool| {
        if differs {
            let comma = if all.is_empty() { "" } else { ", " };
            let _ = write!(all, "{comma}`{key}`");
        }
    };
    if let Some(compressor) = options.block_compressor {
        let config = at(there, &["storageEngine", "wiredTiger", "configString"]);
        let config = config.and_then(Bson::as_str).unwrap_or_default();
        let wanted = format!("block_compressor={}", compressor.name());
        differ(
            "block_compressor",
            !config.split(',').any(|part| part == wanted),
        );
    }
    if let Some(capped) = options.capped {
        // The server rounds the size up to whole 256 bytes.
        let size = there.get("size").and_then(integer).unwrap_or(0);
        let size = u64::try_from(size).unwrap_or(0);
        let max = there.get("max").and_then(integer);
        let max = max.and_then(|max| u64::try_from(max).ok());
        differ(
            "capped",
            !(capped.size_bytes..capped.size_bytes + 256).contains(&size)
                || max != capped.documents,
        );
    }
    if options.clustered {
        differ("clustered", !there.contains_key("clusteredIndex"));
    }
    if let Some(series) = &options.time_series {
        let of = |key| at(there, &["timeseries", key]).and_then(Bson::as_str);
        differ(
            "time_series",
            of("timeField") != Some(&series.time)
                || of("metaField") != series.meta.as_deref()
                || series
                    .granularity
                    .is_some_and(|granularity| of("granularity") != Some(granularity.name())),
        );
    }
    if let Some(validator) = &options.validator {
        let wanted = Bson::try_from(validator.clone()).ok();
        differ("validator", there.get("validator") != wanted.as_ref());
    }
    all
}

#[cfg(test)]
mod tests {
    use docstone_model::plan::{BlockCompressor, Capped};
    use serde_json::json;

    use super::*;

    fn all() -> CollectionOptions {
        CollectionOptions {
            block_compressor: Some(BlockCompressor::Zstd),
            capped: Some(Capped {
                size_bytes: 5_000,
                documents: Some(10),
            }),
            validator: Some(json!({"n": {"$gte": 1}})),
            ..CollectionOptions::default()
        }
    }

    #[test]
    fn the_server_is_asked_for_what_the_plan_says_and_for_nothing_else() {
        let asked = of(&all()).expect("valid");
        assert_eq!(
            bson::serialize_to_document(&asked).expect("a document"),
            doc! {
                "capped": true,
                "size": 5_000_i64,
                "max": 10_i64,
                "storageEngine": {"wiredTiger": {"configString": "block_compressor=zstd"}},
                "validator": {"n": {"$gte": 1}},
            }
        );
        let none = of(&CollectionOptions::default()).expect("valid");
        assert_eq!(
            bson::serialize_to_document(&none).expect("a document"),
            doc! {}
        );
    }

    #[test]
    fn a_collection_of_another_kind_is_told_by_each_option() {
        let there = doc! {
            "capped": true, "size": 5_120, "max": 10,
            "storageEngine": {"wiredTiger": {"configString": "block_compressor=zstd"}},
            "validator": {"n": {"$gte": 1}},
        };
        assert_eq!(differences(&all(), &there), "");
        assert_eq!(
            differences(&all(), &doc! {}),
            "`block_compressor`, `capped`, `validator`"
        );
        let clustered = CollectionOptions {
            clustered: true,
            ..CollectionOptions::default()
        };
        assert_eq!(differences(&clustered, &there), "`clustered`");
        let there = doc! {"clusteredIndex": {"v": 2}};
        assert_eq!(differences(&clustered, &there), "");
    }

    #[test]
    fn a_time_series_is_the_same_by_its_fields_and_the_granularity_that_was_asked_for() {
        let of = |granularity| CollectionOptions {
            time_series: Some(TimeSeries {
                time: "at".to_owned(),
                meta: Some("sensor".to_owned()),
                granularity,
            }),
            ..CollectionOptions::default()
        };
        let there = doc! {"timeseries": {
            "timeField": "at", "metaField": "sensor", "granularity": "seconds",
        }};
        assert_eq!(differences(&of(None), &there), "");
        assert_eq!(differences(&of(Some(Granularity::Seconds)), &there), "");
        let hours = of(Some(Granularity::Hours));
        assert_eq!(differences(&hours, &there), "`time_series`");
        assert_eq!(differences(&of(None), &doc! {}), "`time_series`");
    }
}
