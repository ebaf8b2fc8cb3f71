//! The generators: what can stand in a template for a drawn value.

mod arguments;
mod binary;
mod boolean;
mod date;
mod decimal;
mod double;
mod one_of;
mod person;
mod point;
mod words;

use serde::{Deserialize, Serialize};

use super::distribution::{Distribution, KeyDistribution, WorkingSet};
use super::payload::Payload;

pub use arguments::Arguments;
pub use binary::Binary;
pub use boolean::Boolean;
pub use date::Date;
pub use decimal::Decimal;
pub use double::Double;
pub use one_of::OneOf;
pub use person::{Address, Email, LONGEST_PERSON, Name};
pub use point::Point;
pub use words::{LONGEST_WORD, WORDS, Words};

/// The generators' names, as they stand in files.
pub const GENERATORS: [&str; 23] = [
    "$sequence",
    "$int",
    "$string",
    "$uuid",
    "$object_id",
    "$now",
    "$key",
    "$worker",
    "$worker_sequence",
    "$field_range",
    "$captured",
    "$payload",
    "$double",
    "$decimal",
    "$bool",
    "$date",
    "$binary",
    "$words",
    "$name",
    "$email",
    "$address",
    "$point",
    "$one_of",
];

/// One generator with its arguments; every argument is optional in files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Generator {
    /// `start + n * step` as a 64-bit integer, where n is the document's number. In `_id` of an
    /// insert it goes on after the largest `_id` that is there.
    #[serde(rename = "$sequence")]
    Sequence {
        /// The first value.
        #[serde(default)]
        start: i64,
        /// The distance of two values.
        #[serde(default = "one")]
        step: i64,
    },
    /// An integer between `min` and `max`, both included.
    #[serde(rename = "$int")]
    Int {
        /// The smallest value.
        #[serde(default)]
        min: i64,
        /// The largest value.
        #[serde(default = "int_max")]
        max: i64,
        /// How it is drawn.
        #[serde(default)]
        distribution: Distribution,
        /// The BSON type; by default `int` where both bounds fit 32 bits, else `long`.
        #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
        int_type: Option<IntType>,
    },
    /// Characters from 0-9, A-Z, a-z, each with the same probability.
    #[serde(rename = "$string")]
    String {
        /// Characters (and bytes).
        #[serde(default = "string_length")]
        length: u32,
    },
    /// A random UUID (version 4) as BSON binary, subtype 4.
    #[serde(rename = "$uuid")]
    Uuid {},
    /// An `ObjectId` that rises with the document's number.
    #[serde(rename = "$object_id")]
    ObjectId {},
    /// The current time in UTC, in milliseconds.
    #[serde(rename = "$now")]
    Now {},
    /// The `_id` of a document of the collection's data plan, or of one that the load inserted.
    #[serde(rename = "$key")]
    Key {
        /// How the document is drawn.
        #[serde(default)]
        distribution: KeyDistribution,
        /// The collection; by default the operation's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        collection: Option<std::string::String>,
        /// The part of the documents that is drawn from; by default all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        working_set: Option<WorkingSet>,
        /// Whether documents that the load has inserted are drawn as well; by default only by
        /// `latest`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inserted: Option<bool>,
    },
    /// The worker's number within its group, from 1, as a 32-bit integer. Which worker takes an
    /// operation depends on timing.
    #[serde(rename = "$worker")]
    Worker {},
    /// How often this worker has drawn this value in this step, from 1, as a 64-bit integer.
    #[serde(rename = "$worker_sequence")]
    WorkerSequence {},
    /// A 64-bit integer between the smallest and the largest value that a field has when the step
    /// begins, both included; 0 where the collection is empty.
    #[serde(rename = "$field_range")]
    FieldRange {
        /// The field, such as `_id`.
        #[serde(default = "id_field")]
        field: std::string::String,
    },
    /// The value that a step before captured, with its type.
    #[serde(rename = "$captured")]
    Captured {
        /// Its name.
        name: std::string::String,
    },
    /// Text of a chosen compressibility, of a length or as much as a document's size leaves.
    #[serde(rename = "$payload")]
    Payload(Payload),
    /// A floating point number.
    #[serde(rename = "$double")]
    Double(Double),
    /// A decimal number of 128 bits.
    #[serde(rename = "$decimal")]
    Decimal(Decimal),
    /// True or false.
    #[serde(rename = "$bool")]
    Bool(Boolean),
    /// A time.
    #[serde(rename = "$date")]
    Date(Date),
    /// Random bytes.
    #[serde(rename = "$binary")]
    Binary(Binary),
    /// Words.
    #[serde(rename = "$words")]
    Words(Words),
    /// The name of a person.
    #[serde(rename = "$name")]
    Name(Name),
    /// An e-mail address.
    #[serde(rename = "$email")]
    Email(Email),
    /// A postal address.
    #[serde(rename = "$address")]
    Address(Address),
    /// A place on the globe.
    #[serde(rename = "$point")]
    Point(Point),
    /// One of some constants.
    #[serde(rename = "$one_of")]
    OneOf(OneOf),
}

/// The BSON type of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntType {
    /// 32 bits.
    Int,
    /// 64 bits.
    Long,
}

fn one() -> i64 {
    1
}

fn int_max() -> i64 {
    i64::from(i32::MAX)
}

fn string_length() -> u32 {
    16
}

fn id_field() -> std::string::String {
    "_id".to_owned()
}

impl Generator {
    /// What is wrong with the arguments, if anything.
    pub fn fault(&self) -> Option<std::string::String> {
        match self {
            Self::Sequence { step: 0, .. } => Some("`step` must not be 0".to_owned()),
            Self::Int { min, max, .. } if min > max => {
                Some(format!("`min` ({min}) must not be above `max` ({max})"))
            }
            Self::Int {
                min,
                max,
                int_type: Some(IntType::Int),
                ..
            } if i32::try_from(*min).is_err() || i32::try_from(*max).is_err() => {
                Some("`min` and `max` must fit 32 bits for `type: int`".to_owned())
            }
            Self::Int {
                min,
                max,
                distribution,
                ..
            } => distribution.fault(*min, *max),
            Self::Key {
                distribution,
                working_set,
                inserted,
                ..
            } => {
                let working_set = working_set.as_ref().and_then(WorkingSet::fault);
                let fault = distribution.fault().or(working_set);
                fault.or_else(|| distribution.growth_fault(*inserted))
            }
            Self::String { length } if *length > 16_000_000 => {
                Some("`length` must be at most 16000000 (a document holds 16 MiB)".to_owned())
            }
            Self::Payload(payload) => payload.fault(),
            other => other.plain()?.fault(),
        }
    }

    /// The arguments of a generator whose value follows from the seed and the document's number alone,
    /// and that says itself all that is to be known of it; `None` for the others.
    pub fn plain(&self) -> Option<&dyn Arguments> {
        Some(match self {
            Self::Double(of) => of,
            Self::Decimal(of) => of,
            Self::Bool(of) => of,
            Self::Date(of) => of,
            Self::Binary(of) => of,
            Self::Words(of) => of,
            Self::Name(of) => of,
            Self::Email(of) => of,
            Self::Address(of) => of,
            Self::Point(of) => of,
            Self::OneOf(of) => of,
            _ => return None,
        })
    }

    /// True if the value is a function of the document's number and the seed alone, so that the
    /// key of a loaded document can be computed again.
    pub fn is_reproducible(&self) -> bool {
        let own = matches!(
            self,
            Self::Sequence { .. }
                | Self::Int { .. }
                | Self::String { .. }
                | Self::Uuid {}
                | Self::ObjectId {}
        );
        own || self.plain().is_some()
    }

    /// True if the value is another for each document. A UUID is drawn, but from so many that two
    /// are never the same.
    pub fn is_distinct(&self) -> bool {
        matches!(
            self,
            Self::Sequence { .. } | Self::Uuid {} | Self::ObjectId {}
        )
    }
}
