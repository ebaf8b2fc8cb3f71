//! Short forms of the file, spelled out: `target: private`, `target: URI`, `private: true`.

use crate::node::{Entry, Node, Value};

/// Spells out the short forms in a tree. What is no short form is left as it is.
pub(crate) fn spell_out(root: &mut Node) {
    let Some(target) = root.child_mut("target") else {
        return;
    };
    if let Value::Text(text) = &target.value {
        let key = if text == "private" { "private" } else { "uri" };
        let mut value = target.clone();
        if key == "private" {
            value.value = Value::Map(Vec::new());
        }
        target.unexpanded = None;
        target.value = Value::Map(vec![Entry {
            key: key.to_owned(),
            key_place: target.place,
            value,
        }]);
    }
    if let Value::Map(entries) = &mut target.value {
        // `target: ${TARGET}` was spelled out before the variable was known.
        let named = |e: &&mut Entry| {
            e.key == "uri" && matches!(&e.value.value, Value::Text(t) if t == "private")
        };
        if let Some(entry) = entries.iter_mut().find(named) {
            "private".clone_into(&mut entry.key);
            entry.value.value = Value::Map(Vec::new());
        }
    }
    match target.child_mut("private").map(|node| &mut node.value) {
        Some(value @ Value::Bool(true)) => *value = Value::Map(Vec::new()),
        Some(value @ Value::Bool(false)) => *value = Value::Null,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Node {
        let mut root = Node::parse(text).expect("valid");
        spell_out(&mut root);
        root
    }

    #[test]
    fn a_target_of_one_word_becomes_a_map() {
        let root = spelled("target: private");
        let private = root.child("target").and_then(|t| t.child("private"));
        assert!(matches!(private.expect("private").value, Value::Map(_)));
        let root = spelled("target: mongodb://h/");
        let uri = root.child("target").and_then(|t| t.child("uri"));
        assert!(matches!(&uri.expect("uri").value, Value::Text(text) if text == "mongodb://h/"));
    }

    #[test]
    fn private_true_has_no_options_and_false_is_nothing() {
        let root = spelled("target: {private: true}");
        let private = root.child("target").and_then(|t| t.child("private"));
        assert!(matches!(private.expect("private").value, Value::Map(_)));
        let root = spelled("target: {private: false}");
        let private = root.child("target").and_then(|t| t.child("private"));
        assert!(matches!(private.expect("private").value, Value::Null));
    }
}
