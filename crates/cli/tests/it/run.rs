//! `docstone run`: from a file to a summary.

use crate::support::{Docstone, database, docstone};

const FILE: &str = "
name: small
data:
  notes:
    count: 100
    document: {fields: {_id: {$sequence: {}}, likes: 0}}
operations:
  find: {find_one: {collection: notes, filter: {_id: {$key: {}}}}}
scenario: {mix: {find: 1}}
load:
  - {name: steady, closed: {concurrency: 4}, operations: 500}
";

fn run(arguments: &[&str]) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out"])
        .args(arguments)
        .file("w.yaml", FILE)
}

#[test]
fn a_run_ends_with_a_summary_and_records() {
    let database = database("a_run_ends_with_a_summary");
    let ran = run(&database.target()).run().ended_with(0);
    assert!(ran.stdout.contains("find"), "{}", ran.stdout);
    assert_eq!(ran.records().operation("steady", "find")["ok"], 500);
}
