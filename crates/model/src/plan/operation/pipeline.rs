//! Which other collections the stages of an aggregation touch.

use bson::Bson;

use crate::template::Template;

/// A collection of the same database that a stage reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its name.
    pub collection: String,
    /// The stage replaces what is in it (`$out`).
    pub replaces: bool,
    /// The stage writes to it (`$out`, `$merge`); else it reads.
    pub writes: bool,
}

/// The collections that stages touch, those of stages within stages among them. One of another
/// database is left out.
pub fn touched(stages: &Template) -> Vec<Touched> {
    let mut touched = Vec::new();
    look(stages, &mut touched);
    touched
}

fn look(template: &Template, touched: &mut Vec<Touched>) {
    match template {
        Template::Document(fields) => {
            for (name, value) in fields {
                let key = match name.as_str() {
                    "$lookup" | "$graphLookup" => "from",
                    "$unionWith" => "coll",
                    "$merge" => "into",
                    "$out" => "",
                    _ => {
                        look(value, touched);
                        continue;
                    }
                };
                let of = text(value).or_else(|| value.field(key).and_then(text));
                touched.extend(of.map(|collection| Touched {
                    collection,
                    replaces: name == "$out",
                    writes: matches!(name.as_str(), "$out" | "$merge"),
                }));
                look(value, touched);
            }
        }
        Template::Array(items) => items.iter().for_each(|item| look(item, touched)),
        Template::Constant(_) | Template::Generator(_) => {}
    }
}

fn text(template: &Template) -> Option<String> {
    match template {
        Template::Constant(Bson::String(text)) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::template::Context;

    #[test]
    fn stages_within_stages_are_looked_at() {
        let stages = json!([
            {"$lookup": {"from": "a", "pipeline": [{"$unionWith": {"coll": "b"}}], "as": "x"}},
            {"$unionWith": "c"},
            {"$facet": {"f": [{"$graphLookup": {"from": "d"}}]}},
            {"$merge": {"into": "e"}},
        ]);
        let stages = Template::from_json(&stages, Context::Any).expect("valid");
        let of: Vec<_> = touched(&stages)
            .into_iter()
            .map(|touch| (touch.collection, touch.writes, touch.replaces))
            .collect();
        let read = |name: &str| (name.to_owned(), false, false);
        let written = ("e".to_owned(), true, false);
        assert_eq!(of, [read("a"), read("b"), read("c"), read("d"), written]);
        let out = Template::from_json(&json!([{"$out": "o"}]), Context::Any).expect("valid");
        assert!(touched(&out)[0].replaces);
    }
}
