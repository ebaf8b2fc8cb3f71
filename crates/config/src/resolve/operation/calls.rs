//! Operations that consist of others: bulks and transactions.

use docstone_model::OperationPlan;
use docstone_model::plan::OperationKind;
use docstone_model::template::DOCUMENT_MAX_BYTES;

use super::super::size::{MAX_BATCH_DOCUMENTS, largest};
use super::reader::Reader;
use crate::raw::operation as raw;
use crate::spot::Spot;

/// What can be a part of a bulk.
const WRITES: [&str; 6] = [
    "insert_one",
    "update_one",
    "update_many",
    "replace_one",
    "delete_one",
    "delete_many",
];

/// What can be a part of a transaction.
const IN_TRANSACTIONS: [&str; 15] = [
    "insert_one",
    "insert_many",
    "find_one",
    "find_many",
    "count_documents",
    "distinct",
    "aggregate",
    "update_one",
    "update_many",
    "replace_one",
    "delete_one",
    "delete_many",
    "find_one_and_update",
    "find_one_and_replace",
    "find_one_and_delete",
];

/// The options that a part may have; in a bulk the first two.
const OWN: [&str; 4] = ["hint", "collation", "comment", "max_time"];

impl Reader<'_> {
    pub(super) fn bulk_write(
        &self,
        raw: &raw::BulkWrite,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let list = at.at("writes");
        let Some(writes) = &raw.writes else {
            at.missing(
                "writes",
                "list them, such as `[{insert_one: {collection: c}}]`",
            );
            return None;
        };
        let writes = self.parts(writes, &list, ("a bulk", &WRITES, &OWN[..2]))?;
        let first = writes[0].collection.clone();
        for (position, write) in writes.iter().enumerate() {
            if write.collection != first {
                list.item(position).fault(
                    format!("a bulk writes to one collection, and this one began with `{first}`"),
                    Some("give each collection an operation of its own".to_owned()),
                );
                return None;
            }
        }
        let repeat = raw.repeat.unwrap_or(1);
        check_bulk(&writes, repeat, at);
        let kind = OperationKind::BulkWrite {
            writes,
            repeat,
            ordered: raw.ordered.unwrap_or(true),
        };
        Some((first, kind))
    }

    pub(super) fn transaction(
        &self,
        raw: &raw::Transaction,
        at: &Spot<'_>,
    ) -> Option<(String, OperationKind)> {
        let list = at.at("operations");
        let Some(operations) = &raw.operations else {
            at.missing(
                "operations",
                "list them, such as `[{insert_one: {collection: c}}]`",
            );
            return None;
        };
        let operations =
            self.parts(operations, &list, ("a transaction", &IN_TRANSACTIONS, &OWN))?;
        for (position, call) in operations.iter().enumerate() {
            if call.kind.parts().writes_elsewhere {
                list.item(position).fault(
                    "`$out` and `$merge` cannot be part of a transaction",
                    Some("run the aggregation as an operation of its own".to_owned()),
                );
                return None;
            }
        }
        if let Some(concern) = &raw.read_concern
            && !raw::READ_CONCERNS.contains(&concern.as_str())
        {
            let known = &raw::READ_CONCERNS;
            at.at("read_concern")
                .unknown("read concern", concern, known);
            return None;
        }
        let write_concern = raw.write_concern.map(|concern| concern.0);
        if write_concern == Some(docstone_model::plan::WriteConcern::Members(0)) {
            at.at("write_concern").fault(
                "a transaction cannot be committed without acknowledgement",
                Some("write 1 or `majority`".to_owned()),
            );
        }
        let kind = OperationKind::Transaction {
            operations,
            read_concern: raw.read_concern.clone(),
            write_concern,
        };
        Some((String::new(), kind))
    }

    /// The operations of a list; `of` says what they are part of, and what can be.
    fn parts(
        &self,
        list: &[Option<raw::Operation>],
        at: &Spot<'_>,
        (of, known, own): (&str, &[&str], &[&str]),
    ) -> Option<Vec<OperationPlan>> {
        if list.is_empty() {
            at.fault(format!("{of} has one operation at least"), None);
            return None;
        }
        let read = list.iter().enumerate().map(|(position, raw)| {
            let at = at.item(position);
            let Some(raw) = raw else {
                at.null_item("an operation, such as `{insert_one: {collection: c}}`");
                return None;
            };
            for key in raw::BESIDE {
                if at.at(key).exists() && !own.contains(&key) {
                    at.at(key).key_fault(
                        format!("what is part of {of} has no `{key}` of its own"),
                        Some("say it of the whole operation".to_owned()),
                    );
                }
            }
            let inner = Reader { at: &at, ..*self };
            let plan = inner.operation(&(position + 1).to_string(), raw)?;
            let name = plan.kind.name();
            if !known.contains(&name) {
                at.at(name).key_fault(
                    format!("`{name}` cannot be part of {of}"),
                    Some(format!("known there: {}", known.join(", "))),
                );
                return None;
            }
            Some(plan)
        });
        // All of them are read, also where one is wrong.
        let read: Vec<_> = read.collect();
        read.into_iter().collect()
    }
}

/// Records a bulk that its commands could not hold: each is one document.
fn check_bulk(writes: &[OperationPlan], repeat: u32, at: &Spot<'_>) {
    let number = (writes.len() as u64).saturating_mul(repeat.into());
    if repeat == 0 || number > MAX_BATCH_DOCUMENTS.into() {
        at.at("repeat").fault(
            format!("a bulk has 1 to {MAX_BATCH_DOCUMENTS} writes, not {number}"),
            Some("spread them over several operations".to_owned()),
        );
        return;
    }
    // Each stands in a list, with the keys of its statement.
    let of = |write: &OperationPlan| 100 + write.kind.templates().map(largest).sum::<u64>();
    let bytes = writes
        .iter()
        .map(of)
        .sum::<u64>()
        .saturating_mul(repeat.into());
    if bytes > DOCUMENT_MAX_BYTES {
        at.key_fault(
            format!(
                "a bulk of {number} writes has up to {bytes} bytes, more than the \
                 {DOCUMENT_MAX_BYTES} of one command"
            ),
            Some("write a smaller `repeat` or shorter documents, or use `insert_many`".to_owned()),
        );
    }
}
