//! The data that a run starts from: collections of others are not touched, those of docstone are
//! used again, and what is missing is loaded.

use mongodb::bson::{Document, doc};

use crate::support::{Database, Docstone, Onlooker, database, docstone};

/// A read-only workload on so many documents.
fn file(count: u64) -> String {
    format!(
        "
name: data
data:
  notes:
    count: {count}
    indexes: [{{keys: {{n: 1}}, unique: true}}]
    document: {{fields: {{_id: {{$uuid: {{}}}}, n: {{$sequence: {{}}}}, at: {{$now: {{}}}}, s: {{$string: {{}}}}}}}}
operations:
  find: {{find_one: {{collection: notes, filter: {{_id: {{$key: {{}}}}}}}}}}
load: [{{name: read, closed: {{concurrency: 4}}, operations: 100}}]
"
    )
}

fn run(database: &Database, file: &str) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", file)
}

/// All documents without what the clock put into them.
fn documents(onlooker: &Onlooker) -> Vec<Document> {
    let mut documents = onlooker.documents("notes");
    for document in &mut documents {
        let _ = document.remove("at");
    }
    documents
}

#[test]
fn a_collection_of_somebody_else_is_refused_and_stays_as_it_is() {
    let database = database("of_somebody_else");
    let onlooker = database.onlooker();
    onlooker.insert("notes", vec![doc! {"_id": 1, "mine": true}]);
    let ran = run(&database, &file(10)).run().ended_with(2);
    for part in ["notes", "not made by docstone", "--drop", "--reuse"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(onlooker.documents("notes"), [doc! {"_id": 1, "mine": true}]);
    assert_eq!(onlooker.collections(), ["notes"]);
    assert!(!ran.path("out/record.json").exists());
}

#[test]
fn drop_loads_a_collection_of_somebody_else_anew() {
    let database = database("drop_of_somebody");
    let onlooker = database.onlooker();
    onlooker.insert("notes", vec![doc! {"_id": 1, "mine": true}]);
    let _ = run(&database, &file(10)).arg("--drop").run().ended_with(0);
    assert_eq!(onlooker.count("notes"), 10);
    assert_eq!(onlooker.count_where("notes", doc! {"mine": true}), 0);
}

#[test]
fn every_document_of_the_plan_is_loaded_with_its_indexes() {
    let database = database("every_document");
    let _ = run(&database, &file(1_005)).run().ended_with(0);
    let onlooker = database.onlooker();
    assert_eq!(onlooker.count("notes"), 1_005);
    assert_eq!(onlooker.sum("notes", "n"), 1_004 * 1_005 / 2);
    let indexes = onlooker.command(doc! {"listIndexes": "notes"});
    let indexes = indexes.to_string();
    assert!(indexes.contains("\"n\": 1"), "{indexes}");
}

#[test]
fn the_same_plan_uses_its_data_again_without_loading() {
    let database = database("same_plan");
    let _ = run(&database, &file(1_005)).run().ended_with(0);
    let onlooker = database.onlooker();
    let (before, inserts) = (onlooker.documents("notes"), onlooker.top("notes", "insert"));
    let _ = run(&database, &file(1_005)).run().ended_with(0);
    assert_eq!(onlooker.documents("notes"), before);
    assert_eq!(onlooker.top("notes", "insert"), inserts);
}

#[test]
fn another_data_plan_is_refused_and_says_so() {
    let database = database("another_plan");
    let _ = run(&database, &file(10)).run().ended_with(0);
    let ran = run(&database, &file(20)).run().ended_with(2);
    assert!(ran.stderr.contains("another data plan"), "{}", ran.stderr);
    let ran = run(&database, &file(10))
        .args(["--seed", "9"])
        .run()
        .ended_with(2);
    assert!(ran.stderr.contains("seed"), "{}", ran.stderr);
    assert_eq!(database.onlooker().count("notes"), 10);
    let _ = run(&database, &file(20)).arg("--reuse").run().ended_with(0);
    assert_eq!(database.onlooker().count("notes"), 20);
}

#[test]
fn a_workload_that_inserts_runs_again_without_duplicate_keys() {
    for id in ["{$sequence: {}}", "{$uuid: {}}", "{$object_id: {}}"] {
        let text = format!(
            "
name: again
data: {{notes: {{count: 50, document: {{fields: {{_id: {id}, n: 1}}}}}}}}
operations: {{insert: {{insert_one: {{collection: notes}}}}}}
load: [{{name: write, closed: {{concurrency: 8}}, operations: 100}}]
"
        );
        let database = database(&format!("inserts_again_{}", &id[2..6]));
        for round in 1..=3 {
            let ran = run(&database, &text).run().ended_with(0);
            let insert = ran.records().operation("write", "insert");
            assert_eq!(
                (&insert["ok"], &insert["errors"]),
                (&100.into(), &0.into()),
                "{id}"
            );
            assert_eq!(database.onlooker().count("notes"), 50 + 100 * round, "{id}");
        }
    }
}

#[test]
fn reuse_loads_what_was_deleted_and_nothing_twice() {
    let database = database("reuse_deleted");
    let _ = run(&database, &file(1_005)).run().ended_with(0);
    let onlooker = database.onlooker();
    let before = documents(&onlooker);
    let deleted = onlooker.delete("notes", doc! {"n": {"$mod": [7, 3]}});
    assert!(deleted > 100);
    let _ = run(&database, &file(1_005))
        .arg("--reuse")
        .run()
        .ended_with(0);
    assert_eq!(documents(&onlooker), before);
}

#[test]
fn a_collection_kept_for_another_seed_is_said_and_taken_by_no_plan() {
    let text = "
name: seeds
data: {notes: {count: 50, document: {fields: {_id: {$sequence: {}}, a: {$int: {}}}}}}
operations: {find: {find_one: {collection: notes, filter: {_id: {$key: {}}}}}}
load: [{closed: {concurrency: 2}, operations: 20}]
";
    let database = database("reuse_seed");
    let _ = run(&database, text).run().ended_with(0);
    let onlooker = database.onlooker();
    let before = documents(&onlooker);
    let _ = run(&database, text)
        .args(["--reuse", "--seed", "2"])
        .run()
        .ended_with(0)
        .says("its documents do not follow from this data plan and seed");
    assert_eq!(documents(&onlooker), before);
    for seed in ["1", "2"] {
        let _ = run(&database, text)
            .args(["--seed", seed])
            .run()
            .ended_with(2);
    }
}

#[test]
fn a_workload_that_deletes_finds_its_documents_again_the_next_time() {
    let text = "
name: deletes
data: {notes: {count: 100, document: {fields: {_id: {$sequence: {}}}}}}
operations: {delete: {delete_one: {collection: notes, filter: {_id: {$key: {}}}}}}
load: [{name: delete, closed: {concurrency: 4}, operations: 150}]
";
    let database = database("deletes_again");
    let deleted = || {
        let ran = run(&database, text).run().ended_with(0);
        let part = ran.records().operation("delete", "delete");
        let deleted = part["ok"].as_u64().expect("a count");
        assert_eq!(part["not_found"], 150 - deleted);
        assert_eq!(database.onlooker().count("notes"), 100 - deleted);
        deleted
    };
    assert!(deleted() > 30);
    assert!(deleted() > 30);
}

#[test]
fn a_loader_that_was_killed_is_finished_by_the_next_run() {
    let database = database("killed_loader");
    let onlooker = database.onlooker();
    let count = 40_000;
    let mut loader = run(&database, &file(count)).start();
    loader.wait_until("some documents are there", |_| {
        onlooker.collections().contains(&"notes".to_owned()) && onlooker.count("notes") > 4_000
    });
    let killed = loader.kill();
    assert_eq!(killed.code, None);
    let there = onlooker.count("notes");
    assert!(there < count, "it was killed too late");
    let ran = run(&database, &file(count)).run().ended_with(0);
    assert_eq!(ran.records().operation("read", "find")["not_found"], 0);
    assert_eq!(onlooker.count("notes"), count);
    assert_eq!(onlooker.sum("notes", "n"), (count - 1) * count / 2);
}

#[test]
fn three_billion_documents_can_be_planned() {
    let ran = docstone(["plan", "w.yaml", "--private", "--json"])
        .file("w.yaml", file(3_000_000_000))
        .run()
        .ended_with(0);
    let plan: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(plan["plan"]["data"][0]["count"], 3_000_000_000_u64);
}

#[test]
fn an_empty_collection_to_read_from_ends_at_once_or_is_refused() {
    let ran = run(&database("empty_to_read"), &file(0)).limit_s(20).run();
    assert!(
        matches!(ran.code, Some(2 | 11)),
        "{:?}\n{}",
        ran.code,
        ran.stderr
    );
    let ran = run(&database("one_to_read"), &file(1))
        .limit_s(20)
        .run()
        .ended_with(0);
    assert_eq!(ran.records().operation("read", "find")["ok"], 100);
}
