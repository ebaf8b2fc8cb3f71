//! `$name`, `$email` and `$address`: what documents about people hold. All are made up.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;

/// The longest value of any of them, in bytes of text.
pub const LONGEST_PERSON: usize = 48;

/// The name of a person, such as `Ada Miller`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Name {}

/// An address of the domains that exist for examples, such as `ada.miller4711@example.org`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Email {}

/// A postal address, such as `17 Mill Lane, 40213 Northfield`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Address {}

/// First and last names that there are, each.
const NAMES: f64 = 64.0;

macro_rules! person {
    ($of:ident, $values:expr) => {
        impl Arguments for $of {
            fn largest_bytes(&self) -> u64 {
                5 + LONGEST_PERSON as u64
            }

            fn has_one_length(&self) -> bool {
                false
            }

            fn values(&self) -> f64 {
                $values
            }
        }
    };
}

person!(Name, NAMES * NAMES);
person!(Email, NAMES * NAMES * 10_000.0);
person!(Address, 199.0 * 32.0 * 16.0 * 90_000.0);
