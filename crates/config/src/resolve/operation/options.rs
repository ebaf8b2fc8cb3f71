//! What an operation asks of the server beside what it calls.

use docstone_model::plan::{CallOptions, OperationKind, READ_PREFERENCES};
use serde_json::Value;

use crate::nearest::advice;
use crate::raw::operation::{BESIDE, Operation, READ_LEVELS};
use crate::spot::Spot;

/// The keys of a collation.
const COLLATION: [&str; 9] = [
    "locale",
    "strength",
    "caseLevel",
    "caseFirst",
    "numericOrdering",
    "alternate",
    "maxVariable",
    "normalization",
    "backwards",
];

const MILLISECOND_NS: u64 = 1_000_000;

/// Reads the options; records those that the kind does not take.
pub(super) fn read(raw: &Operation, kind: &OperationKind, at: &Spot<'_>) -> Option<CallOptions> {
    let parts = kind.parts();
    for key in BESIDE.into_iter().filter(|key| *key != "timeout") {
        if at.at(key).exists() && !parts.options.contains(&key) {
            let help = match parts.options {
                [] => "leave it out".to_owned(),
                known => format!("leave it out; it takes: {}", known.join(", ")),
            };
            at.at(key)
                .key_fault(format!("`{}` takes no `{key}`", parts.name), Some(help));
            return None;
        }
    }
    let right = check_hint(raw.hint.as_ref(), &at.at("hint"))
        & check_collation(raw.collation.as_ref(), &at.at("collation"))
        & check_max_time(raw.max_time.map(|time| time.0), &at.at("max_time"))
        & known(
            raw.read_concern.as_deref(),
            &READ_LEVELS,
            "read concern",
            &at.at("read_concern"),
        )
        & known(
            raw.read_preference.as_deref(),
            &READ_PREFERENCES,
            "read preference",
            &at.at("read_preference"),
        );
    right.then(|| CallOptions {
        hint: raw.hint.clone(),
        collation: raw.collation.clone(),
        max_time_ns: raw.max_time.map(|time| time.0),
        comment: raw.comment.clone(),
        read_concern: raw.read_concern.clone(),
        write_concern: raw.write_concern.map(|concern| concern.0),
        read_preference: raw.read_preference.clone(),
    })
}

fn known(name: Option<&str>, known: &[&str], what: &str, at: &Spot<'_>) -> bool {
    let right = name.is_none_or(|name| known.contains(&name));
    if let Some(name) = name.filter(|_| !right) {
        at.unknown(what, name, known);
    }
    right
}

fn check_hint(hint: Option<&Value>, at: &Spot<'_>) -> bool {
    let right = match hint {
        None => true,
        Some(Value::String(name)) => !name.is_empty(),
        Some(Value::Object(keys)) => !keys.is_empty(),
        Some(_) => false,
    };
    if !right {
        at.fault(
            "a hint is the name of an index or its keys",
            Some("write `customer_1_at_-1` or `{customer: 1, at: -1}`".to_owned()),
        );
    }
    right
}

fn check_collation(collation: Option<&Value>, at: &Spot<'_>) -> bool {
    let Some(collation) = collation else {
        return true;
    };
    let Some(map) = collation
        .as_object()
        .filter(|map| map.contains_key("locale"))
    else {
        at.fault(
            "a collation is a map with a `locale`",
            Some("write it as in the shell: `{locale: de, strength: 2}`".to_owned()),
        );
        return false;
    };
    let mut right = true;
    for key in map.keys().filter(|key| !COLLATION.contains(&key.as_str())) {
        let help = Some(advice(key, &COLLATION));
        at.at(key)
            .key_fault(format!("a collation has no `{key}`"), help);
        right = false;
    }
    right
}

fn check_max_time(max_time_ns: Option<u64>, at: &Spot<'_>) -> bool {
    let right = max_time_ns.is_none_or(|ns| ns > 0 && ns % MILLISECOND_NS == 0);
    if !right {
        at.fault(
            "`max_time` is a number of whole milliseconds above 0",
            Some("write it like `500ms` or `2s`".to_owned()),
        );
    }
    right
}
