//! What a projection leaves of a document.

use serde_json::Value;

/// False if documents come without this field. Projections that compute values are not judged.
pub(super) fn returns(projection: &Value, path: &str) -> bool {
    let Some(fields) = projection.as_object() else {
        return true;
    };
    let Some(shown) = fields.values().map(is_shown).collect::<Option<Vec<bool>>>() else {
        return true;
    };
    let shown: Vec<(&str, bool)> = fields.keys().map(String::as_str).zip(shown).collect();
    let named = |shows: bool| {
        let of = shown.iter().filter(move |(_, shown)| *shown == shows);
        of.map(|(field, _)| *field)
    };
    if is_within(path, "_id") {
        return named(false).all(|field| !is_within(path, field));
    }
    // `_id` alone says nothing of the others but where it is all that is shown.
    let lists = named(true).next().is_some();
    if lists {
        named(true).any(|field| is_within(path, field) || is_within(field, path))
    } else {
        named(false).all(|field| !is_within(path, field))
    }
}

fn is_shown(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(shown) => Some(*shown),
        Value::Number(number) => Some(number.as_f64() != Some(0.0)),
        _ => None,
    }
}

/// True for the field itself and for what lies in it.
fn is_within(path: &str, field: &str) -> bool {
    let rest = path.strip_prefix(field);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_is_returned_unless_the_projection_leaves_it_out() {
        for (projection, path, expected) in [
            (json!({}), "v", true),
            (json!({"_id": 1}), "v", false),
            (json!({"_id": 1}), "_id", true),
            (json!({"v": 1}), "_id", true),
            (json!({"v": 1, "_id": 0}), "_id", false),
            (json!({"v": true, "_id": false}), "v", true),
            (json!({"_id": 0}), "v", true),
            (json!({"v": 0}), "v", false),
            (json!({"v": 0}), "v.x", false),
            (json!({"v.x": 0}), "v", true),
            (json!({"v.x": 1}), "v", true),
            (json!({"v.x": 1}), "v.y", false),
            (json!({"v": 1}), "v.y", true),
            (json!({"v": 1}), "vw", false),
            (json!({"w": {"$slice": 1}}), "v", true),
        ] {
            assert_eq!(returns(&projection, path), expected, "{projection} {path}");
        }
    }
}
