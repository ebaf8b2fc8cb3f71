//! An index and what makes it one of its kind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexPlan {
    /// Fields in order with their direction (1 or -1) or kind (`text`, `hashed`, `2dsphere`).
    pub keys: Vec<(String, serde_json::Value)>,
    /// No two documents may have equal keys.
    pub unique: bool,
    /// Documents without the fields are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sparse: bool,
    /// Documents are removed so many seconds after the date in the index's field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expire_after_s: Option<u32>,
    /// Only documents that match this are in the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<serde_json::Value>,
    /// How strings compare, such as `{locale: en, strength: 2}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<serde_json::Value>,
    /// When it is built.
    #[serde(default, skip_serializing_if = "IndexBuild::is_after")]
    pub build: IndexBuild,
}

/// When an index is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndexBuild {
    /// When all documents are loaded: quicker, and the index is as small as it can be.
    #[default]
    AfterLoad,
    /// Before the first document: the index is like one that has grown with the data.
    BeforeLoad,
}

impl IndexBuild {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::AfterLoad => "after_load",
            Self::BeforeLoad => "before_load",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    fn is_after(&self) -> bool {
        *self == Self::AfterLoad
    }
}

impl IndexPlan {
    /// The server's default name for this index, such as `customer_1_at_-1`.
    pub fn name(&self) -> String {
        let part = |(field, kind): &(String, serde_json::Value)| match kind {
            serde_json::Value::String(kind) => format!("{field}_{kind}"),
            kind => format!("{field}_{kind}"),
        };
        self.keys.iter().map(part).collect::<Vec<_>>().join("_")
    }
}
