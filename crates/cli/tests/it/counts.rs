//! What is reported is what happened: the record, the collection and the server's own counters
//! (`top`) agree exactly, for every kind of operation.

use mongodb::bson::{Bson, Document, doc};
use serde_json::Value;

use crate::support::{Database, Onlooker, Records, database, docstone, whole};

/// Documents of the collection that the tests start with: 20 groups of 10.
const DOCUMENTS: i32 = 200;

/// A collection that is not docstone's, so that docstone itself does nothing to it.
fn with_documents(test: &str) -> (Database, Onlooker) {
    let database = database(test);
    let onlooker = database.onlooker();
    let document = |n: i32| doc! {"_id": n, "g": n % 20, "v": 0};
    onlooker.insert("notes", (1..=DOCUMENTS).map(document).collect());
    (database, onlooker)
}

/// The counters of `top` that only operations move. docstone's own questions about the collection
/// (its sizes) count as `commands`.
const COUNTERS: [&str; 6] = [
    "insert", "update", "remove", "queries", "getmore", "commands",
];

/// What one exact run of one operation did.
struct Effect {
    /// The operation's part of the record.
    part: Value,
    /// By how much the counters of `top` rose.
    top: [u64; 6],
}

impl Effect {
    fn number(&self, name: &str) -> u64 {
        self.part[name].as_u64().expect("a number")
    }

    #[track_caller]
    fn moved_only(&self, counters: &[(&str, u64)]) {
        for (at, counter) in COUNTERS.iter().enumerate() {
            if *counter == "commands" {
                continue;
            }
            let wanted = counters.iter().find(|(name, _)| name == counter);
            let wanted = wanted.map_or(0, |(_, wanted)| *wanted);
            assert_eq!(self.top[at], wanted, "{counter}: {}", self.part);
        }
    }
}

/// Runs exactly so many operations with so many workers.
fn run(
    (database, onlooker): &(Database, Onlooker),
    operation: &str,
    operations: u64,
    workers: u32,
) -> Effect {
    let file = format!(
        "
name: exact
data: {{notes: {{existing: true}}}}
operations:
  it: {operation}
load: [{{name: exact, closed: {{concurrency: {workers}}}, operations: {operations}}}]
"
    );
    let look = || COUNTERS.map(|counter| onlooker.top("notes", counter));
    let before = look();
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", file)
        .run()
        .ended_with(0);
    let after = look();
    let effect = Effect {
        part: ran.records().operation("exact", "it"),
        top: std::array::from_fn(|at| after[at] - before[at]),
    };
    let ended = effect.number("ok") + effect.number("not_found") + effect.number("errors");
    assert_eq!(ended, operations);
    for name in ["intended", "started"] {
        assert_eq!(effect.number(name), operations, "{name}");
    }
    for name in [
        "errors",
        "timeouts",
        "dropped",
        "in_flight_at_end",
        "retries",
    ] {
        assert_eq!(effect.number(name), 0, "{name}");
    }
    assert_eq!(effect.part["service_ns"]["count"], operations);
    effect
}

/// The documents of one group, the number `$int` may draw beyond the 20 that exist.
const BY_GROUP: &str = "{g: {$int: {min: 0, max: 24}}}";
const BY_ID: &str = "{_id: {$int: {min: 1, max: 250}}}";

#[test]
fn three_thousand_inserts_with_64_workers_are_three_thousand() {
    let it = with_documents("three_thousand_inserts");
    let insert = "{insert_one: {collection: notes, document: {_id: {$uuid: {}}, v: 1}}}";
    let effect = run(&it, insert, 3_000, 64);
    effect.moved_only(&[("insert", 3_000)]);
    assert_eq!(effect.number("ok"), 3_000);
    assert_eq!(effect.number("documents"), 3_000);
    assert_eq!(it.1.count("notes"), 3_200);
    assert_eq!(it.1.sum("notes", "v"), 3_000);
}

#[test]
fn find_one_counts_hits_and_misses_as_the_server_does() {
    let it = with_documents("find_one");
    let effect = run(
        &it,
        &format!("{{find_one: {{collection: notes, filter: {BY_ID}}}}}"),
        1_000,
        8,
    );
    effect.moved_only(&[("queries", 1_000)]);
    assert!(effect.number("ok") > 500 && effect.number("not_found") > 50);
    // A document of three 32-bit integers has 28 bytes, the filter 14.
    assert_eq!(effect.number("bytes_in"), 28 * effect.number("ok"));
    assert_eq!(effect.number("bytes_out"), 14 * 1_000);
    assert_eq!(effect.number("documents"), effect.number("ok"));
}

#[test]
fn find_many_reads_every_cursor_to_its_end() {
    let it = with_documents("find_many");
    let effect = run(
        &it,
        &format!("{{find_many: {{collection: notes, filter: {BY_GROUP}, batch_size: 3}}}}"),
        500,
        8,
    );
    // Ten documents in batches of three: the reply to `find` and three more.
    let ok = effect.number("ok");
    effect.moved_only(&[("queries", 500), ("getmore", 3 * ok)]);
    assert!(ok > 250 && effect.number("not_found") > 25);
    assert_eq!(effect.number("documents"), 10 * ok);
}

#[test]
fn count_is_one_command_each_and_its_result_is_added_up() {
    let it = with_documents("count");
    let count = format!("{{count: {{collection: notes, filter: {BY_GROUP}}}}}");
    let effect = run(&it, &count, 500, 8);
    effect.moved_only(&[]);
    assert!(effect.number("ok") > 250);
    // What docstone itself asks is the same in every run: one more operation, one more command.
    let commands = COUNTERS.len() - 1;
    let one = run(&it, &count, 1, 1);
    assert_eq!(effect.top[commands] - one.top[commands], 499);
}

#[test]
fn update_one_changes_one_document_for_each_success() {
    let it = with_documents("update_one");
    let effect = run(
        &it,
        &format!(
            "{{update_one: {{collection: notes, filter: {BY_ID}, update: {{$inc: {{v: 1}}}}}}}}"
        ),
        1_000,
        64,
    );
    effect.moved_only(&[("update", 1_000)]);
    assert!(effect.number("not_found") > 50);
    assert_eq!(effect.number("documents"), effect.number("ok"));
    assert_eq!(it.1.sum("notes", "v"), effect.number("ok"));
}

#[test]
fn update_many_reports_every_document_that_it_changed() {
    let it = with_documents("update_many");
    let effect = run(
        &it,
        &format!(
            "{{update_many: {{collection: notes, filter: {BY_GROUP}, update: {{$inc: {{v: 1}}}}}}}}"
        ),
        400,
        8,
    );
    effect.moved_only(&[("update", 400)]);
    let ok = effect.number("ok");
    assert!(ok > 200 && effect.number("not_found") > 20);
    assert_eq!(effect.number("documents"), 10 * ok);
    assert_eq!(it.1.sum("notes", "v"), 10 * ok);
}

#[test]
fn replace_one_replaces_one_document_for_each_success() {
    let it = with_documents("replace_one");
    let effect = run(
        &it,
        &format!("{{replace_one: {{collection: notes, filter: {BY_ID}, document: {{v: 7}}}}}}"),
        400,
        64,
    );
    effect.moved_only(&[("update", 400)]);
    let replaced = it.1.documents("notes");
    let replaced: Vec<_> = replaced
        .iter()
        .filter(|document| document.get("v") == Some(&Bson::Int32(7)))
        .collect();
    assert!(!replaced.is_empty() && replaced.len() as u64 <= effect.number("ok"));
    let is_whole = |document: &&Document| !document.contains_key("g") && document.len() == 2;
    assert!(replaced.iter().all(is_whole));
    assert_eq!(it.1.count("notes"), 200);
    assert_eq!(effect.number("documents"), effect.number("ok"));
}

#[test]
fn delete_one_finds_every_document_only_once() {
    let it = with_documents("delete_one");
    let effect = run(
        &it,
        &format!("{{delete_one: {{collection: notes, filter: {BY_ID}}}}}"),
        600,
        64,
    );
    effect.moved_only(&[("remove", 600)]);
    let deleted = 200 - it.1.count("notes");
    assert!(deleted > 100);
    assert_eq!(effect.number("ok"), deleted);
    assert_eq!(effect.number("not_found"), 600 - deleted);
    assert_eq!(effect.number("documents"), deleted);
}

#[test]
fn delete_many_reports_every_document_that_it_deleted() {
    let it = with_documents("delete_many");
    let effect = run(
        &it,
        &format!("{{delete_many: {{collection: notes, filter: {BY_GROUP}}}}}"),
        30,
        8,
    );
    effect.moved_only(&[("remove", 30)]);
    let deleted = 200 - it.1.count("notes");
    assert!(deleted > 50);
    // Two that delete the same group at the same time may share its documents.
    assert_eq!(effect.number("documents"), deleted);
    assert!(effect.number("ok") >= deleted / 10);
}

/// Runs a file in a database of its own.
fn run_file(test: &str, file: &str) -> (Database, Records) {
    let database = database(test);
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", file)
        .run()
        .ended_with(0);
    (database, ran.records())
}

#[test]
fn ten_documents_do_for_ten_three_and_eleven_workers() {
    let steps: Vec<String> = [10, 3, 11]
        .into_iter()
        .flat_map(|workers| {
            [1, 10, 101].map(|operations| {
                format!(
                    "  - {{name: w{workers}-n{operations}, closed: {{concurrency: {workers}}}, \
                     operations: {operations}}}\n"
                )
            })
        })
        .collect();
    let file = format!(
        "
name: few
data: {{notes: {{count: 10, document: {{fields: {{_id: {{$sequence: {{}}}}, v: 0}}}}}}}}
operations:
  update: {{update_one: {{collection: notes, filter: {{_id: {{$key: {{}}}}}}, update: {{$inc: {{v: 1}}}}}}}}
load:
{}",
        steps.concat()
    );
    let (database, records) = run_file("ten_documents", &file);
    for workers in [10, 3, 11] {
        for operations in [1, 10, 101] {
            let part = records.operation(&format!("w{workers}-n{operations}"), "update");
            assert_eq!(whole(&part["ok"]), operations, "{workers} workers");
            assert_eq!(whole(&part["not_found"]), 0, "{workers} workers");
        }
    }
    assert_eq!(database.onlooker().sum("notes", "v"), 3 * 112);
    assert_eq!(database.onlooker().count("notes"), 10);
}

#[test]
fn the_parts_of_a_mix_add_up_to_the_whole() {
    let file = "
name: mix
data: {notes: {count: 50, document: {fields: {_id: {$sequence: {}}, v: 0}}}}
operations:
  find: {find_one: {collection: notes, filter: {_id: {$key: {}}}}}
  insert: {insert_one: {collection: notes}}
  update: {update_one: {collection: notes, filter: {_id: {$key: {}}}, update: {$inc: {v: 1}}}}
scenario: {mix: {find: 70, insert: 20, update: 10}}
load: [{name: mix, closed: {concurrency: 16}, operations: 2000}]
";
    let (database, records) = run_file("the_parts_of_a_mix", file);
    let ok = |operation| whole(&records.operation("mix", operation)["ok"]);
    let (finds, inserts, updates) = (ok("find"), ok("insert"), ok("update"));
    assert_eq!(finds + inserts + updates, 2_000);
    // Each share within five standard deviations of what its weight asks for.
    assert!((1_298..=1_502).contains(&finds), "{finds}");
    assert!((311..=489).contains(&inserts), "{inserts}");
    assert!((133..=267).contains(&updates), "{updates}");
    let onlooker = database.onlooker();
    assert_eq!(onlooker.count("notes"), 50 + inserts);
    assert_eq!(onlooker.sum("notes", "v"), updates);
    assert_eq!(whole(&records.run["trials"][0]["summary"]["ok"]), 2_000);
}

#[test]
fn each_group_has_its_own_workers_count_and_end() {
    let file = "
name: groups
data: {notes: {count: 50, document: {fields: {_id: {$sequence: {}}, v: 0}}}}
operations:
  find: {find_one: {collection: notes, filter: {_id: {$key: {}}}}}
  insert: {insert_one: {collection: notes}}
groups:
  readers:
    scenario: {mix: {find: 1}}
    load: [{name: both, closed: {concurrency: 5}, operations: 501}]
  writers:
    scenario: {mix: {insert: 3, find: 1}}
    load: [{name: both, closed: {concurrency: 3}, operations: 200}]
";
    let (database, records) = run_file("each_group", file);
    let groups = &records.trial("both")["groups"];
    let ok = |group: &str, operation: &str| whole(&groups[group]["operations"][operation]["ok"]);
    assert_eq!(ok("readers", "find"), 501);
    assert!(groups["readers"]["operations"].get("insert").is_none());
    assert_eq!(ok("writers", "insert") + ok("writers", "find"), 200);
    // Each rate is over the window of its group, which the group has in its record.
    for (group, operation) in [("readers", "find"), ("writers", "insert")] {
        let of = &groups[group]["operations"][operation];
        let (rate, window_s) = (&of["throughput_ops_per_s"], &groups[group]["window_s"]);
        let product = rate.as_f64().expect("a rate") * window_s.as_f64().expect("a window");
        let completed = whole(&of["completed_in_window"]) as f64;
        assert!((product - completed).abs() < 1e-6, "{groups:#}");
    }
    let merged = records.operation("both", "find");
    assert_eq!(whole(&merged["ok"]), 501 + ok("writers", "find"));
    let inserted = database.onlooker().count("notes") - 50;
    assert_eq!(inserted, ok("writers", "insert"));
}

#[test]
fn every_step_has_its_own_count_and_a_warm_up_has_no_record() {
    let file = "
name: steps
data: {notes: {count: 0, document: {fields: {_id: {$sequence: {}}}}}}
operations: {insert: {insert_one: {collection: notes}}}
load:
  - {name: warm, warmup: true, closed: {concurrency: 4}, operations: 50}
  - {name: one, closed: {concurrency: 1}, operations: 100}
  - {closed: {concurrency: 8}, operations: 200}
  - {name: last, closed: {concurrency: 3}, operations: 301, duration: 1m}
";
    let (database, records) = run_file("every_step", file);
    let ok = |cell| whole(&records.operation(cell, "insert")["ok"]);
    let cells = records.run["trials"].as_array().expect("trials");
    let names: Vec<_> = cells.iter().map(|trial| &trial["cell"]).collect();
    let unnamed = names[1].as_str().expect("a name").to_owned();
    assert_eq!(names, ["one", unnamed.as_str(), "last"]);
    assert_eq!((ok("one"), ok(&unnamed), ok("last")), (100, 200, 301));
    assert_eq!(database.onlooker().count("notes"), 651);
}
