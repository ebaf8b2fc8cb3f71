//! `--set PATH=VALUE`: a value from the command line, put in the tree before it is resolved.

use crate::diagnostics::Faults;
use crate::nearest::advice;
use crate::node::{Entry, Node, Place, Value};
use crate::shorthand::spell_out;

/// Maps that need not stand in the file to have something set below them.
const MAY_BE_NEW: [&str; 4] = ["target", "private", "scenario", "closed"];

/// Puts each value in its place. A path that leads nowhere is a mistake that names the flag;
/// whether the last key is known and the value fits is found when the tree is read.
pub(crate) fn apply(root: &mut Node, flags: &[String], faults: &Faults) {
    for (number, flag) in flags.iter().enumerate() {
        spell_out(root);
        let place = Place::Set(number);
        if let Err((message, help)) = apply_one(root, flag, place) {
            faults.add(place, message, Some(help));
        }
    }
    spell_out(root);
    find_lost(flags, faults);
}

/// Records a flag that sets again, or replaces as a whole, what one before it has set. The other
/// way round, a part of what was set before, is a refinement.
fn find_lost(flags: &[String], faults: &Faults) {
    let path = |flag: &str| flag.split('=').next().unwrap_or_default().to_owned();
    for (number, flag) in flags.iter().enumerate() {
        let this = path(flag);
        for (before, flag) in flags[..number].iter().enumerate() {
            let that = path(flag);
            let message = if that == this {
                format!(
                    "the path is set twice, by the flags `--set` number {} and number {}",
                    before + 1,
                    number + 1
                )
            } else if that.starts_with(&format!("{this}.")) {
                format!("it replaces what `--set {that}` has set before it")
            } else {
                continue;
            };
            let help = Some("leave one of the two out".to_owned());
            faults.add(Place::Set(number), message, help);
        }
    }
}

fn apply_one(root: &mut Node, flag: &str, place: Place) -> Result<(), (String, String)> {
    let example = "write it like `--set load.0.closed.concurrency=8`";
    let Some((path, text)) = flag.split_once('=') else {
        return Err(("`=` is missing".to_owned(), example.to_owned()));
    };
    let keys: Vec<&str> = path.split('.').collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(("the path has an empty key".to_owned(), example.to_owned()));
    }
    if text.trim().is_empty() {
        let help = format!("write `--set {path}=VALUE`, with `\"\"` for an empty text");
        return Err(("the value is missing".to_owned(), help));
    }
    let mut value = Node::parse(text).map_err(|error| {
        let message = format!("the value cannot be read as YAML: {}", error.message);
        (message, "put it in quotes if it is text".to_owned())
    })?;
    value.move_to(place);
    let (last, parents) = keys.split_last().expect("split gives at least one part");
    let mut node = root;
    for key in parents {
        node = step(node, key, place)?;
    }
    put(node, last, value, place)
}

/// Goes down one key; makes the map where that cannot hide a misspelt name.
fn step<'a>(node: &'a mut Node, key: &str, place: Place) -> Result<&'a mut Node, (String, String)> {
    if node.child(key).is_none() {
        let may_be_new = MAY_BE_NEW.contains(&key);
        match &mut node.value {
            Value::Map(entries) if may_be_new => entries.push(Entry {
                key: key.to_owned(),
                key_place: place,
                value: Node::new(Value::Map(Vec::new()), place),
            }),
            _ => return Err(no_such(node, key)),
        }
    }
    let child = node.child_mut(key).expect("it was there or was made");
    if matches!(child.value, Value::Null) {
        child.value = Value::Map(Vec::new());
    }
    Ok(child)
}

fn put(node: &mut Node, key: &str, value: Node, place: Place) -> Result<(), (String, String)> {
    if let Value::Map(entries) = &mut node.value {
        match entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => {
                entry.key_place = place;
                entry.value = value;
            }
            None => entries.push(Entry {
                key: key.to_owned(),
                key_place: place,
                value,
            }),
        }
        return Ok(());
    }
    match node.child_mut(key) {
        Some(child) => {
            *child = value;
            Ok(())
        }
        None => Err(no_such(node, key)),
    }
}

fn no_such(node: &Node, key: &str) -> (String, String) {
    match &node.value {
        Value::Map(_) => (
            format!("there is no `{key}` in the file"),
            advice(key, &node.keys()),
        ),
        Value::List(items) => {
            let help = match items.len() {
                0 => "the list is empty".to_owned(),
                length => format!("positions are 0 to {}", length - 1),
            };
            (format!("the list has no position `{key}`"), help)
        }
        _ => (
            format!("nothing can be set below {}: `{key}`", node.kind()),
            "shorten the path".to_owned(),
        ),
    }
}
