//! `$binary`: random bytes.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;

/// As many as a document can hold beside its other fields.
const MOST_BYTES: u32 = 16_000_000;

/// Random bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binary {
    /// How many.
    #[serde(default = "sixteen")]
    pub length: u32,
    /// What they are, as a BSON subtype; 0 is any bytes, 128 and more are one's own.
    #[serde(default)]
    pub subtype: u8,
}

fn sixteen() -> u32 {
    16
}

impl Arguments for Binary {
    fn fault(&self) -> Option<String> {
        if self.length > MOST_BYTES {
            return Some(format!(
                "`length` must be at most {MOST_BYTES} (a document holds 16 MiB)"
            ));
        }
        // The old form has a second length in front of its bytes, others a meaning of their own.
        let known = self.subtype == 0 || self.subtype == 5 || self.subtype >= 128;
        (!known).then(|| {
            "`subtype` must be 0 (any bytes), 5 (MD5) or 128 to 255 (one's own); for a UUID use \
             `$uuid`"
                .to_owned()
        })
    }

    fn largest_bytes(&self) -> u64 {
        5 + u64::from(self.length)
    }

    fn values(&self) -> f64 {
        256.0_f64.powf(self.length.into())
    }
}
