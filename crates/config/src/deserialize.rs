//! Layer 2 of reading: from the tree to what was typed.
//!
//! A serde `Deserializer` that records every mistake with its place and goes on, so that the raw
//! types stay plain derives. Unknown keys are recorded here; whether values make sense together
//! is the resolver's.

mod choice;
mod context;
mod numbers;
mod reader;
mod stop;

use serde::de::DeserializeOwned;

use crate::diagnostics::{Fault, Faults};
use crate::node::{Node, Value};
use context::Context;
use reader::Reader;

/// Reads a raw type. Each mistake is recorded in `faults`; what it spoils is left out.
pub(crate) fn read<T: DeserializeOwned + Default>(root: &Node, faults: &Faults) -> T {
    find_duplicates(root, faults);
    let context = Context::new(faults);
    loop {
        let before = context.bad();
        if let Ok(value) = T::deserialize(Reader::new("", root, &context)) {
            return value;
        }
        if context.is_bad(root) || context.bad() == before {
            return T::default();
        }
    }
}

/// Records keys that stand twice in one map.
fn find_duplicates(node: &Node, faults: &Faults) {
    if let Value::Map(entries) = &node.value {
        for (at, entry) in entries.iter().enumerate() {
            if let Some(first) = entries[..at].iter().find(|first| first.key == entry.key) {
                faults.push(Fault {
                    place: entry.key_place,
                    message: format!("the key `{}` stands here twice", entry.key),
                    help: Some("remove one of the two".to_owned()),
                    other: Some((first.key_place, "first here".to_owned())),
                    of_variable: false,
                });
            }
        }
    }
    for child in node.children() {
        find_duplicates(child, faults);
    }
}
