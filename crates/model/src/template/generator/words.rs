//! `$words`: words with a blank between two.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;

/// The longest word.
pub const LONGEST_WORD: usize = 9;

/// The different words that there are.
pub const WORDS: usize = 256;

/// As many as a document can hold.
const MOST: u32 = 1_000_000;

/// Some words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// At least so many.
    #[serde(default = "five")]
    pub min: u32,
    /// At most so many; by default as many as at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
}

fn five() -> u32 {
    5
}

impl Words {
    /// The most words.
    pub fn most(&self) -> u32 {
        self.max.unwrap_or(self.min)
    }
}

impl Arguments for Words {
    fn fault(&self) -> Option<String> {
        let most = self.most();
        if most > MOST {
            return Some(format!("`max` must be at most {MOST}, not {most}"));
        }
        (self.min > most).then(|| format!("`min` ({}) must not be above `max` ({most})", self.min))
    }

    fn largest_bytes(&self) -> u64 {
        let blanks = u64::from(self.most().saturating_sub(1));
        5 + u64::from(self.most()) * LONGEST_WORD as u64 + blanks
    }

    fn has_one_length(&self) -> bool {
        false
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a likelihood needs no exact counts"
    )]
    fn values(&self) -> f64 {
        (WORDS as f64).powf(self.min.into())
    }
}
