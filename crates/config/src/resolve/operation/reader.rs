//! What the kinds of operations share: collection, filter, document, update operators.

use docstone_model::Template;
use docstone_model::template::{Compressibility, Context};
use serde_json::Value;

use super::super::data::{Collections, check_size};
use super::super::{payload, template};
use super::stages::Stages;
use crate::spot::Spot;

/// Reads one operation.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// The operation.
    pub(super) at: &'a Spot<'a>,
    /// The collections of the file.
    pub(super) data: &'a Collections,
}

impl Reader<'_> {
    /// A list of documents, each of this kind.
    pub(super) fn documents(
        &self,
        items: &[Value],
        at: &Spot<'_>,
        context: Context,
        collection: Option<&str>,
    ) -> Option<Template> {
        let read = items.iter().enumerate().map(|(position, item)| {
            let at = at.item(position);
            let mut document = template::document(item, &at, context)?;
            self.payloads(&mut document, &at, collection);
            self.check_keys(&document, &at, collection);
            Some(document)
        });
        let read: Vec<_> = read.collect();
        let documents = read.into_iter().collect::<Option<_>>()?;
        Some(Template::Array(documents))
    }

    /// Stages of an aggregation or of an update.
    pub(super) fn stages(
        &self,
        json: &Value,
        at: &Spot<'_>,
        of: Stages,
        collection: Option<&str>,
    ) -> Option<Template> {
        let Some(items) = json.as_array().filter(|items| of.fits(items.len())) else {
            at.fault(
                "expected a list of stages",
                Some("write them as in the shell: `[{$set: {n: 5}}]`".to_owned()),
            );
            return None;
        };
        for (position, item) in items.iter().enumerate() {
            of.check(item, &at.item(position), position + 1 == items.len());
        }
        self.documents(items, at, Context::Any, collection)
    }

    pub(super) fn collection(&self, name: Option<&str>, at: &Spot<'_>) -> Option<String> {
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
    pub(super) fn document(
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

    pub(super) fn required_filter(
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

    pub(super) fn filter(
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

    pub(super) fn operators(
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
            return self.stages(json, &at, Stages::OfUpdate, collection);
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

    pub(super) fn check_keys(&self, template: &Template, at: &Spot<'_>, collection: Option<&str>) {
        if let Some(collection) = collection {
            template::check_keys(template, at, collection, &|name| self.data.key_fault(name));
        }
    }
}
