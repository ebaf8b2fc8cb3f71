//! The arguments of `$payload`: text of a chosen compressibility.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::byte_size::ByteSize;

/// The most bytes of a document: 16 MiB.
pub const DOCUMENT_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Text (or random bytes) that fills a document, or has a length of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payload {
    /// Bytes; where it is left out, the payload takes what the document's size leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<ByteSize>,
    /// The size of the whole document in which it stands; of a plan, not of a file, which says it
    /// beside `fields`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_bytes: Option<u32>,
    /// How well messages with it compress; of a plan, not of a file, which says it beside `fields`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressibility: Option<Compressibility>,
}

impl Payload {
    /// What is wrong with it, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let length = self.length.filter(|length| length.0 > DOCUMENT_MAX_BYTES);
        length.map(|_| format!("`length` must be at most {DOCUMENT_MAX_BYTES} (16 MiB)"))
    }
}

/// How well messages compress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compressibility {
    /// Their size without compression by that with zstd at level 3.
    Ratio(f64),
    /// The payload is random bytes, which do not compress.
    Random,
    /// The payload is a piece of text over and over, as simple load generators fill documents: it
    /// compresses as no real data does.
    Repeated,
}

/// Names for ratios.
const PRESETS: [(&str, f64); 3] = [("low", 1.5), ("medium", 3.0), ("high", 6.0)];

/// The names of payloads that have the ratio that they have.
const RANDOM: &str = "random";
const REPEATED: &str = "repeated";

impl Compressibility {
    /// What holds where nothing is said: `medium`.
    pub const DEFAULT: Self = Self::Ratio(3.0);

    /// Reads a ratio or a name.
    ///
    /// # Errors
    /// A fragment that says what can be written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match text {
            RANDOM => return Ok(Self::Random),
            REPEATED => return Ok(Self::Repeated),
            _ => {}
        }
        if let Some((_, ratio)) = PRESETS.iter().find(|(name, _)| *name == text) {
            return Ok(Self::Ratio(*ratio));
        }
        match text.parse::<f64>() {
            Ok(1.0) => Err("nothing is compressed at a ratio of 1: write `random`".to_owned()),
            Ok(ratio) if ratio > 1.0 && ratio <= 1_000.0 => Ok(Self::Ratio(ratio)),
            _ => Err(format!(
                "`{text}` is not a compressibility: write the zstd ratio of a message, above 1, \
                 or `low` (1.5), `medium` (3), `high` (6), `random` or `repeated`"
            )),
        }
    }

    /// The zstd ratio that is aimed at; `None` for what has the ratio that it has.
    pub fn target(self) -> Option<f64> {
        match self {
            Self::Ratio(ratio) => Some(ratio),
            Self::Random | Self::Repeated => None,
        }
    }
}

impl fmt::Display for Compressibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratio(ratio) => write!(f, "{ratio}"),
            Self::Random => f.write_str(RANDOM),
            Self::Repeated => f.write_str(REPEATED),
        }
    }
}

impl Serialize for Compressibility {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ratio(ratio) => serializer.serialize_f64(*ratio),
            Self::Random => serializer.serialize_str(RANDOM),
            Self::Repeated => serializer.serialize_str(REPEATED),
        }
    }
}

struct CompressibilityVisitor;

impl Visitor<'_> for CompressibilityVisitor {
    type Value = Compressibility;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a ratio above 1, or low, medium, high, random or repeated")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Compressibility, E> {
        Compressibility::parse(text).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, ratio: u64) -> Result<Compressibility, E> {
        self.visit_str(&ratio.to_string())
    }

    fn visit_i64<E: de::Error>(self, ratio: i64) -> Result<Compressibility, E> {
        self.visit_str(&ratio.to_string())
    }

    fn visit_f64<E: de::Error>(self, ratio: f64) -> Result<Compressibility, E> {
        self.visit_str(&ratio.to_string())
    }
}

impl<'de> Deserialize<'de> for Compressibility {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CompressibilityVisitor)
    }
}

impl schemars::JsonSchema for Compressibility {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Compressibility".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The zstd ratio of one operation's message, above 1, or a name: \
                            `low` is 1.5, `medium` 3, `high` 6, `random` does not compress, \
                            `repeated` more than real data.",
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 1, "maximum": 1000},
                {"enum": ["low", "medium", "high", "random", "repeated"]},
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_ratios() {
        for (text, ratio) in [("low", 1.5), ("medium", 3.0), ("high", 6.0), ("2.5", 2.5)] {
            assert_eq!(
                Compressibility::parse(text),
                Ok(Compressibility::Ratio(ratio))
            );
        }
        assert_eq!(
            Compressibility::parse("random"),
            Ok(Compressibility::Random)
        );
        for wrong in ["0.5", "1", "-3", "nan", "inf", "2000", "lo", ""] {
            assert!(Compressibility::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_written_reads_the_same() {
        for json in ["3.0", "\"random\"", "\"repeated\""] {
            let read: Compressibility = serde_json::from_str(json).expect("valid");
            assert_eq!(serde_json::to_string(&read).expect("plain data"), json);
        }
        let read: Compressibility = serde_json::from_str("3").expect("valid");
        assert_eq!(read, Compressibility::Ratio(3.0));
    }
}
