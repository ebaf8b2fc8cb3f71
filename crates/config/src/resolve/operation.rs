//! Operations: which call, on which collection, with what.

mod aggregate;
mod calls;
mod command;
mod find;
mod find_and_modify;
mod insert;
mod options;
mod reader;
mod stages;
mod update;

use docstone_model::OperationPlan;
use docstone_model::plan::OperationKind;

use self::reader::Reader;
use super::data::Collections;
use super::names::check_tag;
use crate::defaults;
use crate::raw::operation::BESIDE;
use crate::raw::{self, KINDS, Workload};
use crate::spot::Spot;

/// The operations of a file by their names; one that has a mistake has no plan.
pub(super) type Operations = Vec<(String, Option<OperationPlan>)>;

/// Resolves `operations`.
pub(super) fn resolve(raw: &Workload, root: &Spot<'_>, data: &Collections) -> Operations {
    let spot = root.at("operations");
    let Some(operations) = &raw.operations else {
        root.missing("operations", "name at least one database call");
        return Vec::new();
    };
    if spot.keys().is_empty() {
        spot.key_fault(
            "`operations` is empty",
            Some("name at least one database call".to_owned()),
        );
    }
    let mut plans = Vec::new();
    for name in spot.keys() {
        let at = spot.at(name);
        check_tag("an operation", name, &at);
        let plan = operations
            .get(name)
            .and_then(|raw| Reader { at: &at, data }.operation(name, raw));
        plans.push((name.to_owned(), plan));
    }
    plans
}

impl Reader<'_> {
    fn operation(&self, name: &str, raw: &raw::Operation) -> Option<OperationPlan> {
        let timeout_ns = raw
            .timeout
            .map_or(defaults::TIMEOUT_NS, |timeout| timeout.0);
        if timeout_ns == 0 {
            let help = Some("leave it out for 30s".to_owned());
            self.at
                .at("timeout")
                .fault("`timeout` must be above 0", help);
        }
        let kind = self.kind_name()?;
        let (collection, kind) = self.kind(kind, raw)?;
        let options = options::read(raw, &kind, self.at)?;
        Some(OperationPlan {
            name: name.to_owned(),
            collection,
            kind,
            timeout_ns,
            options,
        })
    }

    /// The one kind that stands in the file.
    fn kind_name(&self) -> Option<&'static str> {
        let keys = self.at.keys();
        let given: Vec<_> = KINDS
            .iter()
            .copied()
            .filter(|kind| keys.contains(kind))
            .collect();
        match given.as_slice() {
            [kind] => {
                let at = self.at.at(kind);
                if at
                    .node()
                    .is_some_and(|node| matches!(node.value, crate::node::Value::Null))
                {
                    let help = Some(format!("write `{kind}: {{collection: NAME}}`"));
                    at.key_fault(format!("`{kind}` is empty"), help);
                }
                Some(kind)
            }
            [] => {
                // An unknown key was meant to be the kind, and is recorded already.
                if keys.iter().all(|key| BESIDE.contains(key)) {
                    self.at.key_fault(
                        "the operation says nothing of what it does",
                        Some(format!("add one of: {}", KINDS.join(", "))),
                    );
                }
                None
            }
            [first, second, ..] => {
                self.at.at(second).contradicts(
                    &self.at.at(first),
                    format!("`{first}` and `{second}` stand in one operation"),
                    "give each an operation of its own",
                );
                None
            }
        }
    }

    /// One arm for each kind; it calls what reads its arguments.
    fn kind(&self, kind: &str, raw: &raw::Operation) -> Option<(String, OperationKind)> {
        let at = self.at.at(kind);
        match kind {
            "insert_one" => self.insert_one(raw.insert_one.as_ref()?, &at),
            "insert_many" => self.insert_many(raw.insert_many.as_ref()?, &at),
            "bulk_write" => self.bulk_write(raw.bulk_write.as_ref()?, &at),
            "connect" => {
                let _ = raw.connect.as_ref()?;
                Some((String::new(), OperationKind::Connect {}))
            }
            "command" => self.command(raw.command.as_ref()?, &at),
            "transaction" => self.transaction(raw.transaction.as_ref()?, &at),
            "find_one" => self.find_one(raw.find_one.as_ref()?, &at),
            "find_many" => self.find_many(raw.find_many.as_ref()?, &at),
            "count" => self.count(raw.count.as_ref()?, &at),
            "count_documents" => self.count_documents(raw.count_documents.as_ref()?, &at),
            "estimated_count" => self.estimated_count(raw.estimated_count.as_ref()?, &at),
            "distinct" => self.distinct(raw.distinct.as_ref()?, &at),
            "aggregate" => self.aggregate(raw.aggregate.as_ref()?, &at),
            "find_one_and_update" => {
                self.find_one_and_update(raw.find_one_and_update.as_ref()?, &at)
            }
            "find_one_and_replace" => {
                self.find_one_and_replace(raw.find_one_and_replace.as_ref()?, &at)
            }
            "find_one_and_delete" => {
                self.find_one_and_delete(raw.find_one_and_delete.as_ref()?, &at)
            }
            "update_one" => self.update(raw.update_one.as_ref()?, &at, true),
            "update_many" => self.update(raw.update_many.as_ref()?, &at, false),
            "replace_one" => self.replace_one(raw.replace_one.as_ref()?, &at),
            "delete_one" => {
                let (collection, filter) = self.delete(raw.delete_one.as_ref()?, &at)?;
                Some((collection, OperationKind::DeleteOne { filter }))
            }
            "delete_many" => {
                let (collection, filter) = self.delete(raw.delete_many.as_ref()?, &at)?;
                Some((collection, OperationKind::DeleteMany { filter }))
            }
            other => unreachable!("`{other}` is no kind of operation"),
        }
    }
}
