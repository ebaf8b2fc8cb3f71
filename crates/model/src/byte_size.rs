//! Sizes as people write them: `51KB`, `16 MiB`, `1_000`.

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// A number of bytes. KB, MB and GB are powers of 1,000, KiB, MiB and GiB of 1,024.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ByteSize(pub u64);

/// The units, in the order in which messages name them.
const UNITS: [(&str, u64); 7] = [
    ("B", 1),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

impl ByteSize {
    /// Reads a size: a number of bytes, or a number with a unit whose product is whole.
    ///
    /// # Errors
    /// A fragment that says how a size is written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a size: write it like `51KB`, `16KiB` or `51_000`");
        let plain = text.trim().replace('_', "");
        let digits = plain.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = &plain[digits.len()..];
        let known = UNITS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit));
        let factor = match (unit, known) {
            ("", _) => 1,
            (_, Some((_, factor))) => *factor,
            _ => return Err(wrong()),
        };
        let digits = digits.trim_end();
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let number = |digits: &str| match digits {
            "" => Some(0),
            digits if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse::<u64>().ok(),
            _ => None,
        };
        let (Some(bytes), Some(part)) = (number(whole), number(fraction)) else {
            return Err(wrong());
        };
        if whole.is_empty() || fraction.len() > 9 {
            return Err(wrong());
        }
        let scale = 10_u64.pow(u32::try_from(fraction.len()).unwrap_or(0));
        let part = u128::from(part) * u128::from(factor);
        if !part.is_multiple_of(u128::from(scale)) {
            return Err(format!("`{text}` is no whole number of bytes"));
        }
        let bytes = u128::from(bytes) * u128::from(factor) + part / u128::from(scale);
        u64::try_from(bytes)
            .map(Self)
            .map_err(|_| format!("`{text}` is too large"))
    }
}

struct SizeVisitor;

impl Visitor<'_> for SizeVisitor {
    type Value = ByteSize;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a size such as `51KB`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ByteSize, E> {
        ByteSize::parse(text).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<ByteSize, E> {
        Ok(ByteSize(bytes))
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<ByteSize, E> {
        self.visit_str(&bytes.to_string())
    }

    fn visit_f64<E: de::Error>(self, bytes: f64) -> Result<ByteSize, E> {
        self.visit_str(&bytes.to_string())
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizeVisitor)
    }
}

impl schemars::JsonSchema for ByteSize {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByteSize".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Bytes: a number, or one with a unit, `51KB` (1,000) or `16KiB` (1,024).",
            "type": ["string", "integer"],
            "examples": ["51KB"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1000_and_of_1024() {
        for (text, bytes) in [
            ("51KB", 51_000),
            ("51 kb", 51_000),
            ("16KiB", 16_384),
            ("16 MiB", 16_777_216),
            ("1.5MB", 1_500_000),
            ("50.1KB", 50_100),
            ("1_000", 1_000),
            ("7B", 7),
            ("0", 0),
            ("2GiB", 2_147_483_648),
        ] {
            assert_eq!(ByteSize::parse(text), Ok(ByteSize(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_says_how_one_is_written() {
        for text in ["51QB", "KB", "", "-5KB", "1e3", "1..5KB", "5 K", ".5KB"] {
            let error = ByteSize::parse(text).expect_err(text);
            assert!(error.contains("write it like `51KB`"), "{error}");
        }
        let part = ByteSize::parse("1.5B").expect_err("half a byte");
        assert!(part.contains("no whole number"), "{part}");
        assert!(ByteSize::parse("99999999999GiB").is_err());
    }

    #[test]
    fn a_bare_number_is_bytes() {
        let read = |json: &str| serde_json::from_str::<ByteSize>(json);
        assert_eq!(read("51000").expect("bytes"), ByteSize(51_000));
        assert_eq!(read("\"51KB\"").expect("a size"), ByteSize(51_000));
        assert!(read("-1").is_err() && read("1.5").is_err() && read("true").is_err());
    }
}
