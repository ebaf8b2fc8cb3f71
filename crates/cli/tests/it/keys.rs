//! How keys are drawn, against a real mongod: what is hot is what the file says.

use mongodb::bson::doc;

use crate::support::{database, docstone};

/// Counts in each document how often it was drawn, by three distributions.
const FILE: &str = "
name: keys
data:
  c:
    count: 1000
    document:
      fields:
        _id: {$sequence: {}}
        v: 0
        s: 0
        w: 0
        few: {$int: {min: 1, max: 1000, distribution: {exponential: {mean: 20}}}}
operations:
  hot: {update_one: {collection: c, filter: {_id: {$key: {distribution: zipfian}}}, update: {$inc: {v: 1}}}}
  each: {update_one: {collection: c, filter: {_id: {$key: {distribution: sequential}}}, update: {$inc: {s: 1}}}}
  last: {update_one: {collection: c, filter: {_id: {$key: {working_set: {last: 0.01}}}}, update: {$inc: {w: 1}}}}
groups:
  hot: {scenario: {mix: {hot: 1}}, load: [{name: s, closed: {concurrency: 4}, operations: 2000}]}
  each: {scenario: {mix: {each: 1}}, load: [{closed: {concurrency: 4}, operations: 2000}]}
  last: {scenario: {mix: {last: 1}}, load: [{closed: {concurrency: 4}, operations: 500}]}
";

#[test]
fn documents_are_drawn_as_often_as_their_distribution_says() {
    let database = database("keys");
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    let hot = ran.records().operation("s", "hot");
    assert_eq!((&hot["ok"], &hot["not_found"]), (&2000.into(), &0.into()));
    let onlooker = database.onlooker();
    assert_eq!(onlooker.sum("c", "v"), 2_000);
    // The first ten get 38 % of a thousand keys' draws, with a standard deviation of 1.1 %.
    let documents = onlooker.documents("c");
    let first: i32 = documents[..10]
        .iter()
        .map(|document| document.get_i32("v").expect("a count"))
        .sum();
    assert!((600..=920).contains(&first), "{first}");
    // One after the other, twice around, whoever of the workers took them.
    assert_eq!(onlooker.count_where("c", doc! {"s": 2}), 1_000);
    assert_eq!(onlooker.sum("c", "w"), 500);
    let elsewhere = doc! {"w": {"$gt": 0}, "_id": {"$lt": 990}};
    assert_eq!(onlooker.count_where("c", elsewhere), 0);
    let few = onlooker.count_where("c", doc! {"few": {"$lte": 100}});
    assert!(few > 950, "{few}");
}

/// Inserts, and finds among the newest while they grow.
const GROWING: &str = "
name: growing
data: {c: {count: 100, document: {fields: {_id: {$uuid: {}}, v: 0}}}}
operations:
  insert: {insert_one: {collection: c, document: {_id: {$uuid: {}}, v: 0, new: true}}}
  newest: {update_one: {collection: c, filter: {_id: {$key: {distribution: latest}}}, update: {$inc: {v: 1}}}}
scenario: {mix: {insert: 50, newest: 50}}
load: [{name: s, closed: {concurrency: 16}, operations: 4000}]
";

#[test]
fn the_newest_documents_are_drawn_once_their_insert_was_acknowledged() {
    let database = database("keys_growing");
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", GROWING)
        .run()
        .ended_with(0);
    let newest = ran.records().operation("s", "newest");
    assert_eq!(newest["not_found"], 0, "{newest:#}");
    assert_eq!(newest["errors"], 0, "{newest:#}");
    let onlooker = database.onlooker();
    let drawn = onlooker.count_where("c", doc! {"new": true, "v": {"$gt": 0}});
    assert!(drawn > 100, "{drawn} inserted documents were drawn");
}

#[test]
fn a_wrong_distribution_is_refused_with_its_line_and_a_cure() {
    let file = FILE
        .replace("distribution: zipfian", "distribution: zipfain")
        .replace("{last: 0.01}", "{last: 1.01}");
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .file("w.yaml", file)
        .run()
        .ended_with(2);
    for part in [
        "w.yaml:14:",
        "unknown `distribution` of `$key`: `zipfain`",
        "did you mean `zipfian`?",
        "w.yaml:16:",
        "`working_set` is a share: it must be above 0 and at most 1 (all), not 1.01",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(!ran.path("out").exists());
}
