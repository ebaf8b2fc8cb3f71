//! Random streams: one for each operation and each document.
//!
//! Owns how a seed becomes numbers. What is drawn for operation 7 must not depend on who draws it
//! or on what was drawn before, so nothing here runs on from one operation to the next: each has a
//! generator of its own, xoshiro256++, whose state is computed from a tuple such as (seed,
//! "operation", group, step, number).
//!
//! The tuple is hashed word by word in two lanes of 64 bits. A step is `lane = mix((lane ^ word) +
//! G)` with the finaliser and the increment of `SplitMix64` (Steele, Lea and Flood, 2014). A step
//! is a bijection of its word, so two numbers of one stream never start from the same state. The
//! four words of the generator's state are the next two outputs of `SplitMix64` from each lane.
//! A text counts as its length and then its bytes, eight to a word, little endian.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The increment of `SplitMix64`: 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The characters of `$string`.
const CHARACTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The same for all values of six bits; the last two are none.
const BY_SIX_BITS: [u8; 64] = {
    let mut table = [0; 64];
    let (characters, _) = table.split_at_mut(CHARACTERS.len());
    characters.copy_from_slice(CHARACTERS);
    table
};

/// The finaliser of `SplitMix64`, a bijection.
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The hash of a tuple, from which a stream of draws begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamKey([u64; 2]);

impl StreamKey {
    /// The hash of a tuple that begins with the plan's seed.
    pub fn new(seed: u64) -> Self {
        // Any two words that differ serve as the lanes' beginnings.
        Self([0, 1]).word(seed)
    }

    /// The hash of this tuple with a number behind it.
    #[must_use]
    pub fn word(self, word: u64) -> Self {
        Self(self.0.map(|lane| mix((lane ^ word).wrapping_add(GOLDEN))))
    }

    /// The hash of this tuple with a text behind it.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        let bytes = text.as_bytes();
        bytes
            .chunks(8)
            .fold(self.word(bytes.len() as u64), |key, chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                key.word(u64::from_le_bytes(word))
            })
    }

    /// A 64-bit digest of the tuple.
    pub fn digest(self) -> u64 {
        self.0[0]
    }

    /// The stream of draws of this tuple.
    pub fn draw(self) -> Draw {
        let mut state = [0; 32];
        for (lane, half) in self.0.into_iter().zip(state.chunks_exact_mut(16)) {
            let first = lane.wrapping_add(GOLDEN);
            half[..8].copy_from_slice(&mix(first).to_le_bytes());
            half[8..].copy_from_slice(&mix(first.wrapping_add(GOLDEN)).to_le_bytes());
        }
        Draw(Xoshiro256PlusPlus::from_seed(state))
    }
}

/// One stream of draws.
#[derive(Clone, Debug)]
pub struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`, each with exactly the same probability; `n` is above 0. By the
    /// multiplication method with rejection (Lemire, "Fast random integer generation in an
    /// interval", 2019).
    pub fn below(&mut self, n: u64) -> u64 {
        let (mut low, mut high) = self.bits().carrying_mul(n, 0);
        if low < n {
            let threshold = n.wrapping_neg() % n;
            while low < threshold {
                (low, high) = self.bits().carrying_mul(n, 0);
            }
        }
        high
    }

    /// An integer from `min` to `max`, both included, each with exactly the same probability.
    pub fn int(&mut self, min: i64, max: i64) -> i64 {
        let span = max.wrapping_sub(min).cast_unsigned();
        let offset = match span.checked_add(1) {
            Some(values) => self.below(values),
            None => self.bits(),
        };
        min.wrapping_add_unsigned(offset)
    }

    /// A number from 0 up to but without 1, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2.0_f64.powi(-53)
    }

    /// Appends `length` characters from 0-9, A-Z, a-z. Six bits choose one of 64; the two that
    /// are no characters are drawn again, so that each of the 62 has the same probability.
    pub fn characters(&mut self, length: usize, out: &mut Vec<u8>) {
        let filled = out.len();
        out.resize(filled + length, 0);
        let mut missing = &mut out[filled..];
        while !missing.is_empty() {
            let mut bits = self.bits();
            let mut next = 0;
            for _ in 0..10 {
                if next == missing.len() {
                    break;
                }
                // Written in any case, and by the next one over what is no character: a branch
                // that goes the other way once in 32 times costs more than the write.
                let six = (bits & 63) as usize;
                missing[next] = BY_SIX_BITS[six];
                next += usize::from(six < CHARACTERS.len());
                bits >>= 6;
            }
            missing = &mut missing[next..];
        }
    }
}

#[cfg(test)]
mod tests;
