//! What a plan asks of its payloads: how well they compress and how much there is of them.

use docstone_model::template::{Compressibility, Payload};
use docstone_model::{Generator, Plan, Template};

use crate::payload::POOL_BYTES;

/// The collections with payloads: each with its compressibility and the most bytes of payload in
/// one document.
pub(super) fn collections(plan: &Plan) -> Vec<(String, Compressibility, u64)> {
    let mut found: Vec<(String, Compressibility, u64)> = Vec::new();
    let mut look = |name: &str, template: &Template| {
        let Some((asked, bytes)) = payloads_of(template) else {
            return;
        };
        match found.iter_mut().find(|(known, ..)| known == name) {
            Some((_, _, stride)) => *stride = bytes.max(*stride),
            None => found.push((name.to_owned(), asked, bytes)),
        }
    };
    for collection in &plan.data {
        if let Some(template) = &collection.document {
            look(&collection.name, template);
        }
    }
    for operation in &plan.operations {
        for template in operation.kind.templates() {
            look(&operation.collection, template);
        }
    }
    found
}

/// The exact size of a collection's documents, where the plan gives one.
pub(super) fn document_bytes(plan: &Plan, collection: &str) -> Option<u64> {
    let data = plan.data.iter().find(|data| data.name == collection)?;
    let mut bytes = None;
    data.document
        .as_ref()?
        .for_each_generator(&mut |generator| {
            if let Generator::Payload(payload) = generator {
                bytes = payload.document_bytes.map(u64::from);
            }
        });
    bytes
}

/// The compressibility of a template's payloads and their bytes; `None` where it has none.
pub(super) fn payloads_of(template: &Template) -> Option<(Compressibility, u64)> {
    let mut asked = None;
    let (mut lengths, mut document) = (0_u64, 0);
    template.for_each_generator(&mut |generator| {
        if let Generator::Payload(Payload {
            length,
            document_bytes,
            compressibility,
        }) = generator
        {
            asked = asked
                .or(*compressibility)
                .or(Some(Compressibility::DEFAULT));
            lengths += length.map_or(0, |length| length.0);
            document = document_bytes.map_or(document, u64::from);
        }
    });
    Some((asked?, lengths.max(document)))
}

/// The text that a collection needs: for its loaded documents, or all that a pool holds where
/// operations write more. A document more, so that none of the last 32 MiB comes again.
pub(super) fn needed_bytes(plan: &Plan, collection: &str, stride: u64) -> u64 {
    let data = plan.data.iter().find(|data| data.name == collection);
    let loaded = data.map_or(0, |data| data.count).saturating_mul(stride);
    let writes = plan.operations.iter().any(|operation| {
        let payload = operation.kind.payload();
        operation.collection == collection && payload.and_then(payloads_of).is_some()
    });
    let needed = if writes {
        POOL_BYTES
    } else {
        loaded.min(POOL_BYTES)
    };
    needed + stride
}
