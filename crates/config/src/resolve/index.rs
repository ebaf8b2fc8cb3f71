//! Indexes: their keys, and what makes them one of their kind.

use docstone_model::IndexPlan;
use docstone_model::plan::IndexBuild;
use serde_json::Value;

use super::template;
use crate::raw::{BUILDS, Collection, Index};
use crate::spot::Spot;
use crate::units::DurationNs;

const NS_PER_S: u64 = 1_000_000_000;

/// The longest time to live that the server takes, in seconds.
const MAX_EXPIRE_S: u64 = 2_147_483_647;

/// The indexes of a collection; `None` if one has a mistake that leaves it open.
pub(super) fn resolve(raw: &Collection, spot: &Spot<'_>) -> Option<Vec<IndexPlan>> {
    let Some(list) = &raw.indexes else {
        return (!spot.exists() || raw.indexes.is_some()).then(Vec::new);
    };
    let mut plans: Vec<IndexPlan> = Vec::new();
    for (number, raw) in list.iter().enumerate() {
        let at = spot.item(number);
        let Some(raw) = raw else {
            at.null_item("an index, such as `{keys: {customer: 1}}`");
            return None;
        };
        let plan = index(raw, &at)?;
        if plans.iter().any(|known| known.name() == plan.name()) {
            at.fault(
                format!("the index `{}` stands here twice", plan.name()),
                None,
            );
        }
        plans.push(plan);
    }
    Some(plans)
}

fn index(raw: &Index, spot: &Spot<'_>) -> Option<IndexPlan> {
    let Some(keys) = &raw.keys else {
        spot.missing(
            "keys",
            "write the fields, such as `keys: {customer: 1, at: -1}`",
        );
        return None;
    };
    let at = spot.at("keys");
    if keys.0.is_empty() {
        at.fault("an index needs at least one field", None);
    }
    for (field, kind) in &keys.0 {
        let known = match kind {
            Value::Number(number) => matches!(number.as_i64(), Some(1 | -1)),
            Value::String(kind) => ["text", "hashed", "2dsphere", "2d"].contains(&kind.as_str()),
            _ => false,
        };
        if !known {
            at.at(field).fault(
                format!("the index cannot have this kind for `{field}`"),
                Some("1, -1, text, hashed, 2dsphere or 2d".to_owned()),
            );
        }
    }
    let plan = IndexPlan {
        keys: keys.0.clone(),
        unique: raw.unique.unwrap_or(false),
        sparse: raw.sparse.unwrap_or(false),
        expire_after_s: raw.expire_after.and_then(|after| expire_after(after, spot)),
        partial: template::constant(raw.partial.as_ref(), spot, "partial"),
        collation: collation(raw.collation.as_ref(), spot),
        build: build(raw.build.as_deref(), spot),
    };
    check(&plan, spot);
    Some(plan)
}

/// Records what the server refuses together.
fn check(plan: &IndexPlan, spot: &Spot<'_>) {
    let has_kind = |kind: &str| plan.keys.iter().any(|(_, of)| of.as_str() == Some(kind));
    if plan.sparse && plan.partial.is_some() {
        spot.at("sparse").key_fault(
            "an index cannot be `sparse` and `partial` together",
            Some("`partial: {FIELD: {$exists: true}}` has what `sparse` has".to_owned()),
        );
    }
    if plan.expire_after_s.is_some() && (plan.keys.len() != 1 || plan.keys[0].0 == "_id") {
        spot.at("expire_after").key_fault(
            "`expire_after` needs an index on one field that is not `_id`",
            Some(
                "make an index of its own for it, such as `{keys: {at: 1}, expire_after: 1h}`"
                    .to_owned(),
            ),
        );
    }
    if plan.unique && has_kind("hashed") {
        spot.at("unique").key_fault(
            "a hashed index cannot be `unique`",
            Some("add a second index on the field, with 1".to_owned()),
        );
    }
    if plan.collation.is_some() && (has_kind("text") || has_kind("2d")) {
        spot.at("collation").key_fault(
            "a text or 2d index compares by its own rules and takes no `collation`",
            Some("leave it out".to_owned()),
        );
    }
}

fn expire_after(after: DurationNs, spot: &Spot<'_>) -> Option<u32> {
    let at = spot.at("expire_after");
    let seconds = after.0 / NS_PER_S;
    if !after.0.is_multiple_of(NS_PER_S) {
        at.fault(
            "`expire_after` is to the second",
            Some("write whole seconds, such as `90s`".to_owned()),
        );
        return None;
    }
    if seconds > MAX_EXPIRE_S {
        at.fault(
            format!("`expire_after` is at most {MAX_EXPIRE_S} s (68 years)"),
            Some("leave it out where documents are to stay".to_owned()),
        );
    }
    u32::try_from(seconds).ok()
}

fn collation(raw: Option<&Value>, spot: &Spot<'_>) -> Option<Value> {
    let json = raw?;
    let locale = json.get("locale").and_then(Value::as_str);
    if locale.is_none() {
        spot.at("collation").fault(
            "a `collation` needs a `locale`",
            Some("write a map, such as `{locale: en, strength: 2}`".to_owned()),
        );
    }
    Some(json.clone())
}

fn build(raw: Option<&str>, spot: &Spot<'_>) -> IndexBuild {
    match raw {
        None | Some("after_load") => IndexBuild::AfterLoad,
        Some("before_load") => IndexBuild::BeforeLoad,
        Some(other) => {
            spot.at("build").unknown_word("build", other, &BUILDS);
            IndexBuild::AfterLoad
        }
    }
}
