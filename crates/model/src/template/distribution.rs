//! How numbers and keys are drawn: the distributions, as they stand in files.
//!
//! Owns their names, arguments, and what is wrong with them. The formulas are those of the workload
//! crate.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The largest exponent of a zipfian law. Beyond it nearly all draws are the first of all.
const THETA_MAX: f64 = 10.0;

/// As many values or keys have a floating point number of their own: 2^53.
const EXACT_VALUES: i128 = 1 << 53;

/// How a number between `min` and `max` is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields, remote = "Self")]
pub enum Distribution {
    /// Each with the same probability.
    #[default]
    Uniform,
    /// The normal law, rounded to whole numbers and cut at `min` and `max`.
    Normal {
        /// Its mean, from `min` to `max`; by default the middle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<f64>,
        /// Its standard deviation, above 0 and at most `max - min`; by default a sixth of that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stddev: Option<f64>,
    },
    /// Falls exponentially from `min` on, rounded down and cut at `max`.
    Exponential {
        /// The mean distance from `min` before it is cut, above 0; by default a tenth of
        /// `max - min + 1`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<f64>,
    },
    /// The k-th value from `min` on with a probability that goes by `1 / k^theta`.
    Zipfian {
        /// The exponent, above 0 and at most 10.
        #[serde(default = "theta")]
        theta: f64,
    },
}

/// How the document is drawn whose key is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields, remote = "Self")]
pub enum KeyDistribution {
    /// Each with the same probability.
    #[default]
    Uniform,
    /// Document k (from 1) with a probability that goes by `1 / k^theta`: the first is the hottest.
    Zipfian {
        /// The exponent, above 0 and at most 10.
        #[serde(default = "theta")]
        theta: f64,
    },
    /// The same popularity, spread over all documents by a permutation that depends on their number
    /// alone.
    ScrambledZipfian {
        /// The exponent, above 0 and at most 10.
        #[serde(default = "theta")]
        theta: f64,
    },
    /// Zipfian from the newest document back, those that the load has inserted included.
    Latest {
        /// The exponent, above 0 and at most 10.
        #[serde(default = "theta")]
        theta: f64,
    },
    /// The first documents get a share of the draws, the others the rest; even within each part.
    Hotspot {
        /// The share of the documents that is hot, above 0 and at most 1.
        #[serde(default = "hot_keys")]
        keys: f64,
        /// The share of the draws that they get, above 0 and at most 1.
        #[serde(default = "hot_draws")]
        draws: f64,
    },
    /// Falls exponentially from the first document on. What would lie beyond the last is drawn again.
    Exponential {
        /// A share of the documents, above 0 and at most 1.
        #[serde(default = "exponential_keys")]
        keys: f64,
        /// The share of the draws, above 0 and below 1, that would fall on them if there were no
        /// last document.
        #[serde(default = "exponential_draws")]
        draws: f64,
    },
    /// One after the other, by the number of the operation, and again from the first.
    Sequential,
    /// What YCSB's `zipfian` draws: zipfian over 10^10 ranks, hashed into the documents and some
    /// more; one that is not there yet is drawn again. The hottest documents are those of YCSB.
    YcsbZipfian {
        /// The number of documents that there is room for beyond those that are loaded: they are
        /// drawn once the load has inserted them.
        #[serde(default)]
        spare: u64,
    },
    /// What YCSB's `latest` draws: by its own zipfian law from the newest document back.
    YcsbLatest {},
    /// What YCSB's `exponential` draws: falls exponentially from the newest document back. What would
    /// lie before the first is drawn again.
    YcsbExponential {
        /// A share of the documents, above 0 and at most 1.
        #[serde(default = "exponential_keys")]
        keys: f64,
        /// The share of the draws, above 0 and below 1, that would fall on them if there were no
        /// first document.
        #[serde(default = "exponential_draws")]
        draws: f64,
    },
}

/// The part of the documents that is drawn from, as a share above 0 and at most 1. In files a
/// number is the first ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", remote = "Self")]
pub enum WorkingSet {
    /// The first ones.
    First(f64),
    /// The newest ones.
    Last(f64),
}

fn theta() -> f64 {
    0.99
}

fn hot_keys() -> f64 {
    0.2
}

fn hot_draws() -> f64 {
    0.8
}

/// The defaults of YCSB: percentile 95, fraction 0.8571428571.
fn exponential_keys() -> f64 {
    0.857_142_857_1
}

fn exponential_draws() -> f64 {
    0.95
}

impl Distribution {
    /// What is wrong with it for whole numbers from `min` to `max`, if anything; `min` is not above
    /// `max`.
    pub fn fault(&self, min: i64, max: i64) -> Option<String> {
        let distance = i128::from(max) - i128::from(min);
        if *self != Self::Uniform && distance >= EXACT_VALUES {
            return Some(format!(
                "`distribution` other than uniform needs fewer than {EXACT_VALUES} (2^53) values; \
                 move `min` and `max` together"
            ));
        }
        let (low, high) = (exact(min.into()), exact(max.into()));
        match *self {
            Self::Normal {
                mean: Some(mean), ..
            } if !(low..=high).contains(&mean) => Some(format!(
                "`mean` must lie between `min` ({min}) and `max` ({max}), not at {mean}"
            )),
            Self::Normal {
                stddev: Some(stddev),
                ..
            } if !(stddev > 0.0 && stddev <= exact(distance)) => Some(format!(
                "`stddev` must be above 0 and at most `max` - `min` ({distance}), not {stddev}"
            )),
            Self::Exponential { mean: Some(mean) } if !(mean > 0.0 && mean.is_finite()) => {
                Some(format!("`mean` must be above 0, not {mean}"))
            }
            Self::Zipfian { theta } => theta_fault(theta),
            Self::Uniform | Self::Normal { .. } | Self::Exponential { .. } => None,
        }
    }
}

impl KeyDistribution {
    /// What is wrong with it, if anything.
    pub fn fault(&self) -> Option<String> {
        match *self {
            Self::Uniform | Self::Sequential | Self::YcsbZipfian { .. } | Self::YcsbLatest {} => {
                None
            }
            Self::Zipfian { theta } | Self::ScrambledZipfian { theta } | Self::Latest { theta } => {
                theta_fault(theta)
            }
            Self::Hotspot { keys, draws } => {
                share_fault("keys", keys).or_else(|| share_fault("draws", draws))
            }
            Self::Exponential { draws: 1.0, .. } | Self::YcsbExponential { draws: 1.0, .. } => Some(
                "`draws` must be below 1 for an exponential law; `hotspot` can have all of them"
                    .to_owned(),
            ),
            Self::Exponential { keys, draws } | Self::YcsbExponential { keys, draws } => {
                share_fault("keys", keys).or_else(|| share_fault("draws", draws))
            }
        }
    }
}

impl KeyDistribution {
    /// Whether documents that the load has inserted are drawn as well, where the file says this.
    pub fn draws_inserted(&self, asked: Option<bool>) -> bool {
        asked.unwrap_or(matches!(
            self,
            Self::Latest { .. }
                | Self::YcsbZipfian { .. }
                | Self::YcsbLatest {}
                | Self::YcsbExponential { .. }
        ))
    }

    /// What is wrong with asking for documents that the load inserts, if anything.
    pub fn growth_fault(&self, asked: Option<bool>) -> Option<String> {
        let name = match self {
            Self::ScrambledZipfian { .. } => "scrambled_zipfian",
            Self::Sequential => "sequential",
            _ => return None,
        };
        (asked == Some(true)).then(|| {
            format!(
                "`inserted` cannot be true with `{name}`, whose order is that of a fixed number of \
                 documents; leave it out, or use another distribution"
            )
        })
    }
}

impl WorkingSet {
    /// What is wrong with it, if anything.
    pub fn fault(&self) -> Option<String> {
        let (Self::First(share) | Self::Last(share)) = *self;
        share_fault("working_set", share)
    }
}

fn theta_fault(theta: f64) -> Option<String> {
    let fits = theta > 0.0 && theta <= THETA_MAX;
    (!fits).then(|| format!("`theta` must be above 0 and at most {THETA_MAX}, not {theta}"))
}

fn share_fault(name: &str, share: f64) -> Option<String> {
    let fits = share > 0.0 && share <= 1.0;
    (!fits).then(|| {
        format!("`{name}` is a share: it must be above 0 and at most 1 (all), not {share}")
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a bound of a law, where the nearest number will do"
)]
fn exact(value: i128) -> f64 {
    value as f64
}

/// The form that serde's derived code reads: a name that has arguments is a map with all of them
/// left out.
fn written<'de, D: Deserializer<'de>>(
    deserializer: D,
    without_arguments: &[&str],
) -> Result<Value, D::Error> {
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    Ok(match Value::deserialize(deserializer)? {
        Value::String(name) if !without_arguments.contains(&name.as_str()) => named(name),
        Value::Object(map) if map.len() == 1 && map.values().all(empty) => {
            let name = map.into_iter().next().map(|(name, _)| name);
            let name = name.unwrap_or_default();
            if without_arguments.contains(&name.as_str()) {
                Value::String(name)
            } else {
                named(name)
            }
        }
        other => other,
    })
}

fn named(name: String) -> Value {
    Value::Object(Map::from_iter([(name, Value::Object(Map::new()))]))
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(written(deserializer, &["uniform"])?).map_err(D::Error::custom)
    }
}

impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for KeyDistribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = written(deserializer, &["uniform", "sequential"])?;
        Self::deserialize(written).map_err(D::Error::custom)
    }
}

impl Serialize for KeyDistribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for WorkingSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(Self::First(number.as_f64().unwrap_or_default())),
            other => Self::deserialize(other).map_err(D::Error::custom),
        }
    }
}

impl Serialize for WorkingSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(value: Value) -> Result<KeyDistribution, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_is_the_distribution_with_its_defaults() {
        let zipfian = KeyDistribution::Zipfian { theta: 0.99 };
        for written in [
            json!("zipfian"),
            json!({"zipfian": {}}),
            json!({"zipfian": null}),
            json!({"zipfian": {"theta": 0.99}}),
        ] {
            assert_eq!(key(written), Ok(zipfian));
        }
        for written in [json!("sequential"), json!({"sequential": {}})] {
            assert_eq!(key(written), Ok(KeyDistribution::Sequential));
        }
        assert_eq!(
            key(json!({"hotspot": {"keys": 1}})),
            Ok(KeyDistribution::Hotspot {
                keys: 1.0,
                draws: 0.8
            })
        );
        let normal: Distribution = serde_json::from_value(json!("normal")).expect("known");
        assert_eq!(
            normal,
            Distribution::Normal {
                mean: None,
                stddev: None
            }
        );
    }

    #[test]
    fn what_is_written_reads_the_same() {
        for written in [
            json!("uniform"),
            json!("sequential"),
            json!({"latest": {"theta": 0.5}}),
            json!({"exponential": {"keys": 0.25, "draws": 0.5}}),
        ] {
            let read = key(written.clone()).expect("known");
            assert_eq!(serde_json::to_value(read).expect("writes"), written);
        }
        let set: WorkingSet = serde_json::from_value(json!(0.1)).expect("a share");
        assert_eq!(set, WorkingSet::First(0.1));
        assert_eq!(
            serde_json::to_value(set).expect("writes"),
            json!({"first": 0.1})
        );
        let set: WorkingSet = serde_json::from_value(json!({"last": 1})).expect("a share");
        assert_eq!(set, WorkingSet::Last(1.0));
    }

    #[test]
    fn unknown_names_are_answered_with_the_known_ones() {
        let error = key(json!("zipfain")).expect_err("unknown");
        assert!(
            error.starts_with("unknown variant `zipfain`, expected one of `uniform`, `zipfian`")
        );
        let error = key(json!({"zipfian": {"tetha": 1}})).expect_err("unknown");
        assert!(error.starts_with("unknown field `tetha`, expected `theta`"));
        let error = serde_json::from_value::<Distribution>(json!("latest")).expect_err("of keys");
        assert!(error.to_string().contains("`normal`"));
    }

    #[test]
    fn arguments_out_of_range_are_named_with_the_range() {
        let fault = |value: Value| key(value).expect("reads").fault().unwrap_or_default();
        for theta in [0.0, -1.0, 10.5] {
            for name in ["zipfian", "scrambled_zipfian", "latest"] {
                let text = fault(json!({name: {"theta": theta}}));
                assert!(text.starts_with("`theta` must be above 0"), "{text}");
            }
        }
        assert_eq!(fault(json!({"zipfian": {"theta": 1}})), "");
        assert!(fault(json!({"hotspot": {"keys": 0}})).starts_with("`keys` is a share"));
        assert!(fault(json!({"hotspot": {"draws": 1.1}})).starts_with("`draws` is a share"));
        assert_eq!(fault(json!({"hotspot": {"draws": 1}})), "");
        assert!(fault(json!({"exponential": {"draws": 1}})).starts_with("`draws` must be below"));
        assert!(WorkingSet::Last(1.5).fault().is_some());
        let normal = |mean, stddev| Distribution::Normal { mean, stddev };
        assert!(normal(Some(11.0), None).fault(0, 10).is_some());
        assert!(normal(None, Some(0.0)).fault(0, 10).is_some());
        assert!(normal(None, Some(11.0)).fault(0, 10).is_some());
        assert_eq!(normal(Some(10.0), Some(10.0)).fault(0, 10), None);
        assert_eq!(normal(None, None).fault(5, 5), None);
        let exponential = Distribution::Exponential { mean: Some(0.0) };
        assert!(exponential.fault(0, 10).is_some());
        let zipfian = Distribution::Zipfian { theta: 0.99 };
        assert!(zipfian.fault(i64::MIN, i64::MAX).is_some());
        assert_eq!(Distribution::Uniform.fault(i64::MIN, i64::MAX), None);
    }
}
