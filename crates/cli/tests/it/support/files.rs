//! Workload files of which several tests need the same part.

/// A find by key in a hundred small documents; what follows are its load steps.
pub(crate) const FINDS: &str = "
name: finds
data:
  c: {count: 100, document: {fields: {_id: {$sequence: {}}, n: 1}}}
operations:
  find: {find_one: {collection: c, filter: {_id: {$key: {}}}}, timeout: 60s}
load:
";

/// Finds and inserts in a million orders, for commands that load none of them.
pub(crate) fn orders(target: &str, load: &str) -> String {
    format!(
        "
name: orders
target: {target}
data: {{orders: {{count: 1_000_000, indexes: [{{keys: {{n: 1}}}}], document: {{fields: {{_id: {{$sequence: {{}}}}, n: {{$int: {{}}}}}}}}}}}}
operations:
  find: {{find_one: {{collection: orders, filter: {{_id: {{$key: {{}}}}}}}}}}
  insert: {{insert_one: {{collection: orders}}}}
scenario: {{mix: {{find: 60, insert: 40}}}}
load:
  - {{warmup: true, closed: {{concurrency: 7}}, duration: 3s}}
{load}"
    )
}
