//! Size and compressibility of documents.

use docstone_model::ByteSize;
use docstone_model::template::{Compressibility, Payload};

use super::parts::{PARTS, Parts, data, operation};
use super::*;

/// A collection of ten documents of this form.
fn collection(document: &str) -> String {
    format!("{{c: {{count: 10, document: {document}}}}}")
}

fn wrong(document: &str) -> String {
    data(&collection(document))
}

fn with_data(document: &str, operations: &str) -> Plan {
    let data = &collection(document);
    Parts {
        data,
        operations,
        ..PARTS
    }
    .plan()
}

fn payloads(template: &docstone_model::Template) -> Vec<Payload> {
    let mut found = Vec::new();
    template.for_each_generator(&mut |generator| {
        if let docstone_model::Generator::Payload(payload) = generator {
            found.push(payload.clone());
        }
    });
    found
}

const SIZED: &str = "{size: 51KB, compressibility: 6, fields: {_id: {$uuid: {}}, n: 1, \
                     a: {$payload: {}}, b: {c: {$payload: {length: 1KB}}}}}";

#[test]
fn size_and_compressibility_are_carried_by_the_payloads() {
    let plan = with_data(SIZED, "{o: {insert_one: {collection: c}}}");
    let expected = |length| Payload {
        length,
        document_bytes: Some(51_000),
        compressibility: Some(Compressibility::Ratio(6.0)),
    };
    let expected = [expected(None), expected(Some(ByteSize(1_000)))];
    let form = plan.data[0].document.as_ref().expect("a form");
    assert_eq!(payloads(form), expected);
    let sent = plan.operations[0].kind.payload().expect("a document");
    assert_eq!(payloads(sent), expected);
}

#[test]
fn a_replacement_has_the_size_that_the_id_leaves() {
    let operations = "{o: {replace_one: {collection: c, filter: {}}}}";
    let plan = with_data(SIZED, operations);
    let sent = plan.operations[0].kind.payload().expect("a document");
    // Type, name and its end, length, subtype and 16 bytes of a UUID.
    assert_eq!(payloads(sent)[0].document_bytes, Some(51_000 - 26));
}

#[test]
fn compressibility_is_medium_where_nothing_is_said_and_may_be_random() {
    let asked = |more: &str| {
        let form = format!("{{{more} fields: {{t: {{$payload: {{length: 10}}}}}}}}");
        let plan = with_data(&form, "{o: {count: {collection: c}}}");
        payloads(plan.data[0].document.as_ref().expect("a form"))[0].compressibility
    };
    assert_eq!(asked(""), Some(Compressibility::Ratio(3.0)));
    assert_eq!(
        asked("compressibility: low,"),
        Some(Compressibility::Ratio(1.5))
    );
    assert_eq!(
        asked("compressibility: random,"),
        Some(Compressibility::Random)
    );
    let message = wrong("{compressibility: 0.5, fields: {t: {$payload: {length: 10}}}}");
    assert!(
        message.contains("`low` (1.5), `medium` (3), `high` (6)"),
        "{message}"
    );
}

#[test]
fn the_payloads_of_operations_compress_like_those_of_the_collection() {
    let form = "{compressibility: high, fields: {t: {$payload: {length: 10}}}}";
    let update = "{o: {update_one: {collection: c, filter: {}, \
                  update: {$set: {t: {$payload: {length: 2KiB}}}}}}}";
    let plan = with_data(form, update);
    let sent = payloads(plan.operations[0].kind.payload().expect("operators"));
    assert_eq!(sent[0].length, Some(ByteSize(2_048)));
    assert_eq!(sent[0].compressibility, Some(Compressibility::Ratio(6.0)));
}

#[test]
fn a_size_needs_a_payload_that_fills_it() {
    let message = wrong("{size: 1KB, fields: {n: 1}}");
    assert!(message.contains("`text: {$payload: {}}`"), "{message}");
    let message = wrong("{compressibility: 3, fields: {n: 1}}");
    assert!(message.contains("the document has none"), "{message}");
    let message = wrong("{size: 1KB, fields: {t: {$payload: {length: 100}}}}");
    assert!(message.contains("leave out `length`"), "{message}");
    let message = wrong("{fields: {t: {$payload: {}}}}");
    assert!(
        message.contains("`$payload` has no length") && message.contains("`size: 51KB`"),
        "{message}"
    );
}

#[test]
fn a_size_that_the_other_fields_exceed_is_refused_with_the_least() {
    // 5 of the document, 17 of `_id`, 8 of `t` and 7 + 300 + 1 of `s`.
    let form = |size| {
        format!(
            "{{size: {size}, fields: {{s: {{$string: {{length: 300}}}}, t: {{$payload: {{}}}}}}}}"
        )
    };
    let message = wrong(&form(337));
    assert!(
        message.contains("337 bytes: the other fields need up to 338 bytes"),
        "{message}"
    );
    let _ = with_data(&form(338), "{o: {count: {collection: c}}}");
    let message = wrong(&form(16_777_217));
    assert!(message.contains("MongoDB's limit of 16777216"), "{message}");
    let _ = with_data(&form(16_777_216), "{o: {count: {collection: c}}}");
    assert!(wrong("{size: 51QB, fields: {t: {$payload: {}}}}").contains("`51KB`"));
}

#[test]
fn payloads_stand_where_text_can_stand() {
    let message = wrong("{fields: {_id: {$payload: {length: 10}}}}");
    assert!(message.contains("cannot be an `_id`"), "{message}");
    let message = operation("{count: {collection: c, filter: {t: {$payload: {length: 10}}}}}");
    assert!(message.contains("cannot stand in a filter"), "{message}");
    let message = operation("{insert_one: {collection: c, document: {t: {$payload: {}}}}}");
    assert!(message.contains("`{$payload: {length: 1KB}}`"), "{message}");
}

#[test]
fn what_stands_beside_the_fields_is_no_argument() {
    for argument in ["compressibility: 3", "document_bytes: 100"] {
        let message = wrong(&format!(
            "{{fields: {{t: {{$payload: {{length: 10, {argument}}}}}}}}}"
        ));
        assert!(
            message.contains("has no argument") && message.contains("beside the `fields`"),
            "{message}"
        );
    }
    let message = wrong("{fields: {t: {$payload: {lenght: 10}}}}");
    assert!(message.contains("did you mean `length`?"), "{message}");
    let message = wrong("{fields: {t: {$payload: {length: 17MiB}}}}");
    assert!(message.contains("at most 16777216"), "{message}");
}
