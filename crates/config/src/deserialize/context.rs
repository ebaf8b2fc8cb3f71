//! What is known of a tree while it is read: its mistakes, and the values that they spoil.

use std::cell::RefCell;
use std::collections::HashSet;

use crate::diagnostics::Faults;
use crate::node::Node;

/// What all readers of one tree share.
pub(super) struct Context<'a> {
    pub(super) faults: &'a Faults,
    /// Values that a next pass leaves out, by address; the tree does not move.
    bad: RefCell<HashSet<usize>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(faults: &'a Faults) -> Self {
        Self {
            faults,
            bad: RefCell::default(),
        }
    }

    /// How many values are known to be bad.
    pub(super) fn bad(&self) -> usize {
        self.bad.borrow().len()
    }

    pub(super) fn is_bad(&self, node: &Node) -> bool {
        node.broken || self.bad.borrow().contains(&std::ptr::from_ref(node).addr())
    }

    fn spoil(&self, node: &Node) {
        let _ = self
            .bad
            .borrow_mut()
            .insert(std::ptr::from_ref(node).addr());
    }

    pub(super) fn fault(&self, node: &Node, message: String, help: Option<&str>) {
        let message = node.hide(message);
        self.faults
            .add(node.place, message, help.map(str::to_owned));
        self.spoil(node);
    }
}
