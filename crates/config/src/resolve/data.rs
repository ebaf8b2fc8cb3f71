//! Collections: how many documents, of what form, with which indexes.

use bson::Bson;
use docstone_model::template::{Context, DOCUMENT_MAX_BYTES, Distribution, Generator};
use docstone_model::{CollectionPlan, Template};
use serde_json::Value;

use super::collection_options;
use super::index;
use super::names::check_collection;
use super::payload;
use super::size::largest;
use super::template;
use crate::defaults::MAX_COUNT;
use crate::raw::{Collection, Workload};
use crate::spot::Spot;

/// The collections of a file, with those that have mistakes.
pub(super) struct Collections {
    entries: Vec<(String, Option<CollectionPlan>)>,
    existing: Vec<String>,
    /// How well their messages are to compress.
    pub(super) compressibilities: payload::Compressibilities,
}

impl Collections {
    /// All names, right or wrong.
    pub(super) fn names(&self) -> Vec<&str> {
        self.entries.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// A collection without mistakes.
    pub(super) fn get(&self, name: &str) -> Option<&CollectionPlan> {
        let entry = self.entries.iter().find(|(known, _)| known == name);
        entry.and_then(|(_, plan)| plan.as_ref())
    }

    /// True if the name stands in the file, be its collection right or wrong.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.entries.iter().any(|(known, _)| known == name)
    }

    /// Why `$key` cannot draw from a collection, if so.
    pub(super) fn key_fault(&self, name: &str) -> Option<String> {
        if !self.knows(name) {
            let known = self.names();
            return Some(format!(
                "there is no such collection; {}",
                crate::nearest::advice(name, &known)
            ));
        }
        let plan = self.get(name)?;
        if self.existing.iter().any(|existing| existing == name) {
            return Some(
                "its documents are not docstone's (`existing: true`), so their keys cannot be \
                 computed; draw with `$field_range` or `$int`"
                    .to_owned(),
            );
        }
        if plan.count == 0 {
            return Some("it has no documents: its `count` is 0".to_owned());
        }
        None
    }

    /// The names of those that are used as they are.
    pub(super) fn existing(&self) -> Vec<String> {
        self.existing.clone()
    }

    /// The plans of those that are docstone's; `None` if one has a mistake.
    pub(super) fn into_plans(self) -> Option<Vec<CollectionPlan>> {
        let ours = |(name, _): &(String, _)| !self.existing.contains(name);
        let entries = self.entries.into_iter().filter(ours);
        entries.map(|(_, plan)| plan).collect()
    }
}

/// Resolves `data`.
pub(super) fn resolve(raw: &Workload, root: &Spot<'_>) -> Collections {
    let spot = root.at("data");
    let mut entries: Vec<(String, Option<CollectionPlan>)> = Vec::new();
    let mut existing = Vec::new();
    for name in spot.keys() {
        if entries.iter().any(|(known, _)| known == name) {
            continue;
        }
        let at = spot.at(name);
        check_collection(name, &at);
        let raw = raw.data.as_ref().and_then(|data| data.get(name));
        if raw.is_some_and(|raw| raw.existing == Some(true)) {
            existing.push(name.to_owned());
        }
        let plan = raw.and_then(|raw| collection(name, raw, &at));
        entries.push((name.to_owned(), plan));
    }
    let collections = Collections {
        entries,
        existing,
        compressibilities: payload::Compressibilities::of(raw),
    };
    for (name, plan) in &collections.entries {
        if let Some(template) = plan.as_ref().and_then(|plan| plan.document.as_ref()) {
            let at = spot.at(name).at("document").at("fields");
            template::check_keys(template, &at, name, &|name| collections.key_fault(name));
        }
    }
    collections
}

fn collection(name: &str, raw: &Collection, spot: &Spot<'_>) -> Option<CollectionPlan> {
    // A number that could not be read is recorded already; the rest is checked as for any other.
    let count_is_wrong = raw.count.is_none() && spot.at("count").has_value();
    let count = raw.count.unwrap_or(u64::from(count_is_wrong));
    if count > MAX_COUNT {
        spot.at("count").fault(
            format!("`count` must be at most {MAX_COUNT}, not {count}"),
            Some("no server holds more documents".to_owned()),
        );
    }
    if raw.existing == Some(true) {
        for key in ["count", "document", "indexes", "options"] {
            if spot.at(key).exists() {
                spot.at(key).key_fault(
                    format!("`{key}` and `existing: true` contradict each other"),
                    Some(
                        "an existing collection is used as it is; leave one of them out".to_owned(),
                    ),
                );
            }
        }
    }
    let at = spot.at("document");
    let document = match &raw.document {
        Some(document) => {
            let Some(fields) = &document.fields else {
                let help = "write the fields of a document, such as `{n: {$int: {}}}`";
                at.missing("fields", help);
                return None;
            };
            let template = form(fields, count, &at.at("fields"))?;
            Some(payload::sized(template, document, &at))
        }
        None if at.exists() => return None,
        None if count > 0 && !count_is_wrong && raw.existing != Some(true) => {
            spot.at("count").key_fault(
                format!("`count` is {count}, but nothing says what the documents look like"),
                Some("add `document: {fields: {...}}`".to_owned()),
            );
            return None;
        }
        None => None,
    };
    let indexes = index::resolve(raw, &spot.at("indexes"))?;
    let options = collection_options::resolve(raw, document.as_ref(), &spot.at("options"))?;
    (!count_is_wrong).then(|| CollectionPlan {
        name: name.to_owned(),
        count,
        document,
        indexes,
        options,
    })
}

/// The documents' template, `_id` first.
fn form(fields: &Value, count: u64, spot: &Spot<'_>) -> Option<Template> {
    let template = template::document(fields, spot, Context::Document)?;
    let template = with_id_first(template);
    check_size(&template, spot);
    check_id_type(&template, spot);
    if count > 0 {
        check_loaded(&template, count, spot);
        check_id(&template, count, spot);
    }
    Some(template)
}

/// Puts `_id` first, as the server does; an `ObjectId` where there is none.
pub(super) fn with_id_first(template: Template) -> Template {
    let Template::Document(mut fields) = template else {
        return template;
    };
    let id = match fields.iter().position(|(name, _)| name == "_id") {
        Some(at) => fields.remove(at),
        None => (
            "_id".to_owned(),
            Template::Generator(Generator::ObjectId {}),
        ),
    };
    fields.insert(0, id);
    Template::Document(fields)
}

/// Records a document that can become larger than the server takes.
pub(super) fn check_size(template: &Template, spot: &Spot<'_>) {
    let bytes = largest(template);
    if bytes > DOCUMENT_MAX_BYTES {
        spot.fault(
            format!(
                "a document has up to {bytes} bytes of BSON, more than MongoDB's limit of \
                 {DOCUMENT_MAX_BYTES}"
            ),
            Some("make its strings shorter, or spread it over several documents".to_owned()),
        );
    }
}

/// Records an `_id` of a type that the server refuses.
pub(super) fn check_id_type(template: &Template, spot: &Spot<'_>) {
    let refused = match template.field("_id") {
        Some(Template::Array(_)) => true,
        Some(Template::Constant(value)) => matches!(
            value,
            Bson::Array(_) | Bson::RegularExpression(_) | Bson::Undefined
        ),
        _ => false,
    };
    if refused {
        spot.at("_id").fault(
            "an `_id` cannot be a list, a regular expression or undefined",
            Some(ID_HELP.to_owned()),
        );
    }
}

const ID_HELP: &str = "use $sequence, $object_id or $uuid";

/// Records generators that cannot stand in documents that are loaded before the load starts.
fn check_loaded(template: &Template, count: u64, spot: &Spot<'_>) {
    template::each_generator(template, spot, &mut |generator, at| match generator {
        Generator::Sequence { start, step } => {
            let last = i128::from(*start) + i128::from(*step) * i128::from(count - 1);
            if i64::try_from(last).is_err() {
                let message = format!("the last of {count} values would not fit 64 bits");
                at.fault(message, Some("make `step` or `count` smaller".to_owned()));
            }
        }
        Generator::Worker {}
        | Generator::WorkerSequence {}
        | Generator::FieldRange { .. }
        | Generator::Captured { .. } => {
            at.fault(
                "this has no value in documents that are loaded before the load starts",
                Some("give the insert a `document` of its own, or set `count` to 0".to_owned()),
            );
        }
        _ => {}
    });
}

/// The `_id` of loaded documents must be a function of the document's number: it is drawn again
/// by `$key`, and computed again when what is missing is loaded.
fn check_id(template: &Template, count: u64, spot: &Spot<'_>) {
    let Some(id) = template.field("_id") else {
        return;
    };
    let at = spot.at("_id");
    let mut drawn = false;
    // How many keys there are to draw from; `None` where each document has its own.
    let mut keys = Some(1.0_f64);
    template::each_generator(id, &at, &mut |generator, at| {
        drawn = true;
        keys = keys
            .zip(values(generator))
            .map(|(keys, values)| keys * values);
        // These have their own message.
        let under_load = matches!(
            generator,
            Generator::Worker {}
                | Generator::WorkerSequence {}
                | Generator::FieldRange { .. }
                | Generator::Captured { .. }
                | Generator::Payload(_)
        );
        if !generator.is_reproducible() && !under_load {
            at.fault(
                "this cannot be the `_id` of loaded documents: it does not follow from the \
                 document's number",
                Some(ID_HELP.to_owned()),
            );
        }
    });
    if !drawn && count > 1 {
        at.fault(
            format!("{count} documents cannot have the same `_id`"),
            Some(ID_HELP.to_owned()),
        );
    }
    if let Some(keys) = keys
        && drawn
        && collision(count, keys) > COLLISION_MAX
    {
        at.fault(
            format!(
                "two of {count} documents can get the same `_id`: it is drawn at random from {}",
                if keys == 0.0 {
                    "a distribution that favours some values".to_owned()
                } else if keys < 1e15 {
                    format!("{keys} values")
                } else {
                    format!("about {keys:.0e} values")
                }
            ),
            Some(ID_HELP.to_owned()),
        );
    }
}

/// A collision of keys as likely as this is taken for one that does not happen.
const COLLISION_MAX: f64 = 1e-6;

/// How likely two of so many documents have the same key (for small values; above, more than 1).
#[expect(
    clippy::cast_precision_loss,
    reason = "a likelihood needs no exact counts"
)]
fn collision(count: u64, keys: f64) -> f64 {
    let count = count as f64;
    count * (count - 1.0) / 2.0 / keys
}

/// How many values a generator draws from, 0 where it favours some; `None` where it repeats none,
/// or has its own message.
#[expect(
    clippy::cast_precision_loss,
    reason = "a likelihood needs no exact counts"
)]
fn values(generator: &Generator) -> Option<f64> {
    match generator {
        Generator::Int { distribution, .. } if *distribution != Distribution::Uniform => Some(0.0),
        Generator::Int { min, max, .. } => Some((i128::from(*max) - i128::from(*min) + 1) as f64),
        Generator::String { length } => Some(62.0_f64.powf(f64::from(*length))),
        other => match other.plain()?.values() {
            // Less than a few: some are favoured.
            few if few <= 2.0 => Some(0.0),
            values => Some(values),
        },
    }
}
