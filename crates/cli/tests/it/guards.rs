//! Collections that changed hands between two runs: what is another's is refused or said.

use mongodb::bson::{Document, doc};

use crate::support::{Database, Docstone, Onlooker, database, docstone};

/// A workload that updates 1,000 documents whose keys anybody may have chosen, too.
const UPDATES: &str = "
name: updates
data: {orders: {count: 1000, document: {fields: {_id: {$sequence: {}}, v: 0}}}}
operations: {pay: {update_one: {collection: orders, filter: {_id: {$key: {}}}, update: {$inc: {v: 1}}}}}
load: [{name: pay, closed: {concurrency: 4}, operations: 200}]
";

fn run(database: &Database, file: &str) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", file)
}

fn of_the_owner(ids: std::ops::Range<i64>) -> Vec<Document> {
    ids.map(|id| doc! {"_id": id, "mine": true}).collect()
}

/// Drops the collection and makes it again with the same keys.
fn make_again(onlooker: &Onlooker) -> Vec<Document> {
    let _ = onlooker.command(doc! {"drop": "orders"});
    onlooker.insert("orders", of_the_owner(0..1_000));
    onlooker.documents("orders")
}

fn warnings(ran: &crate::support::Ran) -> String {
    ran.records().run["warnings"].to_string()
}

#[test]
fn a_collection_that_was_dropped_and_made_again_is_its_owners() {
    let database = database("made_again");
    let onlooker = database.onlooker();
    let _ = run(&database, UPDATES).run().ended_with(0);
    let of_the_owner = make_again(&onlooker);
    let marker = onlooker.documents("docstone_meta");
    let ran = run(&database, UPDATES).run().ended_with(2);
    let cures = ["--drop", "--reuse", "another"];
    for part in ["orders", "dropped and made again"].iter().chain(&cures) {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(onlooker.documents("orders"), of_the_owner);
    assert_eq!(onlooker.documents("docstone_meta"), marker);
    assert!(!ran.path("out/record.json").exists());
}

#[test]
fn a_collection_made_again_is_kept_on_request_and_still_taken_by_no_plan() {
    let database = database("made_again_reuse");
    let onlooker = database.onlooker();
    let _ = run(&database, UPDATES).run().ended_with(0);
    let _ = make_again(&onlooker);
    for _ in 0..2 {
        let ran = run(&database, UPDATES).arg("--reuse").run().ended_with(0);
        assert!(warnings(&ran).contains("--reuse"), "{}", warnings(&ran));
    }
    assert_eq!(onlooker.count_where("orders", doc! {"mine": true}), 1_000);
    let _ = run(&database, UPDATES).run().ended_with(2);
    let _ = run(&database, UPDATES).arg("--drop").run().ended_with(0);
    let _ = run(&database, UPDATES).run().ended_with(0);
    assert_eq!(onlooker.count_where("orders", doc! {"mine": true}), 0);
}

#[test]
fn a_marker_without_a_uuid_is_believed_only_on_request() {
    let database = database("old_marker");
    let onlooker = database.onlooker();
    let _ = run(&database, UPDATES).run().ended_with(0);
    let update = doc! {"q": {"_id": "orders"}, "u": {"$unset": {"uuid": 1}}};
    let _ = onlooker.command(doc! {"update": "docstone_meta", "updates": [update]});
    let before = onlooker.documents("orders");
    let ran = run(&database, UPDATES).run().ended_with(2);
    for part in ["orders", "UUID", "--drop", "--reuse"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(onlooker.documents("orders"), before);
    let _ = run(&database, UPDATES)
        .arg("--reuse")
        .run()
        .ended_with(0)
        .says("orders is kept");
    // Now it is known.
    let ran = run(&database, UPDATES).run().ended_with(0);
    assert_eq!(warnings(&ran), "[]");
}

#[test]
fn a_collection_made_again_with_more_documents_than_the_plan_is_refused_with_reuse_too() {
    let database = database("made_again_larger");
    let onlooker = database.onlooker();
    let _ = run(&database, UPDATES).run().ended_with(0);
    let _ = onlooker.command(doc! {"drop": "orders"});
    onlooker.insert("orders", of_the_owner(5_000..6_100));
    let ran = run(&database, UPDATES).arg("--reuse").run().ended_with(2);
    assert!(ran.stderr.contains("1100"), "{}", ran.stderr);
    assert_eq!(onlooker.count("orders"), 1_100);
}

#[test]
fn documents_that_others_inserted_are_said_and_those_of_runs_are_not() {
    let inserts = UPDATES.replace(
        "operations: {pay:",
        "scenario: {mix: {add: 1, pay: 1}}
operations: {add: {insert_one: {collection: orders}}, pay:",
    );
    for (name, text) in [("others_updates", UPDATES), ("others_inserts", &inserts)] {
        let database = database(name);
        let onlooker = database.onlooker();
        for _ in 0..3 {
            let ran = run(&database, text).run().ended_with(0);
            assert_eq!(warnings(&ran), "[]");
        }
        let there = onlooker.count("orders") + 100;
        onlooker.insert("orders", of_the_owner(5_000_000..5_000_100));
        let ran = run(&database, text).run().ended_with(0);
        let said = warnings(&ran);
        for part in [&format!("{there} documents"), "100 more", "orders"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        // Said once: they are known from then on.
        let ran = run(&database, text).run().ended_with(0);
        assert_eq!(warnings(&ran), "[]");
    }
}

#[test]
fn documents_beside_those_of_the_plan_are_said_with_reuse() {
    let database = database("beside");
    let onlooker = database.onlooker();
    onlooker.insert("orders", of_the_owner(5_000..5_300));
    let ran = run(&database, UPDATES).arg("--reuse").run().ended_with(0);
    assert_eq!(onlooker.count("orders"), 1_300);
    let said = warnings(&ran);
    assert!(said.contains("about 300 documents"), "{said}");
    assert!(said.contains("1300") && said.contains("300 more"), "{said}");
}

#[test]
fn a_capped_collection_that_does_not_hold_what_was_loaded_is_refused_with_the_figures() {
    let database = database("capped");
    let onlooker = database.onlooker();
    let _ = onlooker.command(doc! {"create": "orders", "capped": true, "size": 4_096, "max": 163});
    for _ in 0..2 {
        let ran = run(&database, UPDATES).arg("--reuse").run().ended_with(2);
        for part in ["orders", "of 1000", "capped", "--drop"] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
        assert!(!ran.path("out/record.json").exists());
    }
    assert!(onlooker.count("orders") <= 163);
    let _ = run(&database, UPDATES).arg("--drop").run().ended_with(0);
    assert_eq!(onlooker.count("orders"), 1_000);
}

#[test]
fn two_runs_of_one_plan_insert_no_key_twice_into_an_existing_collection() {
    for id in ["", "_id: {$object_id: {}}, ", "_id: {$uuid: {}}, "] {
        let text = format!(
            "
name: existing
data: {{orders: {{existing: true}}}}
operations: {{add: {{insert_one: {{collection: orders, document: {{{id}v: 1}}}}}}}}
load:
  - {{name: first, closed: {{concurrency: 8}}, operations: 150}}
  - {{name: second, closed: {{concurrency: 8}}, operations: 150}}
"
        );
        let database = database(&format!("existing_twice_{}", id.len()));
        let onlooker = database.onlooker();
        onlooker.insert("orders", vec![doc! {"mine": true}]);
        for round in 1..=2 {
            let ran = run(&database, &text).run().ended_with(0);
            for step in ["first", "second"] {
                let add = ran.records().operation(step, "add");
                let counts = (&add["ok"], &add["errors"]);
                assert_eq!(counts, (&150.into(), &0.into()), "{id}{step}");
            }
            assert_eq!(onlooker.count("orders"), 1 + 300 * round, "{id}");
        }
        assert_eq!(onlooker.collections(), ["orders"]);
    }
}
