//! What an operation asks of the server beside what it calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::target::WriteConcern;

/// The modes of read preferences.
pub const READ_PREFERENCES: [&str; 5] = [
    "primary",
    "primaryPreferred",
    "secondary",
    "secondaryPreferred",
    "nearest",
];

/// Options of one call; what is `None` is not sent, or is that of the target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CallOptions {
    /// The index to use: its name, or its keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Value>,
    /// How text is compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collation: Option<Value>,
    /// The server's limit for it, in nanoseconds, a multiple of 1,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time_ns: Option<u64>,
    /// A text for the server's log and profiler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The level of its read concern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_concern: Option<String>,
    /// Its write concern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_concern: Option<WriteConcern>,
    /// The mode of its read preference, one of [`READ_PREFERENCES`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_preference: Option<String>,
}

impl CallOptions {
    /// True if nothing is asked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
