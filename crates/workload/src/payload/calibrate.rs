//! Tuning of the text until the messages have the ratio that was asked for.
//!
//! What decides is not how well the text compresses but what is left of the whole message, with
//! its command, its other fields and the few hundred bytes that the driver adds. So the search
//! makes real messages, compresses each on its own as the driver does, and compares sums.

use std::sync::Arc;

use super::codec::{Codec, compress};
use super::pool::{Pool, Style};
use crate::draw::StreamKey;

/// How far from the target the ratio of fresh messages may be, as a part of the target.
pub const TOLERANCE: f64 = 0.05;

/// Where the search ends before its last step, as a part of the target.
const CLOSE: f64 = 0.01;

/// Halvings of the range of richness, which then is known to 3 / 2^18.
const STEPS: u64 = 18;

/// The richest text.
const RICHEST: f64 = 3.0;

/// Messages are measured in samples of at least this size, in bytes, where they are small.
const SAMPLE_BYTES: u64 = 256 * 1024;

/// A sample is four messages up to this size, in bytes, and at least one above it.
const LARGE_SAMPLE_BYTES: u64 = 4 * 1024 * 1024;

/// As much of each message is compressed in the search, in bytes: no compressor looks back further
/// (zstd at level 3 2 MiB), so the rest has the same ratio.
const LONGEST_BYTES: usize = 4 * 1024 * 1024;

/// The size of the sample that the result is verified on, in bytes.
const FRESH_BYTES: u64 = 1024 * 1024;

/// The messages that are to have a ratio.
pub trait Messages {
    /// The size of one message without its header, in bytes.
    fn unit_bytes(&self) -> u64;

    /// The most bytes of payload that a document in them has.
    fn payload_bytes(&self) -> u64;

    /// Calls `each` with messages 0 to `count - 1`, whose text is cut from this pool.
    fn write(&self, pool: &Arc<Pool>, count: u64, each: &mut dyn FnMut(&[u8]));
}

/// How many times smaller compressors make messages: uncompressed bytes by compressed bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratios {
    /// Snappy.
    pub snappy: f64,
    /// zlib at level 6.
    pub zlib: f64,
    /// zstd at level 3.
    pub zstd: f64,
}

/// A style of text with which messages have the ratio that was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// The style.
    pub style: Style,
    /// The ratios of fresh messages.
    pub ratios: Ratios,
}

/// Why messages cannot have a ratio.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Unreached {
    /// No text gives it to messages of this size with these fields.
    #[error(
        "messages of {unit_bytes} bytes with these fields reach ratios from {low:.2} to {high:.2}"
    )]
    OutOfReach {
        /// The size of a message.
        unit_bytes: u64,
        /// The ratio with text that hardly compresses.
        low: f64,
        /// The ratio with text that repeats itself most.
        high: f64,
    },
    /// The ratio changes too much from message to message.
    #[error("fresh messages of {unit_bytes} bytes had a ratio of {reached:.2}, more than 5 % off")]
    Unsteady {
        /// The size of a message.
        unit_bytes: u64,
        /// The ratio of fresh messages.
        reached: f64,
    },
}

/// Finds the text with which messages have a zstd ratio (level 3) of `target`, by halving the
/// range of richness, and verifies it on fresh messages.
///
/// # Errors
/// If fresh messages are more than 5 % off, with what can be reached.
pub fn calibrate(
    messages: &dyn Messages,
    target: f64,
    key: StreamKey,
) -> Result<Calibration, Unreached> {
    let unit_bytes = messages.unit_bytes().max(1);
    let window = (unit_bytes / 4).clamp(256, 8_192);
    let style = |richness| Style::Text { richness, window };
    let sample = (4 * unit_bytes).clamp(SAMPLE_BYTES, LARGE_SAMPLE_BYTES.max(unit_bytes));
    // Two texts for each richness: one may be untypical.
    let ratio = |step: u64, richness: f64| {
        let one = |text| zstd_ratio(messages, style(richness), key.word(step).word(text), sample);
        f64::midpoint(one(0), one(1))
    };
    let (mut low, mut high) = (0.0, RICHEST);
    let mut richness = f64::midpoint(low, high);
    for step in 0..STEPS {
        let reached = ratio(step, richness);
        if (reached / target - 1.0).abs() < CLOSE {
            break;
        }
        if reached < target {
            low = richness;
        } else {
            high = richness;
        }
        richness = f64::midpoint(low, high);
    }
    let ratios = measure(messages, style(richness), key.word(STEPS));
    if (ratios.zstd / target - 1.0).abs() <= TOLERANCE {
        return Ok(Calibration {
            style: style(richness),
            ratios,
        });
    }
    let (low, high) = (ratio(STEPS + 1, 0.0), ratio(STEPS + 2, RICHEST));
    Err(if (low..=high).contains(&target) {
        Unreached::Unsteady {
            unit_bytes,
            reached: ratios.zstd,
        }
    } else {
        Unreached::OutOfReach {
            unit_bytes,
            low,
            high,
        }
    })
}

/// The ratios of 1 MiB of messages with text of this style, or of one message that is larger.
pub fn measure(messages: &dyn Messages, style: Style, key: StreamKey) -> Ratios {
    let codecs = [Codec::Snappy, Codec::ZLIB, Codec::ZSTD];
    let [snappy, zlib, zstd] = of_sample(messages, style, key, (FRESH_BYTES, usize::MAX), codecs);
    Ratios { snappy, zlib, zstd }
}

fn zstd_ratio(messages: &dyn Messages, style: Style, key: StreamKey, sample_bytes: u64) -> f64 {
    let [zstd] = of_sample(
        messages,
        style,
        key,
        (sample_bytes, LONGEST_BYTES),
        [Codec::ZSTD],
    );
    zstd
}

/// The ratios of a sample of messages, of each as much as is asked for. Its pool is as large as the sample, so that no text stands
/// in it twice.
fn of_sample<const N: usize>(
    messages: &dyn Messages,
    style: Style,
    key: StreamKey,
    (sample_bytes, longest_bytes): (u64, usize),
    codecs: [Codec; N],
) -> [f64; N] {
    let unit_bytes = messages.unit_bytes().max(1);
    let count = sample_bytes.div_ceil(unit_bytes);
    let ring = count * unit_bytes.max(messages.payload_bytes());
    let pool = Arc::new(Pool::new(style, key, ring, messages.payload_bytes()));
    let (mut raw, mut packed) = (0_u64, [0_u64; N]);
    messages.write(&pool, count, &mut |message| {
        let message = &message[..message.len().min(longest_bytes)];
        raw += message.len() as u64;
        for (sum, codec) in packed.iter_mut().zip(codecs) {
            let compressed =
                compress(codec, message).expect("a known level and a message that fits");
            *sum += compressed.len() as u64;
        }
    });
    packed.map(|packed| raw as f64 / packed.max(1) as f64)
}

#[cfg(test)]
mod tests;
