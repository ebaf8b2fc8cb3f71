//! Operations of more than one document or call, from the file to the records, with what is in the
//! database in the end.

use mongodb::bson::doc;

use crate::support::{count, database, docstone, fail_point};

const FILE: &str = "
name: operations
data:
  c:
    count: 100
    document: {fields: {_id: {$sequence: {}}, n: 0, l: [{k: 1}, {k: 7}]}}
  d: {count: 0, document: {fields: {at: {$now: {}}}}}
operations:
  many: {insert_many: {collection: c, count: 50, ordered: false}}
  bulk:
    bulk_write:
      repeat: 3
      writes:
        - {insert_one: {collection: c}}
        - {update_one: {collection: c, filter: {_id: {$key: {inserted: true}}}, update: {$inc: {n: 1}}}}
        - {delete_one: {collection: c, filter: {_id: -1}}}
  move:
    transaction:
      operations:
        - {update_one: {collection: c, filter: {_id: {$key: {}}}, update: {$inc: {n: 1}}}}
        - {insert_one: {collection: d}}
  sum: {aggregate: {collection: c, pipeline: [{$match: {_id: {$key: {}}}}, {$project: {n: 1}}]}}
  add: {find_one_and_update: {collection: c, filter: {_id: {$key: {}}}, update: [{$set: {n: {$add: [$n, 1]}}}]}}
  big: {update_one: {collection: c, filter: {_id: {$key: {}}}, update: {$inc: {'l.$[x].k': 1, n: 1}}, array_filters: [{x.k: {$gt: 5}}]}}
  ping: {command: {send: {ping: 1}, admin: true}}
scenario: {mix: {many: 1, bulk: 1, move: 1, sum: 1, add: 1, big: 1, ping: 1}}
load: [{name: s, closed: {concurrency: 4}, operations: 350, duration: 2m}]
";

#[test]
fn the_database_holds_what_batches_bulks_and_transactions_report() {
    let database = database("operations");
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", FILE)
        .run()
        .ended_with(0);
    let records = ran.records();
    let of = |name: &str, key: &str| {
        let operation = records.operation("s", name);
        operation[key].as_i64().expect("a number")
    };
    let names = ["many", "bulk", "move", "sum", "add", "big", "ping"];
    for name in names {
        assert_eq!(
            (of(name, "errors"), of(name, "not_found")),
            (0, 0),
            "{name}"
        );
    }
    assert_eq!(names.map(|name| of(name, "ok")).iter().sum::<i64>(), 350);
    let onlooker = database.onlooker();
    let there = |name: &str| i64::try_from(onlooker.documents(name).len()).expect("few");
    assert_eq!(of("many", "documents"), 50 * of("many", "ok"));
    // Of each round of a bulk one is inserted, and one is changed.
    assert_eq!(of("bulk", "documents"), 6 * of("bulk", "ok"));
    assert_eq!(
        there("c"),
        100 + of("many", "documents") + 3 * of("bulk", "ok")
    );
    assert_eq!(there("d"), of("move", "ok"));
    assert_eq!(of("move", "documents"), 2 * of("move", "ok"));
    let added = 3 * of("bulk", "ok") + of("move", "ok") + of("add", "ok") + of("big", "ok");
    assert_eq!(i64::try_from(onlooker.sum("c", "n")), Ok(added));
}

#[test]
fn a_transaction_on_a_standalone_is_refused_before_the_load() {
    let file = FILE.replace(
        "name: operations",
        "name: operations\ntarget: {private: {standalone: true}}",
    );
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .file("w.yaml", &file)
        .run()
        .ended_with(2);
    let said = &ran.stderr;
    assert!(
        said.contains("a standalone server has no transactions"),
        "{said}"
    );
    assert!(said.contains("`move`"), "{said}");
}

const TRANSFERS: &str = "
name: transfers
data:
  c: {count: 100, document: {fields: {_id: {$sequence: {}}, n: 0}}}
  d: {count: 0, document: {fields: {n: 1}}}
operations:
  move:
    transaction:
      operations:
        - {update_one: {collection: c, filter: {_id: {$key: {}}}, update: {$inc: {n: 1}}}}
        - {insert_one: {collection: d}}
load: [{name: s, closed: {concurrency: 1}, operations: 20}]
";

/// The commit is done both times, and the server says that it does not know.
#[test]
fn a_commit_whose_result_is_not_known_is_repeated_and_counted_as_a_retry() {
    let point = fail_point("commit-unknown");
    let database = database("commit_unknown");
    let problem = doc! {"code": 64, "codeName": "WriteConcernFailed", "errmsg": "too few"};
    point.set(
        doc! {"times": 2},
        doc! {"failCommands": ["commitTransaction"], "writeConcernError": problem},
    );
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .file("w.yaml", TRANSFERS)
        .args(["--uri", &point.uri("")])
        .args(["--database", &database.name])
        .run()
        .ended_with(0);
    let moved = ran.records().operation("s", "move");
    assert_eq!(count(&moved, "ok"), 20, "{moved:#}");
    assert_eq!(count(&moved, "errors"), 0, "{moved:#}");
    assert_eq!(count(&moved, "retries"), 2, "{moved:#}");
    let onlooker = database.onlooker();
    assert_eq!(onlooker.count("d"), 20, "each is done once");
    assert_eq!(onlooker.sum("c", "n"), 20);
}
