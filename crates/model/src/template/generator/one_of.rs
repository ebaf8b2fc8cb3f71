//! `$one_of`: one of some values.

use bson::Bson;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments::Arguments;
use crate::template::constant_size::constant_bytes;

/// One of some constants, which may be of different types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneOf {
    /// The values, in Extended JSON.
    pub values: Vec<Value>,
    /// How often each comes, beside the others; by default equally often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
}

impl OneOf {
    /// The values as BSON, in their order; those that have no such form are left out, which is a
    /// fault.
    pub fn constants(&self) -> Vec<Bson> {
        let values = self.values.iter().cloned();
        values
            .filter_map(|value| Bson::try_from(value).ok())
            .collect()
    }

    /// Up to which number from 0 to below 1 each value is drawn.
    pub fn shares(&self) -> Vec<f64> {
        let equal = vec![1.0; self.values.len()];
        let weights = self.weights.as_ref().unwrap_or(&equal);
        let all: f64 = weights.iter().sum();
        let mut before = 0.0;
        let share = |weight: &f64| {
            before += weight / all;
            before
        };
        weights.iter().map(share).collect()
    }
}

/// True if a generator stands in a value; Extended JSON has become another type.
fn is_drawn(value: &Bson) -> bool {
    match value {
        Bson::Document(document) => document
            .iter()
            .any(|(key, value)| super::GENERATORS.contains(&key.as_str()) || is_drawn(value)),
        Bson::Array(items) => items.iter().any(is_drawn),
        _ => false,
    }
}

impl Arguments for OneOf {
    fn fault(&self) -> Option<String> {
        if self.values.is_empty() {
            return Some("`values` must not be empty".to_owned());
        }
        let constants = self.constants();
        if constants.len() < self.values.len() || constants.iter().any(is_drawn) {
            return Some(
                "`values` are constants: nothing is drawn in them; use several operations with \
                 weights for documents of several forms"
                    .to_owned(),
            );
        }
        let weights = self.weights.as_ref()?;
        if weights.len() != self.values.len() {
            return Some(format!(
                "`weights` has {} numbers for {} values: write one for each",
                weights.len(),
                self.values.len()
            ));
        }
        let fit = weights
            .iter()
            .all(|weight| *weight >= 0.0 && weight.is_finite())
            && weights.iter().sum::<f64>() > 0.0;
        (!fit).then(|| "`weights` must be 0 or more, one of them above 0".to_owned())
    }

    fn largest_bytes(&self) -> u64 {
        let sizes = self.constants().into_iter();
        sizes.map(|value| constant_bytes(&value)).max().unwrap_or(0)
    }

    fn has_one_length(&self) -> bool {
        let constants = self.constants();
        let mut sizes = constants.iter().map(constant_bytes);
        let first = sizes.next();
        sizes.all(|size| Some(size) == first)
    }

    fn values(&self) -> f64 {
        1.0
    }
}
