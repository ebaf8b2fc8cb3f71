//! The deployment under test and how operations reach it.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::secret::MongoUri;

/// Default of [`TargetPlan::connect_timeout_ns`]: 5 s.
pub const CONNECT_TIMEOUT_NS: u64 = 5_000_000_000;

/// The deployment under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetPlan {
    /// The connection string; empty until the private server runs when `private` is set.
    pub uri: MongoUri,
    /// A mongod that docstone starts for this run, instead of `uri`.
    pub private: Option<PrivateServer>,
    /// Where `uri` or `private` came from, for people: `flag`, `DOCSTONE_URI` or `file`; empty
    /// where it is not known. No part of the plan and its hash: it changes nothing in a run.
    #[serde(skip)]
    pub from: String,
    /// The database that holds the collections.
    pub database: String,
    /// Where `database` came from: `flag`, `file`, `uri` or `default`.
    pub database_from: String,
    /// How operations reach the target.
    pub transport: Transport,
    /// Wire compression; `None` leaves it to the connection string.
    pub compressor: Option<Compressor>,
    /// Write concern; `None` leaves it to the connection string and the server's default.
    pub write_concern: Option<WriteConcern>,
    /// Connections for each group where the group sets none; `None` is its concurrency.
    pub pool: Option<u32>,
    /// New connections a second for the whole process; `None` opens them as fast as it can.
    pub connect_rate_per_s: Option<f64>,
    /// Limit for reaching the target at the start, in nanoseconds.
    pub connect_timeout_ns: u64,
    /// Accept TLS certificates that cannot be verified. Always shown in output.
    pub tls_insecure: bool,
}

impl TargetPlan {
    /// A target with every default: nothing is asked for that the connection string does not say.
    pub fn new(uri: MongoUri, database: &str) -> Self {
        Self {
            uri,
            private: None,
            from: String::new(),
            database: database.to_owned(),
            database_from: "default".to_owned(),
            transport: Transport::Auto,
            compressor: None,
            write_concern: None,
            pool: None,
            connect_rate_per_s: None,
            connect_timeout_ns: CONNECT_TIMEOUT_NS,
            tls_insecure: false,
        }
    }

    /// Options of the connection string that are not used, since docstone has a way of its own, one
    /// line each.
    pub fn unused_options(&self) -> Vec<String> {
        let there = |option: &&str| self.uri.option(option).is_some();
        let unused = ["maxPoolSize", "minPoolSize", "maxConnecting"];
        let line = |option| {
            format!(
                "{option} of the connection string is not used: connections follow the \
                 concurrency, or `pool`"
            )
        };
        unused.into_iter().filter(there).map(line).collect()
    }
}

/// A private mongod for one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivateServer {
    /// Members of the replica set, 1 to 7; 1 also for a standalone.
    pub members: u32,
    /// A standalone server instead of a replica set.
    pub standalone: bool,
    /// Keep the server and its data after the run.
    pub keep: bool,
}

/// How operations reach the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// docstone chooses; what was chosen is recorded.
    #[default]
    Auto,
    /// The official MongoDB driver.
    Driver,
}

/// Wire compression as written in files: `none`, `snappy`, `zstd[:LEVEL]`, `zlib[:LEVEL]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressor {
    /// No compression.
    None,
    /// Snappy.
    Snappy,
    /// Zstandard, level 1 to 22; `None` is the driver's default (3).
    Zstd(Option<i32>),
    /// zlib, level 0 to 9; `None` is the driver's default (6).
    Zlib(Option<i32>),
}

impl fmt::Display for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Snappy => f.write_str("snappy"),
            Self::Zstd(None) => f.write_str("zstd"),
            Self::Zlib(None) => f.write_str("zlib"),
            Self::Zstd(Some(level)) => write!(f, "zstd:{level}"),
            Self::Zlib(Some(level)) => write!(f, "zlib:{level}"),
        }
    }
}

impl FromStr for Compressor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, level) = match text.split_once(':') {
            Some((name, level)) => (name, Some(level)),
            None => (text, None),
        };
        let number = |low: i32, high: i32| match level {
            None => Ok(None),
            Some(text) => text
                .parse()
                .ok()
                .filter(|level| (low..=high).contains(level))
                .map(Some)
                .ok_or_else(|| {
                    format!("the level of {name} must be {low} to {high}, not `{text}`")
                }),
        };
        match name {
            "none" | "snappy" if level.is_some() => Err(format!("`{name}` has no level")),
            "none" => Ok(Self::None),
            "snappy" => Ok(Self::Snappy),
            "zstd" => Ok(Self::Zstd(number(1, 22)?)),
            "zlib" => Ok(Self::Zlib(number(0, 9)?)),
            _ => Err(format!(
                "unknown compressor `{text}`; one of: none, snappy, zstd[:LEVEL], zlib[:LEVEL]"
            )),
        }
    }
}

/// Write concern as written in files: a number of members, `majority`, or `journaled`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteConcern {
    /// `w: N`; 0 is unacknowledged.
    Members(u32),
    /// `w: "majority"`.
    Majority,
    /// `j: true`.
    Journaled,
}

impl fmt::Display for WriteConcern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Members(members) => write!(f, "{members}"),
            Self::Majority => f.write_str("majority"),
            Self::Journaled => f.write_str("journaled"),
        }
    }
}

impl FromStr for WriteConcern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "majority" => Ok(Self::Majority),
            "journaled" => Ok(Self::Journaled),
            _ => text
                .parse()
                .ok()
                .filter(|members| *members <= 50)
                .map(Self::Members)
                .ok_or_else(|| {
                    format!("unknown write concern `{text}`; one of: 0 to 50, majority, journaled")
                }),
        }
    }
}

/// Serialises a type by its text form, and describes it to JSON Schema as a string.
macro_rules! as_text {
    ($type:ty, $name:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
        impl JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string"})
            }
        }
    };
}
as_text!(Compressor, "Compressor");
as_text!(WriteConcern, "WriteConcern");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressors_read_as_they_are_written() {
        for text in ["none", "snappy", "zstd", "zstd:19", "zlib:0", "zlib"] {
            assert_eq!(text.parse::<Compressor>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn a_level_out_of_range_names_the_range() {
        let error = "zlib:10".parse::<Compressor>().expect_err("out of range");
        assert_eq!(error, "the level of zlib must be 0 to 9, not `10`");
        assert!("snappy:1".parse::<Compressor>().is_err());
        assert!(
            "lz4"
                .parse::<Compressor>()
                .expect_err("unknown")
                .contains("snappy")
        );
    }

    #[test]
    fn write_concerns_read_as_they_are_written() {
        for text in ["0", "1", "majority", "journaled"] {
            assert_eq!(text.parse::<WriteConcern>().expect(text).to_string(), text);
        }
        assert!("all".parse::<WriteConcern>().is_err());
    }
}
