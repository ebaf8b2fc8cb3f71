//! What a find returns: projection and sort order.

use docstone_model::plan::Limits;
use serde_json::Value;

use crate::spot::Spot;

/// Projection and sort order.
pub(super) fn limits(
    projection: Option<&Value>,
    sort: Option<&Value>,
    at: &Spot<'_>,
) -> Option<Limits> {
    let is_map = |value: Option<&Value>, key: &str| {
        let right = value.is_none_or(Value::is_object);
        if !right {
            let help = Some(format!("write it as in the shell: `{key}: {{n: 1}}`"));
            at.at(key)
                .fault(format!("expected a map for `{key}`"), help);
        }
        right
    };
    let mut right = is_map(projection, "projection") & is_map(sort, "sort");
    for (field, order) in sort.and_then(Value::as_object).into_iter().flatten() {
        let known = matches!(order.as_i64(), Some(1 | -1)) || order.get("$meta").is_some();
        if !known {
            at.at("sort").at(field).fault(
                format!("`{field}` must be sorted by 1 (up) or -1 (down)"),
                None,
            );
            right = false;
        }
    }
    right.then(|| Limits {
        projection: projection.cloned(),
        sort: sort.cloned(),
        ..Limits::default()
    })
}
