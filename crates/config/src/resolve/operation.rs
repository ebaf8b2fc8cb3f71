//! Operations: which call, on which collection, with what.

use docstone_model::plan::{Limits, OperationKind};
use docstone_model::template::{Compressibility, Context};
use docstone_model::{OperationPlan, Template};
use serde_json::Value;

use super::data::{Collections, check_id_type, check_size, with_id_first};
use super::limits::limits;
use super::names::check_tag;
use super::payload;
use super::template;
use crate::defaults;
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

/// Reads one operation.
struct Reader<'a> {
    at: &'a Spot<'a>,
    data: &'a Collections,
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
        Some(OperationPlan {
            name: name.to_owned(),
            collection,
            kind,
            timeout_ns,
        })
    }

    /// The one kind that stands in the file.
    fn kind_name(&self) -> Option<&'static str> {
        let keys = self.at.keys();
        let given: Vec<_> = KINDS
            .into_iter()
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
                if keys.iter().all(|key| *key == "timeout") {
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

    fn kind(&self, kind: &'static str, raw: &raw::Operation) -> Option<(String, OperationKind)> {
        let at = self.at.at(kind);
        match kind {
            "insert_one" => self.insert_one(raw.insert_one.as_ref()?, &at),
            "find_one" => self.find_one(raw.find_one.as_ref()?, &at),
            "find_many" => self.find_many(raw.find_many.as_ref()?, &at),
            "count" => {
                let raw = raw.count.as_ref()?;
                let collection = self.collection(raw.collection.as_deref(), &at);
                let filter = self.filter(raw.filter.as_ref(), &at, collection.as_deref());
                Some((collection?, OperationKind::Count { filter: filter? }))
            }
            "update_one" => self.update(raw.update_one.as_ref()?, &at, true),
            "update_many" => self.update(raw.update_many.as_ref()?, &at, false),
            "replace_one" => self.replace_one(raw.replace_one.as_ref()?, &at),
            "delete_one" => {
                let (collection, filter) = self.delete(raw.delete_one.as_ref()?, &at)?;
                Some((collection, OperationKind::DeleteOne { filter }))
            }
            _ => {
                let (collection, filter) = self.delete(raw.delete_many.as_ref()?, &at)?;
                Some((collection, OperationKind::DeleteMany { filter }))
            }
        }
    }

    fn insert_one(&self, raw: &raw::InsertOne, at: &Spot<'_>) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let document = self.document(raw.document.as_ref(), at, collection.as_deref());
        let document = with_id_first(document?);
        if raw.document.is_some() {
            check_size(&document, &at.at("document"));
            check_id_type(&document, &at.at("document"));
        }
        Some((collection?, OperationKind::InsertOne { document }))
    }

    fn find_one(&self, raw: &raw::Find, at: &Spot<'_>) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        let options = limits(raw.projection.as_ref(), raw.sort.as_ref(), at);
        let (filter, options) = (filter?, options?);
        Some((collection?, OperationKind::FindOne { filter, options }))
    }

    fn find_many(&self, raw: &raw::FindMany, at: &Spot<'_>) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.filter(raw.filter.as_ref(), at, collection.as_deref());
        let options = limits(raw.projection.as_ref(), raw.sort.as_ref(), at);
        if let Some(limit) = raw.limit.filter(|limit| *limit < 1) {
            let help = Some("leave it out for all documents".to_owned());
            at.at("limit")
                .fault(format!("`limit` must be at least 1, not {limit}"), help);
        }
        if raw
            .batch_size
            .is_some_and(|size| i32::try_from(size).map_or(true, |size| size < 1))
        {
            at.at("batch_size")
                .fault(format!("`batch_size` must be 1 to {}", i32::MAX), None);
        }
        let options = Limits {
            limit: raw.limit,
            batch_size: raw.batch_size,
            ..options?
        };
        let filter = filter?;
        Some((collection?, OperationKind::FindMany { filter, options }))
    }

    fn update(
        &self,
        raw: &raw::Updates,
        at: &Spot<'_>,
        one: bool,
    ) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        let update = self.operators(raw.update.as_ref(), at, collection.as_deref());
        let (filter, update, upsert) = (filter?, update?, raw.upsert.unwrap_or(false));
        let kind = if one {
            OperationKind::UpdateOne {
                filter,
                update,
                upsert,
            }
        } else {
            OperationKind::UpdateMany {
                filter,
                update,
                upsert,
            }
        };
        Some((collection?, kind))
    }

    fn replace_one(&self, raw: &raw::ReplaceOne, at: &Spot<'_>) -> Option<(String, OperationKind)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        let document = self.document(raw.document.as_ref(), at, collection.as_deref());
        let given = raw.document.is_some();
        let document = match document? {
            document if !given => payload::replacement(document, at),
            document => document,
        };
        check_size(&document, &at.at("document"));
        if given && document.field("_id").is_some() {
            at.at("document").at("_id").key_fault(
                "a replacement keeps the `_id` of the document that it replaces",
                Some("leave `_id` out".to_owned()),
            );
        }
        let upsert = raw.upsert.unwrap_or(false);
        Some((
            collection?,
            OperationKind::ReplaceOne {
                filter: filter?,
                document,
                upsert,
            },
        ))
    }

    fn delete(&self, raw: &raw::Delete, at: &Spot<'_>) -> Option<(String, Template)> {
        let collection = self.collection(raw.collection.as_deref(), at);
        let filter = self.required_filter(raw.filter.as_ref(), at, collection.as_deref());
        Some((collection?, filter?))
    }

    fn collection(&self, name: Option<&str>, at: &Spot<'_>) -> Option<String> {
        let Some(name) = name else {
            at.missing("collection", "name a collection of `data`");
            return None;
        };
        if !self.data.knows(name) {
            let known = self.data.names();
            if known.is_empty() {
                let help = format!(
                    "describe it: `data: {{{name}: {{count: 1000, document: ...}}}}`, or say that \
                     it is there: `data: {{{name}: {{existing: true}}}}`"
                );
                at.at("collection")
                    .fault(format!("unknown collection `{name}`"), Some(help));
            } else {
                at.at("collection").unknown("collection", name, &known);
            }
            return None;
        }
        Some(name.to_owned())
    }

    /// The document of an insert or a replacement, by default the collection's own form.
    fn document(
        &self,
        raw: Option<&Value>,
        at: &Spot<'_>,
        collection: Option<&str>,
    ) -> Option<Template> {
        if let Some(json) = raw {
            let at = at.at("document");
            let mut document = template::document(json, &at, Context::Document)?;
            self.payloads(&mut document, &at, collection);
            self.check_keys(&document, &at, collection);
            return Some(document);
        }
        let plan = self.data.get(collection?)?;
        if at.at("document").exists() {
            return None;
        }
        if plan.document.is_none() {
            at.key_fault(
                format!(
                    "nothing says what the document looks like: `{}` has no form",
                    plan.name
                ),
                Some("add `document` here or to the collection".to_owned()),
            );
        }
        plan.document.clone()
    }

    fn required_filter(
        &self,
        raw: Option<&Value>,
        at: &Spot<'_>,
        collection: Option<&str>,
    ) -> Option<Template> {
        if raw.is_none() {
            at.missing("filter", "say which documents; `filter: {}` is all of them");
            return None;
        }
        self.filter(raw, at, collection)
    }

    fn filter(
        &self,
        raw: Option<&Value>,
        at: &Spot<'_>,
        collection: Option<&str>,
    ) -> Option<Template> {
        let Some(json) = raw else {
            return Some(Template::Document(Vec::new()));
        };
        let at = at.at("filter");
        let filter = template::document(json, &at, Context::Filter)?;
        payload::check_filter(&filter, &at);
        self.check_keys(&filter, &at, collection);
        Some(filter)
    }

    fn operators(
        &self,
        raw: Option<&Value>,
        at: &Spot<'_>,
        collection: Option<&str>,
    ) -> Option<Template> {
        let Some(json) = raw else {
            at.missing("update", "write operators, such as `{$inc: {n: 1}}`");
            return None;
        };
        let at = at.at("update");
        if json.is_array() {
            at.fault(
                "an update as a pipeline is not supported yet by this version",
                Some("write operators, such as `{$inc: {n: 1}}`".to_owned()),
            );
            return None;
        }
        let mut update = template::document(json, &at, Context::Update)?;
        self.payloads(&mut update, &at, collection);
        if let Template::Document(fields) = &update
            && (fields.is_empty() || fields.iter().any(|(name, _)| !name.starts_with('$')))
        {
            at.fault(
                "an update takes operators only, such as `$set`",
                Some("to put a whole document in place, use `replace_one`".to_owned()),
            );
        }
        check_size(&update, &at);
        self.check_keys(&update, &at, collection);
        Some(update)
    }

    fn payloads(&self, template: &mut Template, at: &Spot<'_>, collection: Option<&str>) {
        let asked = collection.map_or(Compressibility::DEFAULT, |name| {
            self.data.compressibilities.get(name)
        });
        payload::of_operation(template, asked, at);
    }

    fn check_keys(&self, template: &Template, at: &Spot<'_>, collection: Option<&str>) {
        if let Some(collection) = collection {
            template::check_keys(template, at, collection, &|name| self.data.key_fault(name));
        }
    }
}
