//! Payloads: the size and the compressibility of a collection's documents, put into the payloads
//! that give them both.

use docstone_model::template::{Compressibility, DOCUMENT_MAX_BYTES, Payload};
use docstone_model::{Generator, Template};

use super::size::{fixed, largest};
use super::template::each_generator;
use crate::raw::{Collection, Document, Workload};
use crate::spot::Spot;

const ADD_ONE: &str = "add a field that takes the rest, such as `text: {$payload: {}}`";

/// How well the messages of collections are to compress, by their names.
pub(super) struct Compressibilities(Vec<(String, Compressibility)>);

impl Compressibilities {
    /// What a file asks for.
    pub(super) fn of(raw: &Workload) -> Self {
        let asked = |(name, of): &(String, Collection)| {
            let document = of.document.as_ref()?;
            Some((name.clone(), document.compressibility?))
        };
        let all = raw.data.iter().flat_map(|data| &data.0);
        Self(all.filter_map(asked).collect())
    }

    /// What is asked for of one collection.
    pub(super) fn get(&self, name: &str) -> Compressibility {
        let asked = self.0.iter().find(|(of, _)| of == name);
        asked.map_or(Compressibility::DEFAULT, |(_, asked)| *asked)
    }
}

/// The form of a collection's documents with their size in it. `spot` is that of the document.
pub(super) fn sized(mut template: Template, raw: &Document, spot: &Spot<'_>) -> Template {
    let found = look(&template, &spot.at("fields"));
    let asked = raw.compressibility.unwrap_or(Compressibility::DEFAULT);
    if found.payloads == 0 {
        if spot.at("size").has_value() {
            let message = "`size` needs a payload: the other fields have the sizes that they have";
            spot.at("size").key_fault(message, Some(ADD_ONE.to_owned()));
        }
        if spot.at("compressibility").has_value() {
            let message = "`compressibility` is that of payloads, and the document has none";
            let at = spot.at("compressibility");
            at.key_fault(message, Some(ADD_ONE.to_owned()));
        }
        return template;
    }
    let size = raw.size.map(|size| size.0);
    if size.is_none() && !spot.at("size").has_value() {
        for at in &found.filling {
            let help = "add `size: 51KB` beside `fields`, or a length: `{$payload: {length: 1KB}}`";
            let message = "`$payload` has no length, and the document no size that it could fill";
            at.fault(message, Some(help.to_owned()));
        }
    }
    if let Some(size) = size {
        check_size(size, &template, &found, spot);
    }
    let document_bytes = size.and_then(|size| u32::try_from(size).ok());
    template.for_each_generator_mut(&mut |generator| {
        if let Generator::Payload(payload) = generator {
            payload.document_bytes = document_bytes;
            payload.compressibility = Some(asked);
        }
    });
    template
}

/// The document that an operation sends: payloads with lengths of their own, that compress like
/// those of the collection.
pub(super) fn of_operation(template: &mut Template, asked: Compressibility, spot: &Spot<'_>) {
    let found = look(template, spot);
    for at in &found.filling {
        let help = "write one: `{$payload: {length: 1KB}}`; only the form of a collection has a \
                    `size` to fill";
        at.fault("`$payload` has no length here", Some(help.to_owned()));
    }
    template.for_each_generator_mut(&mut |generator| {
        if let Generator::Payload(payload) = generator {
            payload.compressibility = Some(asked);
        }
    });
}

/// The form of a collection as a replacement, without the `_id`, which stays: its size is what the
/// `_id` leaves. `spot` is that of the operation.
pub(super) fn replacement(template: Template, spot: &Spot<'_>) -> Template {
    let Template::Document(mut fields) = template else {
        return template;
    };
    let id = fields.iter().position(|(name, _)| name == "_id");
    let id = id.map(|at| fields.remove(at));
    let mut rest = Template::Document(fields);
    let bytes = id.as_ref().map(|(name, value)| {
        let value = fixed(value)?;
        Some(value + name.len() as u64 + 2)
    });
    let mut varies = false;
    rest.for_each_generator_mut(&mut |generator| {
        let Generator::Payload(Payload {
            document_bytes: Some(size),
            ..
        }) = generator
        else {
            return;
        };
        match bytes {
            Some(Some(bytes)) => *size = size.saturating_sub(u32::try_from(bytes).unwrap_or(0)),
            Some(None) => varies = true,
            None => {}
        }
    });
    if varies {
        let help = "give it a `document` of its own, or the collection an `_id` of one length";
        spot.key_fault(
            "the replacement cannot have the exact size of the collection's documents: their `_id`, \
             which stays, differs in length",
            Some(help.to_owned()),
        );
    }
    rest
}

/// Records payloads in a filter, which nothing could match.
pub(super) fn check_filter(template: &Template, spot: &Spot<'_>) {
    each_generator(template, spot, &mut |generator, at| {
        if matches!(generator, Generator::Payload(_)) {
            at.fault("`$payload` cannot stand in a filter", None);
        }
    });
}

/// The payloads of a template.
struct Found<'a> {
    payloads: usize,
    /// Where those without a length stand.
    filling: Vec<Spot<'a>>,
    /// Where values of an unknown length stand.
    unknown: Vec<Spot<'a>>,
}

fn look<'a>(template: &Template, spot: &Spot<'a>) -> Found<'a> {
    let mut found = Found {
        payloads: 0,
        filling: Vec::new(),
        unknown: Vec::new(),
    };
    each_generator(template, spot, &mut |generator, at| match generator {
        Generator::Payload(payload) => {
            found.payloads += 1;
            check_arguments(payload, at);
            if payload.length.is_none() {
                found.filling.push(at.clone());
            }
        }
        Generator::Captured { .. } => found.unknown.push(at.clone()),
        _ => {}
    });
    if let Some(id) = template.field("_id") {
        each_generator(id, &spot.at("_id"), &mut |generator, at| {
            if matches!(generator, Generator::Payload(_)) {
                let help = "use $sequence, $object_id or $uuid".to_owned();
                at.fault("`$payload` cannot be an `_id`", Some(help));
            }
        });
    }
    found
}

/// Records arguments that a plan has and a file has not.
fn check_arguments(payload: &Payload, at: &Spot<'_>) {
    let at = at.at("$payload");
    for (key, given, instead) in [
        (
            "document_bytes",
            payload.document_bytes.is_some(),
            "size: 51KB",
        ),
        (
            "compressibility",
            payload.compressibility.is_some(),
            "compressibility: 3",
        ),
    ] {
        if given {
            let help = format!("write `{instead}` beside the `fields` of the collection");
            let message = format!("`$payload` has no argument `{key}`");
            at.at(key).key_fault(message, Some(help));
        }
    }
}

fn check_size(size: u64, template: &Template, found: &Found<'_>, spot: &Spot<'_>) {
    let at = spot.at("size");
    let least = largest(template);
    if size > DOCUMENT_MAX_BYTES {
        at.fault(
            format!("a document of {size} bytes is over MongoDB's limit of {DOCUMENT_MAX_BYTES}"),
            Some("at most `size: 16MiB`".to_owned()),
        );
    } else if found.filling.is_empty() {
        at.key_fault(
            "`size` needs a payload without a length: each of these has one",
            Some("leave out `length` where the payload is to take the rest".to_owned()),
        );
    } else if least > size {
        at.fault(
            format!(
                "a document cannot have {size} bytes: the other fields need up to {least} bytes"
            ),
            Some(format!(
                "make it at least {least}, or the other fields shorter"
            )),
        );
    }
    for at in &found.unknown {
        at.fault(
            "this value has no known length, so the document cannot have an exact size",
            Some("leave out `size`, and give the payload a `length`".to_owned()),
        );
    }
}
