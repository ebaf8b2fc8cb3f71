//! Extended JSON in templates: its keys, and what is wrong with a value. Reading it is bson's.

use serde_json::Value;

/// The keys that stand for a BSON type.
pub(super) const EXTENDED_JSON: [&str; 16] = [
    "$oid",
    "$numberInt",
    "$numberLong",
    "$numberDouble",
    "$numberDecimal",
    "$date",
    "$binary",
    "$uuid",
    "$timestamp",
    "$regularExpression",
    "$minKey",
    "$maxKey",
    "$symbol",
    "$code",
    "$undefined",
    "$dbPointer",
];

/// What an Extended JSON value takes that was given something else.
pub(super) fn fault(key: Option<&str>) -> String {
    let Some(key) = key else {
        return "the value has no form in BSON".to_owned();
    };
    let takes = match key {
        "$oid" => "24 hexadecimal digits in quotes",
        "$numberInt" => "a whole number of 32 bits in quotes, such as \"5\"",
        "$numberLong" => "a whole number of 64 bits in quotes, such as \"5\"",
        "$numberDouble" => "a number in quotes, \"NaN\", \"Infinity\" or \"-Infinity\"",
        "$numberDecimal" => "a decimal number in quotes, such as \"1.50\"",
        "$date" => "a time such as \"2026-01-31T12:00:00Z\", or {$numberLong: \"MILLISECONDS\"}",
        "$binary" => "{base64: \"...\", subType: \"00\"}",
        "$uuid" => "a UUID such as \"00112233-4455-6677-8899-aabbccddeeff\"",
        "$timestamp" => "{t: SECONDS, i: NUMBER}",
        "$regularExpression" => "{pattern: \"...\", options: \"\"}",
        "$minKey" | "$maxKey" => "1",
        "$undefined" => "true",
        _ => "text",
    };
    format!("`{key}` takes {takes}")
}

/// Extended JSON whose argument is a document: `{$date: {$numberLong: ..}}`, `$binary`,
/// `$timestamp`, `$regularExpression`.
pub(super) fn is_nested(key: &str, argument: &Value) -> bool {
    let Value::Object(inner) = argument else {
        return false;
    };
    match key {
        "$date" => inner.contains_key("$numberLong"),
        "$binary" => inner.contains_key("base64"),
        "$timestamp" => inner.contains_key("t"),
        "$regularExpression" => inner.contains_key("pattern"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use bson::Bson;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wrong_value_says_what_its_key_takes() {
        for (value, expected) in [
            (json!({"$oid": "zz"}), "`$oid` takes 24 hexadecimal digits"),
            (json!({"$date": "gestern"}), "`$date` takes a time such as"),
            (json!({"$numberLong": "x"}), "`$numberLong` takes a whole"),
        ] {
            let key = value.as_object().and_then(|map| map.keys().next().cloned());
            assert!(Bson::try_from(value).is_err());
            let message = fault(key.as_deref());
            assert!(message.starts_with(expected), "{message}");
        }
    }
}
