//! What an operation consists of, whatever its kind: the one place that tells the kinds apart for
//! all that is not the call itself.

use super::{Limits, OperationKind, OperationPlan, pipeline};
use crate::template::Template;

/// What an operation consists of. Whoever asks for parts needs no change when a kind is added.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, and most combinations are some kind"
)]
pub struct Parts<'a> {
    /// The name of the kind in files, such as `find_one`.
    pub name: &'static str,
    /// Which documents match; `None` where nothing is looked for.
    pub filter: Option<&'a Template>,
    /// What it sends besides the filter.
    pub payload: Payload<'a>,
    /// Further templates, by their keys in files: `array_filters`, `pipeline`.
    pub arguments: Vec<(&'static str, &'a Template)>,
    /// What is returned of the documents that match; `None` where no document is returned.
    pub limits: Option<&'a Limits>,
    /// The options that it takes, by their keys in files.
    pub options: &'static [&'static str],
    /// Operations that it consists of; none where it is one call.
    pub calls: &'a [OperationPlan],
    /// It reads documents or their number.
    pub reads: bool,
    /// New documents of one call, 0 for what inserts at most by `upsert`.
    pub inserts: u32,
    /// It changes documents that match.
    pub updates: bool,
    /// It removes documents that match.
    pub removes: bool,
    /// It inserts where no document matches.
    pub upserts: bool,
    /// It writes to another collection than that of the plan, such as by `$out`.
    pub writes_elsewhere: bool,
}

/// The options of reads; `distinct` takes all but the first.
const READ: [&str; 6] = [
    "hint",
    "collation",
    "max_time",
    "comment",
    "read_concern",
    "read_preference",
];

/// What an operation sends besides its filter.
#[derive(Clone, Copy, Debug)]
pub enum Payload<'a> {
    /// Nothing.
    None,
    /// A new document.
    Insert(&'a Template),
    /// A document without `_id`, put in place of another.
    Replacement(&'a Template),
    /// Update operators, or a list of stages.
    Update(&'a Template),
}

impl<'a> Payload<'a> {
    /// The template, where there is one.
    pub fn template(self) -> Option<&'a Template> {
        match self {
            Self::None => None,
            Self::Insert(template) | Self::Replacement(template) | Self::Update(template) => {
                Some(template)
            }
        }
    }

    /// The key under which it stands in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Update(_) => "update",
            Self::None | Self::Insert(_) | Self::Replacement(_) => "document",
        }
    }
}

impl OperationKind {
    /// What the operation consists of.
    #[expect(clippy::too_many_lines, reason = "a table with an entry for each kind")]
    pub fn parts(&self) -> Parts<'_> {
        match self {
            Self::InsertOne { document } => Parts::new("insert_one").inserts(document, 1),
            Self::InsertMany {
                document, count, ..
            } => Parts::new("insert_many").inserts(document, *count),
            Self::BulkWrite { writes, .. } => Parts {
                options: &["write_concern"],
                calls: writes,
                ..Parts::new("bulk_write")
            },
            Self::Transaction { operations, .. } => Parts {
                calls: operations,
                ..Parts::new("transaction")
            },
            Self::Connect {} => Parts {
                options: &["read_preference"],
                ..Parts::new("connect")
            },
            Self::Command { command, .. } => Parts {
                options: &["read_preference"],
                ..Parts::new("command").with("command", Some(command))
            },
            Self::FindOne { filter, options } => Parts::new("find_one").returns(filter, options),
            Self::FindMany { filter, options } => Parts::new("find_many").returns(filter, options),
            Self::Count { filter } => Parts::new("count").reads(filter),
            Self::CountDocuments { filter } => Parts::new("count_documents").reads(filter),
            Self::EstimatedCount {} => Parts {
                options: &["max_time", "comment", "read_concern", "read_preference"],
                reads: true,
                ..Parts::new("estimated_count")
            },
            Self::Distinct { filter, .. } => Parts {
                options: &READ[1..],
                ..Parts::new("distinct").reads(filter)
            },
            Self::Aggregate { pipeline, .. } => Parts {
                options: &READ,
                reads: true,
                writes_elsewhere: pipeline::touched(pipeline).iter().any(|touch| touch.writes),
                ..Parts::new("aggregate").with("pipeline", Some(pipeline))
            },
            Self::UpdateOne {
                filter,
                update,
                upsert,
                array_filters,
            } => Parts::new("update_one")
                .updates(filter, Payload::Update(update), *upsert)
                .with("array_filters", array_filters.as_ref()),
            Self::UpdateMany {
                filter,
                update,
                upsert,
                array_filters,
            } => Parts::new("update_many")
                .updates(filter, Payload::Update(update), *upsert)
                .with("array_filters", array_filters.as_ref()),
            Self::ReplaceOne {
                filter,
                document,
                upsert,
            } => Parts::new("replace_one").updates(filter, Payload::Replacement(document), *upsert),
            Self::FindOneAndUpdate {
                filter,
                update,
                upsert,
                array_filters,
                options,
                ..
            } => Parts::new("find_one_and_update")
                .returns(filter, options)
                .updates(filter, Payload::Update(update), *upsert)
                .with("array_filters", array_filters.as_ref()),
            Self::FindOneAndReplace {
                filter,
                document,
                upsert,
                options,
                ..
            } => Parts::new("find_one_and_replace")
                .returns(filter, options)
                .updates(filter, Payload::Replacement(document), *upsert),
            Self::FindOneAndDelete { filter, options } => Parts::new("find_one_and_delete")
                .returns(filter, options)
                .removes(filter),
            Self::DeleteOne { filter } => Parts::new("delete_one").removes(filter),
            Self::DeleteMany { filter } => Parts::new("delete_many").removes(filter),
        }
    }
}

impl<'a> Parts<'a> {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            filter: None,
            payload: Payload::None,
            arguments: Vec::new(),
            limits: None,
            calls: &[],
            options: &[],
            reads: false,
            inserts: 0,
            updates: false,
            removes: false,
            upserts: false,
            writes_elsewhere: false,
        }
    }

    fn inserts(self, document: &'a Template, documents: u32) -> Self {
        Self {
            options: &["comment", "write_concern"],
            payload: Payload::Insert(document),
            inserts: documents,
            ..self
        }
    }

    /// Those of a write that returns a document, or of one that returns none.
    fn options_of_a_write(&self) -> &'static [&'static str] {
        if self.reads {
            &["hint", "collation", "max_time", "comment", "write_concern"]
        } else {
            &["hint", "collation", "comment", "write_concern"]
        }
    }

    fn with(mut self, key: &'static str, template: Option<&'a Template>) -> Self {
        self.arguments
            .extend(template.map(|template| (key, template)));
        self
    }

    fn reads(self, filter: &'a Template) -> Self {
        Self {
            options: &READ,
            filter: Some(filter),
            reads: true,
            ..self
        }
    }

    fn returns(self, filter: &'a Template, limits: &'a Limits) -> Self {
        Self {
            limits: Some(limits),
            ..self.reads(filter)
        }
    }

    fn updates(self, filter: &'a Template, payload: Payload<'a>, upserts: bool) -> Self {
        Self {
            options: self.options_of_a_write(),
            filter: Some(filter),
            payload,
            updates: true,
            upserts,
            ..self
        }
    }

    fn removes(self, filter: &'a Template) -> Self {
        Self {
            options: self.options_of_a_write(),
            filter: Some(filter),
            removes: true,
            ..self
        }
    }
}
