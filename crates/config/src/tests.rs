//! From text to plan or to all its mistakes.

use super::*;

fn no_env(_: &str) -> Option<String> {
    None
}

const BAD: &str = r#"name: 12
dta: {}
target: {uri: "mongodb://bob:geheim@h/", private: true, pool: 0, compresor: zstd}
data:
  orders:
    cuont: 1_000_000
    document:
      size: 51QB
      compressibility: low
      feilds: {_id: {$uuid: {}}}
  copy: {count: -3}
  full:
    count: 10
    document: {fields: {_id: {$sequnce: {}}, n: {$int: {mn: 1}}, k: {$key: {distribution: {zipfian: {theta: 12}}}}, t: {$payload: {}}}}
  twice: {count: 1, count: 2}
operations:
  find: {find_one: {collection: ordrs, filter: {_id: {$key: {}}}}, timeout: 0s}
  insert: {insrt_one: {collection: orders}}
scenario: {mix: {fnd: 50, insert: 0}}
load:
  - {warmup: maybe, closed: {concurrency: 640}, duration: 30s, extra: 1}
  - {closed: {concurency: 5}}
  - {name: "a/b", open: {rate: 5/s}, duration: 30}
  - {closed: {concurrency: 0}, duration: 50ms}
threads: ${THREADS}
"#;

const GOOD: &str = r#"name: orders
target: {uri: "mongodb://127.0.0.1:27017/?retryWrites=false", database: shop, compressor: "zstd:3", pool: 64, write_concern: majority, connect_rate: 15/s}
data:
  orders:
    count: 1_000_000
    indexes: [{keys: {customer: 1, at: -1}, unique: true}]
    document:
      fields: {customer: {$int: {min: 1, max: 10000}}, _id: {$uuid: {}}, at: {$now: {}}, n: {$sequence: {start: 0}}, kind: order, text: {$string: {length: 20}}}
operations:
  find: {find_one: {collection: orders, filter: {_id: {$key: {}}}, sort: {n: -1}}, timeout: 5s}
  insert: {insert_one: {collection: orders}}
  scan: {find_many: {collection: orders, limit: 10}}
  replace: {replace_one: {collection: orders, filter: {_id: {$key: {}}}}}
scenario: {mix: {find: 50, insert: 30, replace: 20}}
load:
  - {warmup: true, closed: {concurrency: 64}, duration: 30s}
  - {closed: {concurrency: 64, think_time: 5ms}, duration: 5m, operations: 3_000_000_000, drain: 0s}
threads: 2
seed: 7
"#;

fn plan(text: &str) -> Plan {
    with(text, &Overrides::default())
}

fn with(text: &str, overrides: &Overrides) -> Plan {
    plan_from_text("files/orders.yaml", text, overrides, &no_env)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn messages(text: &str, overrides: &Overrides) -> Vec<String> {
    plan_from_text("f.yaml", text, overrides, &no_env)
        .expect_err("it has mistakes")
        .messages()
}

#[test]
fn all_mistakes_of_a_file_are_shown_in_one_go() {
    let error = plan_from_text("bad.yaml", BAD, &Overrides::default(), &no_env).expect_err("bad");
    insta::assert_snapshot!(error);
    assert!(
        error.render(true).contains("\u{1b}["),
        "colour when asked for"
    );
}

#[test]
fn a_file_becomes_a_plan_with_every_default_filled_in() {
    insta::assert_json_snapshot!(plan(GOOD));
}

#[test]
fn a_syntax_error_has_its_line() {
    let text = "name: x\nload: [1, 2\nseed: 3\n";
    let messages = messages(text, &Overrides::default());
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].starts_with("f.yaml:"), "{messages:?}");
}

mod actions;
mod any;
mod arrivals;
mod closed;
mod collections;
mod cures;
mod distributions;
mod docs;
mod files;
mod flags;
mod generators;
mod groups;
mod open;
mod operations;
mod parts;
mod payloads;
mod rules;
mod scenarios;
mod steps;
mod targets;
mod traces;
mod words;
mod wrong;
