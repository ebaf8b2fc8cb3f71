//! How large the documents of a template can become, by the BSON specification.

use docstone_model::Template;
use docstone_model::template::{Generator, IntType, constant_bytes};

/// The number of bytes of a value, where it is the same in all documents.
pub(super) fn fixed(template: &Template) -> Option<u64> {
    let mut fixed = true;
    template.for_each_generator(&mut |generator| {
        if let Some(arguments) = generator.plain() {
            fixed &= arguments.has_one_length();
            return;
        }
        fixed &= matches!(
            generator,
            Generator::Sequence { .. }
                | Generator::Int { .. }
                | Generator::String { .. }
                | Generator::Uuid {}
                | Generator::ObjectId {}
                | Generator::Now {}
                | Generator::Worker {}
                | Generator::WorkerSequence {}
                | Generator::FieldRange { .. }
        );
    });
    fixed.then(|| largest(template))
}

/// The server's limit for the writes of one command.
pub(super) const MAX_BATCH_DOCUMENTS: u32 = 100_000;

/// What the documents of one message may have: the server's limit of 48,000,000 bytes without what
/// stands around them, for which drivers keep 1,000 and the command its own, a name of up to 255
/// bytes among it.
pub(super) const MAX_BATCH_BYTES: u64 = 48_000_000 - 1_000 - 1_000;

/// The largest number of bytes of a value; of a payload that takes the rest, those besides its
/// content. A `$key` counts as 12 bytes: it is an `_id`, and its
/// size cannot bring a document over the limit.
pub(super) fn largest(template: &Template) -> u64 {
    match template {
        Template::Constant(value) => constant_bytes(value),
        Template::Document(fields) => {
            let field = |(name, value): &(String, Template)| element(name, largest(value));
            5 + fields.iter().map(field).sum::<u64>()
        }
        Template::Array(items) => {
            let item = |(at, value): (usize, &Template)| element(&at.to_string(), largest(value));
            5 + items.iter().enumerate().map(item).sum::<u64>()
        }
        Template::Generator(generator) => own_largest(generator),
    }
}

fn own_largest(generator: &Generator) -> u64 {
    if let Some(arguments) = generator.plain() {
        return arguments.largest_bytes();
    }
    match generator {
        Generator::String { length } => 5 + u64::from(*length),
        Generator::Uuid {} => 21,
        Generator::Payload(payload) => 5 + payload.length.map_or(0, |length| length.0),
        // A captured value can be of any size; it is counted like a key.
        Generator::ObjectId {} | Generator::Key { .. } | Generator::Captured { .. } => 12,
        Generator::Int {
            min, max, int_type, ..
        } => match int_type {
            Some(IntType::Long) => 8,
            None if i32::try_from(*min).is_err() || i32::try_from(*max).is_err() => 8,
            None | Some(IntType::Int) => 4,
        },
        Generator::Worker {} => 4,
        Generator::Sequence { .. }
        | Generator::Now {}
        | Generator::WorkerSequence {}
        | Generator::FieldRange { .. } => 8,
        _ => 0,
    }
}

/// A type byte, the name and its end, and the value.
fn element(name: &str, value: u64) -> u64 {
    2 + name.len() as u64 + value
}

#[cfg(test)]
mod tests {
    use super::*;
    use docstone_model::template::Context;
    use serde_json::json;

    #[test]
    fn sizes_are_those_of_bson() {
        let json = json!({"_id": {"$sequence": {}}, "threadId": {"$worker": {}},
            "threadRunCount": {"$worker_sequence": {}},
            "rnd": {"$int": {"min": i64::MIN, "max": i64::MAX}},
            "rndTxt": {"$string": {"length": 100}}, "v": 1});
        let template = Template::from_json(&json, Context::Document).expect("valid");
        assert_eq!(largest(&template), 189);
        let json = json!({"a": [1, "two", null], "b": {"c": true}});
        let template = Template::from_json(&json, Context::Document).expect("valid");
        let document = bson::doc! {"a": [1, "two", bson::Bson::Null], "b": {"c": true}};
        let bytes = bson::serialize_to_vec(&document).expect("encodes");
        assert_eq!(largest(&template), bytes.len() as u64);
    }
}
