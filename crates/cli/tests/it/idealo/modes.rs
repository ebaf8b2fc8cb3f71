//! What each mode does to the collection: the record, the collection and `top` agree.

use std::collections::BTreeSet;

use docstone_mongo::private::ServerOptions;
use mongodb::bson::{Bson, Document, RawDocumentBuf, doc};

use super::{PERF, idealo, idealo_at, operation, stats};
use crate::support::{Database, Onlooker, database, onlooker, start};

/// Inserts so many documents by so many threads.
fn filled(test: &str, documents: u64, threads: u32) -> (Database, Onlooker) {
    let database = database(test);
    let line = format!("-m insert -o {documents} -t {threads} --quiet");
    let _ = idealo(&line, &database).run().ended_with(0);
    let onlooker = database.onlooker();
    (database, onlooker)
}

fn ids(documents: &[Document]) -> Vec<i64> {
    let id = |document: &Document| document.get_i64("_id").expect("a 64-bit _id");
    documents.iter().map(id).collect()
}

/// The only documents of a size, in bytes.
fn size_bytes(document: &Document) -> usize {
    let raw = RawDocumentBuf::try_from(document).expect("BSON");
    raw.as_bytes().len()
}

#[test]
fn the_insert_line_of_the_reference_study_inserts_exactly_what_it_says() {
    let database = database("the_insert_line");
    let line = "-m insert -o 10000 -t 10";
    let ran = idealo(line, &database).limit_s(120).run().ended_with(0);
    let inserts = operation(&ran, "INSERT");
    assert_eq!(inserts["ok"], 10_000);
    assert_eq!(inserts["started"], 10_000);
    let connections = &ran.records().trial("step-1")["client"]["connections"];
    assert_eq!(connections["opened"], 10);
    let onlooker = database.onlooker();
    assert_eq!(onlooker.top(PERF, "insert"), 10_000);
    let documents = onlooker.documents(PERF);
    assert!(ids(&documents).into_iter().eq(1..=10_000));
}

#[test]
fn inserted_documents_have_the_old_tools_form() {
    let (_, onlooker) = filled("the_old_form", 200, 4);
    let documents = onlooker.documents(PERF);
    let mut runs: BTreeSet<(i32, i64)> = BTreeSet::new();
    let mut random = BTreeSet::new();
    for document in &documents {
        let names: Vec<&str> = document.keys().map(String::as_str).collect();
        assert_eq!(names, ["_id", "threadId", "threadRunCount", "rnd", "v"]);
        assert_eq!(size_bytes(document), 76, "{document}");
        assert_eq!(document.get("v"), Some(&Bson::Int32(1)));
        let _ = random.insert(document.get_i64("rnd").expect("a 64-bit number"));
        let thread = document.get_i32("threadId").expect("a 32-bit number");
        let count = document.get_i64("threadRunCount").expect("a 64-bit number");
        assert!(runs.insert((thread, count)), "twice: {document}");
    }
    // Each thread counts from 1 without a gap, and together they have inserted all.
    for thread in 1..=4 {
        let counts: Vec<i64> = runs
            .range((thread, 0)..(thread + 1, 0))
            .map(|(_, count)| *count)
            .collect();
        assert!(!counts.is_empty(), "thread {thread} did nothing");
        let gapless = counts
            .iter()
            .zip(1..)
            .all(|(count, wanted)| *count == wanted);
        assert!(gapless, "{counts:?}");
    }
    assert_eq!(runs.len(), 200);
    assert_eq!(random.len(), 200);
    assert!(random.iter().any(|number| *number < 0), "the full range");
}

#[test]
fn random_text_has_exactly_the_length_that_was_asked_for() {
    let database = database("random_text");
    let line = "-m insert -o 50 -t 3 -s 100";
    let _ = idealo(line, &database).run().ended_with(0);
    let documents = database.onlooker().documents(PERF);
    assert_eq!(documents.len(), 50);
    for document in &documents {
        let names: Vec<&str> = document.keys().map(String::as_str).collect();
        assert_eq!(names[4..], ["rndTxt", "v"]);
        assert_eq!(size_bytes(document), 189, "{document}");
        let text = document.get_str("rndTxt").expect("a text");
        assert!(text.len() == 100 && text.chars().all(|c| c.is_ascii_alphanumeric()));
    }
}

#[test]
fn inserts_go_on_after_the_largest_id_and_a_dropped_database_begins_at_one() {
    let (database, onlooker) = filled("ids_go_on", 100, 3);
    assert_eq!(onlooker.delete(PERF, doc! {"_id": {"$lt": 60}}), 59);
    let _ = idealo("-m insert -o 70 -t 4", &database)
        .run()
        .ended_with(0);
    assert!(ids(&onlooker.documents(PERF)).into_iter().eq(60..=170));
    onlooker.insert("other", vec![doc! {"a": 1}]);
    // Dropped once, before the first of two steps.
    let ran = idealo("-m insert -o 70 -t 2 5 -dropdb", &database).run();
    let _ = ran.ended_with(0);
    assert!(ids(&onlooker.documents(PERF)).into_iter().eq(1..=140));
    assert_eq!(onlooker.collections(), [PERF]);
}

/// Runs 301 operations of a mode on 600 documents of three threads. Returns documents touched.
fn mode(mode: &str, counter: &str, others: u64) -> (Onlooker, u64) {
    let (database, onlooker) = filled(&mode.to_lowercase(), 600, 3);
    let before = ["insert", "update", "remove", "queries"].map(|of| onlooker.top(PERF, of));
    let commands = onlooker.top(PERF, "commands");
    let line = format!("-m {} -o 301 -t 4", mode.to_lowercase());
    let ran = idealo(&line, &database).run().ended_with(0);
    let after = ["insert", "update", "remove", "queries"].map(|of| onlooker.top(PERF, of));
    for (at, of) in ["insert", "update", "remove", "queries"].iter().enumerate() {
        let rose = after[at] - before[at];
        if *of == counter {
            assert!((301..=301 + others).contains(&rose), "{of}: {rose}");
        } else {
            assert!(rose <= others, "{of}: {rose}");
        }
    }
    if counter == "commands" {
        assert!(onlooker.top(PERF, "commands") - commands >= 301);
    }
    let part = operation(&ran, mode);
    let count = |name: &str| part[name].as_u64().expect("a count");
    assert_eq!(count("ok") + count("not_found"), 301, "{part:#}");
    assert_eq!(count("errors"), 0);
    let rows = stats(&ran, &format!("stats-per-run-{mode}.csv"));
    assert_eq!(rows[0]["count"], "301");
    (onlooker, part["documents"].as_u64().expect("a count"))
}

#[test]
fn update_one_updates_each_time_one_document() {
    let (onlooker, touched) = mode("UPDATE_ONE", "update", 5);
    assert_eq!(touched, 301);
    assert_eq!(onlooker.sum(PERF, "v"), 600 + 301);
}

#[test]
fn update_many_updates_all_documents_of_a_run_count() {
    let (onlooker, touched) = mode("UPDATE_MANY", "update", 5);
    assert!((301..=3 * 301).contains(&touched), "{touched}");
    assert_eq!(onlooker.sum(PERF, "v"), 600 + touched);
    let index = onlooker.command(doc! {"listIndexes": PERF});
    assert!(index.to_string().contains("threadRunCount_1"), "{index}");
}

#[test]
fn count_one_and_count_many_count() {
    assert_eq!(mode("COUNT_ONE", "commands", 5).1, 301);
    let counted = mode("COUNT_MANY", "commands", 5).1;
    assert!((301..=3 * 301).contains(&counted), "{counted}");
}

#[test]
fn iterate_one_and_iterate_many_read_all_that_they_find() {
    assert_eq!(mode("ITERATE_ONE", "queries", 5).1, 301);
    let read = mode("ITERATE_MANY", "queries", 5).1;
    assert!((301..=3 * 301).contains(&read), "{read}");
}

#[test]
fn delete_one_deletes_what_is_left_and_counts_misses() {
    let (onlooker, deleted) = mode("DELETE_ONE", "remove", 5);
    assert!((100..301).contains(&deleted), "{deleted}");
    assert_eq!(onlooker.count(PERF), 600 - deleted);
}

#[test]
fn delete_many_deletes_all_documents_of_a_run_count() {
    let (onlooker, deleted) = mode("DELETE_MANY", "remove", 5);
    assert!((100..=600).contains(&deleted), "{deleted}");
    assert_eq!(onlooker.count(PERF), 600 - deleted);
}

#[test]
fn several_modes_run_at_the_same_time_each_with_its_own_threads_and_operations() {
    let (database, onlooker) = filled("several_modes", 300, 3);
    let line = "-m insert update_one iterate_many -t 2 3 4 1 2 1 -o 500 700 30";
    let ran = idealo(line, &database).run().ended_with(0);
    let records = ran.records();
    let mut updated = 0;
    for (cell, connections) in [("step-1", 9), ("step-2", 4)] {
        assert_eq!(records.operation(cell, "INSERT")["ok"], 500);
        let update = records.operation(cell, "UPDATE_ONE");
        assert_eq!(update["started"], 700);
        assert_eq!(update["errors"], 0);
        updated += update["documents"].as_u64().expect("a count");
        assert_eq!(records.operation(cell, "ITERATE_MANY")["started"], 30);
        let client = records.trial(cell)["client"].clone();
        assert_eq!(client["connections"]["opened"], connections);
    }
    assert!(ids(&onlooker.documents(PERF)).into_iter().eq(1..=1300));
    assert_eq!(onlooker.sum(PERF, "v"), 1300 + updated);
}

#[test]
fn the_same_mode_twice_inserts_no_id_twice() {
    let database = database("insert_insert");
    let ran = idealo("-m insert insert -t 2 3 -o 300 400", &database).run();
    let ran = ran.ended_with(0);
    assert_eq!(operation(&ran, "INSERT")["ok"], 300);
    assert_eq!(operation(&ran, "INSERT-2")["ok"], 400);
    assert!(
        ids(&database.onlooker().documents(PERF))
            .into_iter()
            .eq(1..=700)
    );
    let rows = stats(&ran, "stats-per-run-INSERT-2.csv");
    assert_eq!(rows[0]["count"], "400");
}

#[test]
fn a_mode_that_needs_documents_is_refused_on_an_empty_collection() {
    let database = database("an_empty_collection");
    let ran = idealo("-m update_one -o 10 -t 2", &database).run();
    let name = format!("{}.{PERF} is empty", database.name);
    let ran = ran.ended_with(2).says(&name).says("insert documents first");
    assert!(!ran.path("stats-per-run-UPDATE_ONE.csv").exists());
    let beside = "-m insert update_one -o 10 10 -t 1 1";
    let ran = idealo(beside, &database).run().ended_with(0);
    assert_eq!(operation(&ran, "UPDATE_ONE")["started"], 10);
    // What such updates find is said, once, and kept in the record.
    let note = "`_id` is drawn from 0 alone";
    assert_eq!(ran.stderr.matches(note).count(), 1, "{}", ran.stderr);
    let warnings = ran.records().run["warnings"].to_string();
    assert!(warnings.contains(note), "{warnings}");
    let again = idealo(beside, &database).run().ended_with(0);
    assert!(!again.stderr.contains(note), "{}", again.stderr);
}

#[test]
fn a_mode_that_is_refused_for_want_of_numbers_has_made_no_index() {
    let database = database("no_numbers");
    let look = database.onlooker();
    look.insert(PERF, vec![doc! {"_id": 1, "threadRunCount": "text"}]);
    let ran = idealo("-m update_many -o 10 -t 2", &database)
        .run()
        .ended_with(2);
    let _ = ran.says("no document has a number in `threadRunCount`");
    let indexes = look.command(doc! {"listIndexes": PERF}).to_string();
    assert!(!indexes.contains("threadRunCount_1"), "{indexes}");
    // Nor the collection, where there is none.
    let _ = look.command(doc! {"drop": PERF});
    let ran = idealo("-m update_many -o 10 -t 2", &database)
        .run()
        .ended_with(2);
    let _ = ran.says("is empty");
    assert!(look.collections().is_empty());
}

#[test]
fn unacknowledged_writes_succeed_and_what_they_touched_is_unknown() {
    let server = start(&ServerOptions {
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let line = "-m insert -o 300 -t 3 -wc unacknowledged";
    let ran = idealo_at(line, &server, "old").run().ended_with(0);
    let inserts = operation(&ran, "INSERT");
    assert_eq!(inserts["ok"], 300);
    assert_eq!(inserts["documents"], serde_json::Value::Null);
    let onlooker = onlooker(server.uri().expose(), "old");
    // Nobody has waited for the last of them.
    for _ in 0..100 {
        if onlooker.count(PERF) == 300 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(onlooker.count(PERF), 300);
    let line = "-m update_many -o 30 -t 3 -wc UNACKNOWLEDGED";
    let ran = idealo_at(line, &server, "old").run().ended_with(0);
    let updates = operation(&ran, "UPDATE_MANY");
    assert_eq!(
        (&updates["ok"], &updates["errors"]),
        (&30.into(), &0.into())
    );
}
