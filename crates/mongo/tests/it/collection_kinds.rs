//! Collections of a kind: made as the plan says, known again, and refused where they are of another.

use docstone_engine::target::{Target, TargetError, TargetErrorKind};
use docstone_model::plan::{
    BlockCompressor, Capped, CollectionOptions, IndexBuild, SetupMode, TimeSeries,
};
use docstone_model::{IndexPlan, Plan};
use docstone_mongo::MongoTarget;
use mongodb::bson::{Document, doc};
use serde_json::{Value, json};

use crate::deployment::{on_engine_thread, onlooker, shared};
use crate::plans::{self, numbered, plan, template};

/// A thousand documents in a collection of this kind.
fn of_kind(database: &str, options: CollectionOptions) -> Plan {
    let mut plan = plan(shared().uri().expose(), database, vec![plans::find_one()]);
    plan.data = vec![numbered(1_000)];
    plan.data[0].options = options;
    plan
}

/// Sets up and returns the notes, and whether anything was loaded.
fn set_up(plan: &Plan) -> Result<(Vec<String>, bool), TargetError> {
    let target = MongoTarget::connect(plan)?;
    let mut loaded = false;
    target.set_up(
        &mut |progress| loaded |= progress.stage == docstone_mongo::SetupStage::Load,
        &|| false,
    )?;
    target.finish()?;
    Ok((target.describe().notes, loaded))
}

/// What the server tells of the collection `c`, and how many documents it holds.
fn shown(database: &str) -> (Document, u64) {
    on_engine_thread(async {
        let database = onlooker().await.database(database);
        let list = doc! {"listCollections": 1, "filter": {"name": "c"}};
        let mut cursor = database.run_cursor_command(list).await.expect("a list");
        assert!(cursor.advance().await.expect("an entry"));
        let found: Document = cursor.deserialize_current().expect("a document");
        let count = database
            .collection::<Document>("c")
            .count_documents(doc! {})
            .await;
        let options = found.get_document("options").expect("options").clone();
        (options, count.expect("a count"))
    })
}

/// Makes it, and finds it again as its own.
fn made_and_known_again(plan: &Plan, database: &str) -> Document {
    let (notes, loaded) = set_up(plan).unwrap_or_else(|error| panic!("{error}"));
    assert!(loaded && notes.is_empty(), "{notes:?}");
    let (options, count) = shown(database);
    assert_eq!(count, 1_000);
    let again = set_up(plan).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again, (Vec::new(), false), "it was loaded again");
    options
}

fn refused(plan: &Plan) -> TargetError {
    let error = set_up(plan).expect_err("of another kind");
    assert_eq!(error.kind, TargetErrorKind::Plan);
    error
}

#[test]
fn a_block_compressor_is_that_of_the_plan_and_another_one_is_another_collection() {
    let with = |block_compressor| CollectionOptions {
        block_compressor: Some(block_compressor),
        ..CollectionOptions::default()
    };
    let mut plan = of_kind("kind_blocks", with(BlockCompressor::Zstd));
    let options = made_and_known_again(&plan, "kind_blocks");
    let config = options
        .get_document("storageEngine")
        .and_then(|engine| engine.get_document("wiredTiger"))
        .and_then(|tiger| tiger.get_str("configString"));
    assert_eq!(config.ok(), Some("block_compressor=zstd"));
    plan.data[0].options = with(BlockCompressor::Zlib);
    let error = refused(&plan);
    assert!(error.message.contains("another data plan"), "{error}");
    plan.setup = SetupMode::Reuse;
    let error = refused(&plan);
    assert!(error.message.contains("`block_compressor`"), "{error}");
    assert!(error.help.expect("a cure").contains("--drop"));
    plan.setup = SetupMode::Drop;
    let (_, loaded) = set_up(&plan).expect("made anew");
    assert!(loaded);
    assert!(shown("kind_blocks").0.to_string().contains("zlib"));
}

#[test]
fn a_capped_collection_is_made_and_one_that_is_too_small_is_refused_with_the_figures() {
    let with = |size_bytes, documents| CollectionOptions {
        capped: Some(Capped {
            size_bytes,
            documents,
        }),
        ..CollectionOptions::default()
    };
    let plan = of_kind("kind_capped", with(1_000_000, Some(1_500)));
    let options = made_and_known_again(&plan, "kind_capped");
    assert_eq!(options.get_bool("capped").ok(), Some(true));
    let error = refused(&of_kind("kind_small", with(4_096, None)));
    for part in ["of 1000", "capped"] {
        assert!(error.message.contains(part), "{error}");
    }
}

#[test]
fn a_clustered_collection_and_a_validator_are_made() {
    let options = CollectionOptions {
        clustered: true,
        validator: Some(json!({"n": {"$gte": 0}})),
        ..CollectionOptions::default()
    };
    let options = made_and_known_again(&of_kind("kind_clustered", options), "kind_clustered");
    assert!(options.contains_key("clusteredIndex"), "{options}");
    assert_eq!(
        options.get_document("validator").ok(),
        Some(&doc! {"n": {"$gte": 0}})
    );
}

#[test]
fn documents_that_the_validator_refuses_end_the_set_up_with_its_words() {
    let options = CollectionOptions {
        validator: Some(json!({"n": {"$gte": 100}})),
        ..CollectionOptions::default()
    };
    let error = set_up(&of_kind("kind_refused", options)).expect_err("refused");
    assert!(error.message.contains("validation"), "{error}");
}

#[test]
fn options_that_the_server_does_not_know_are_a_mistake_of_the_plan() {
    let options = CollectionOptions {
        validator: Some(json!({"n": {"$gret": 100}})),
        ..CollectionOptions::default()
    };
    let error = refused(&of_kind("kind_unknown", options));
    assert!(error.message.contains("$gret"), "{error}");
    assert!(error.help.is_some());
}

fn measurements(database: &str, fields: &Value) -> Plan {
    let options = CollectionOptions {
        time_series: Some(TimeSeries {
            time: "at".to_owned(),
            meta: Some("n".to_owned()),
            granularity: None,
        }),
        ..CollectionOptions::default()
    };
    let mut plan = of_kind(database, options);
    plan.data[0].document = Some(template(fields));
    plan
}

#[test]
fn a_time_series_is_made_and_known_again_by_its_buckets() {
    let fields = json!({"_id": {"$sequence": {}}, "at": {"$now": {}}, "n": {"$int": {"max": 9}}});
    let mut plan = measurements("kind_series", &fields);
    let options = made_and_known_again(&plan, "kind_series");
    let series = options.get_document("timeseries").expect("a time series");
    assert_eq!(series.get_str("timeField").ok(), Some("at"));
    assert_eq!(series.get_str("metaField").ok(), Some("n"));
    // One that another program made again is not docstone's.
    on_engine_thread(async {
        let database = onlooker().await.database("kind_series");
        let collection = database.collection::<Document>("c");
        collection.drop().await.expect("dropped");
        let made = doc! {"create": "c", "timeseries": {"timeField": "at", "metaField": "n"}};
        let _ = database.run_command(made).await.expect("made");
    });
    let error = refused(&plan);
    assert!(error.message.contains("UUID is another"), "{error}");
    plan.setup = SetupMode::Drop;
    let (_, loaded) = set_up(&plan).expect("made anew");
    assert!(loaded);
}

#[test]
fn a_time_series_whose_documents_have_no_date_is_refused_before_anything_is_made() {
    let fields = json!({"_id": {"$sequence": {}}, "at": {"$int": {}}, "n": 1});
    let error = refused(&measurements("kind_no_date", &fields));
    assert!(error.message.contains("holds no date"), "{error}");
    assert!(error.help.expect("a cure").contains("$now"));
    let names = on_engine_thread(async {
        let database = onlooker().await.database("kind_no_date");
        database.list_collection_names().await.expect("names")
    });
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn indexes_have_the_options_of_the_plan() {
    let on = |field: &str| IndexPlan {
        keys: vec![(field.to_owned(), json!(1))],
        ..IndexPlan::default()
    };
    let mut plan = of_kind("kind_indexes", CollectionOptions::default());
    plan.data[0].indexes = vec![
        IndexPlan {
            sparse: true,
            ..on("a")
        },
        IndexPlan {
            expire_after_s: Some(3_600),
            ..on("b")
        },
        IndexPlan {
            partial: Some(json!({"n": {"$gt": 5}})),
            collation: Some(json!({"locale": "en", "strength": 2})),
            ..on("n")
        },
    ];
    let _ = made_and_known_again(&plan, "kind_indexes");
    let found = on_engine_thread(async {
        let database = onlooker().await.database("kind_indexes");
        let list = doc! {"listIndexes": "c"};
        let listed = database.run_command(list).await.expect("a list");
        listed.to_string()
    });
    for part in ["\"sparse\": true", "3600", "$gt", "\"strength\": 2"] {
        assert!(found.contains(part), "{part}: {found}");
    }
}

/// The same plan fails in another place: while documents are loaded, or after all of them are.
#[test]
fn an_index_is_built_before_or_after_the_documents_are_loaded() {
    for (build, database) in [
        (IndexBuild::BeforeLoad, "kind_before"),
        (IndexBuild::AfterLoad, "kind_after"),
    ] {
        let mut plan = of_kind(database, CollectionOptions::default());
        plan.data[0].indexes = vec![IndexPlan {
            keys: vec![("n".to_owned(), json!(1))],
            unique: true,
            build,
            ..IndexPlan::default()
        }];
        let error = refused(&plan);
        let (_, count) = shown(database);
        match build {
            IndexBuild::BeforeLoad => {
                assert!(
                    error.message.contains("unique index does not take"),
                    "{error}"
                );
                assert_eq!(count, 10, "one document for each value of n");
            }
            IndexBuild::AfterLoad => {
                assert!(error.message.contains("is to be unique"), "{error}");
                assert_eq!(count, 1_000);
            }
        }
    }
}
