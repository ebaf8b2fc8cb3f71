//! Keys of one map that need each other.

use crate::nearest::nearest;
use crate::spot::Spot;

/// Records those of the keys that are missing. That one of the `known` looks like the other does
/// not mean that it was meant to be it.
pub(super) fn needs(keys: &[&str], known: &[&str], at: &Spot<'_>, help: &str) {
    let there = at.keys();
    for key in keys {
        let misspelt = |other: &&&str| !known.contains(other) && nearest(other, &[key]).is_some();
        if there.contains(key) {
            at.missing(key, help);
        } else if !there.iter().any(|other| misspelt(&other)) {
            at.key_fault(format!("missing key `{key}`"), Some(help.to_owned()));
        }
    }
}
