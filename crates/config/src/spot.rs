//! A path of keys into the tree: how the resolver says where a mistake is.

use crate::diagnostics::{Fault, Faults};
use crate::nearest::{advice, nearest};
use crate::node::{Node, Place, Value};

/// A path of keys and list positions, whether or not something is there.
#[derive(Clone)]
pub(crate) struct Spot<'a> {
    root: &'a Node,
    faults: &'a Faults,
    path: Vec<String>,
}

impl<'a> Spot<'a> {
    /// The root of a tree.
    pub(crate) fn root(root: &'a Node, faults: &'a Faults) -> Self {
        Self {
            root,
            faults,
            path: Vec::new(),
        }
    }

    /// The spot under a key.
    pub(crate) fn at(&self, key: &str) -> Self {
        let mut spot = self.clone();
        spot.path.push(key.to_owned());
        spot
    }

    /// The spot under another key of the same map.
    pub(crate) fn beside(&self, key: &str) -> Self {
        let mut spot = self.clone();
        let _ = spot.path.pop();
        spot.at(key)
    }

    /// The spot at a position of a list.
    pub(crate) fn item(&self, position: usize) -> Self {
        self.at(&position.to_string())
    }

    /// The spot some keys further down.
    pub(crate) fn below(&self, keys: &[String]) -> Self {
        let mut spot = self.clone();
        spot.path.extend_from_slice(keys);
        spot
    }

    /// What stands here.
    pub(crate) fn node(&self) -> Option<&'a Node> {
        self.path
            .iter()
            .try_fold(self.root, |node, key| node.child(key))
    }

    /// True if something stands here, be it right or wrong.
    pub(crate) fn exists(&self) -> bool {
        self.node().is_some()
    }

    /// True if a value stands here, be it right or wrong; not for a key without one.
    pub(crate) fn has_value(&self) -> bool {
        self.node()
            .is_some_and(|node| !matches!(node.value, Value::Null))
    }

    /// The number of the `--set` flag that gave what stands here or below, if one did.
    pub(crate) fn set_flag(&self) -> Option<usize> {
        fn below(node: &Node) -> Option<usize> {
            match node.place {
                Place::Set(number) => Some(number),
                _ => node.children().into_iter().find_map(below),
            }
        }
        self.node().and_then(below)
    }

    /// The keys of the map that stands here.
    pub(crate) fn keys(&self) -> Vec<&'a str> {
        self.node().map(Node::keys).unwrap_or_default()
    }

    /// The path as people write it: `load.0.closed`.
    pub(crate) fn path(&self) -> String {
        self.path.join(".")
    }

    /// Where mistakes are collected.
    pub(crate) fn faults(&self) -> &'a Faults {
        self.faults
    }

    /// Records a mistake in the value here.
    pub(crate) fn fault(&self, message: impl Into<String>, help: Option<String>) {
        let message = self.hidden(message.into());
        self.faults.add(self.place(), message, help);
    }

    /// Records a mistake in the key here.
    pub(crate) fn key_fault(&self, message: impl Into<String>, help: Option<String>) {
        let message = self.hidden(message.into());
        self.faults.add(self.key_place(), message, help);
    }

    /// Records a word that is none of those that a key takes.
    pub(crate) fn unknown_word(&self, key: &str, word: &str, known: &[&str]) {
        let help = crate::nearest::advice(word, known);
        self.fault(format!("unknown `{key}`: `{word}`"), Some(help));
    }

    /// Records an empty item of a list; one that was wrong is recorded already.
    pub(crate) fn null_item(&self, expected: &str) {
        if self.exists() && !self.has_value() {
            self.fault(format!("expected {expected}, found nothing"), None);
        }
    }

    /// Records a mistake in the value here that contradicts another value.
    pub(crate) fn contradicts(&self, other: &Spot<'_>, message: String, help: &str) {
        self.faults.push(Fault {
            place: self.key_place(),
            message,
            help: Some(help.to_owned()),
            other: Some((other.key_place(), "and here".to_owned())),
            of_variable: false,
        });
    }

    /// Records that the name in the value here is not known.
    pub(crate) fn unknown(&self, what: &str, name: &str, known: &[&str]) {
        self.fault(
            format!("unknown {what} `{name}`"),
            Some(advice(name, known)),
        );
    }

    /// Records that a key is missing here, unless something stands there that was wrong, or a
    /// key that was probably meant to be this one.
    pub(crate) fn missing(&self, key: &str, help: &str) {
        let there = self.at(key);
        let help = Some(help.to_owned());
        match there.node().map(|node| &node.value) {
            Some(Value::Null) => there.key_fault(format!("`{key}` is empty"), help),
            Some(_) => {}
            None if self
                .keys()
                .iter()
                .any(|other| nearest(other, &[key]).is_some()) => {}
            None => self.key_fault(format!("missing key `{key}`"), help),
        }
    }

    fn hidden(&self, message: String) -> String {
        match self.node() {
            Some(node) => node.hide(message),
            None => message,
        }
    }

    /// The place of the value here, else of the nearest that is there.
    pub(crate) fn place(&self) -> Place {
        self.node()
            .map_or_else(|| self.key_place(), |node| node.place)
    }

    /// The place of the key here; in a list, of the value; else of the nearest that is there.
    fn key_place(&self) -> Place {
        let mut place = Place::Whole;
        let mut node = self.root;
        for key in &self.path {
            if let Some(entry) = node.entry(key) {
                place = entry.key_place;
                node = &entry.value;
            } else if let Some(item) = node.child(key) {
                place = item.place;
                node = item;
            } else {
                break;
            }
        }
        place
    }
}
