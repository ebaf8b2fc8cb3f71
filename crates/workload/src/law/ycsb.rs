//! The laws of YCSB's core workload, so that the same records are as hot here as there.
//!
//! They are what YCSB's own generators compute, also where that is not the law of their name: its
//! zipfian draws ranks beyond the second by a power, which is up to 17 % off, and its scrambled one
//! is always one of 10^10 ranks, hashed into the range.

use super::{float, whole};
use crate::draw::Draw;

/// The exponent; YCSB has no other.
const THETA: f64 = 0.99;

/// The ranks of the scrambled law, before they are hashed.
const SCRAMBLED_RANKS: u64 = 10_000_000_001;

/// `zeta(10^10)` as YCSB has it; its sum was rounded on the way (the true one ends in 1751).
const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;

/// So many draws may be of documents that are not there; then one that is there is taken. There are
/// more only where the room for inserts is hundreds of times what was loaded.
const TRIES: u32 = 10_000;

/// Below so many terms the sum is added up, from there on its expansion is exact enough.
const SUMMED: u64 = 100;

/// The 64-bit FNV-1a hash of a number's bytes, least significant first, without its sign: what YCSB
/// makes of a record's number for its key and for scrambling.
pub(crate) fn fnv_hash(number: u64) -> u64 {
    let hash = number
        .to_le_bytes()
        .iter()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(1_099_511_628_211)
        });
    hash.cast_signed().unsigned_abs()
}

/// `sum of 1 / i^theta` for i from 1 to n, for a number of terms that may grow at each draw.
///
/// By the Euler-Maclaurin formula (D. E. Knuth, "The Art of Computer Programming", volume 1,
/// 1.2.11.2), whose constant is found from a short sum.
#[derive(Clone, Copy, Debug)]
struct Zeta {
    constant: f64,
}

impl Zeta {
    fn new() -> Self {
        let constant = summed(SUMMED) - expansion(float(SUMMED));
        Self { constant }
    }

    fn of(self, n: u64) -> f64 {
        if n < SUMMED {
            summed(n)
        } else {
            self.constant + expansion(float(n))
        }
    }
}

fn summed(n: u64) -> f64 {
    (1..=n).map(|i| float(i).powf(-THETA)).sum()
}

/// All of the sum that changes with n.
fn expansion(n: f64) -> f64 {
    let height = n.powf(-THETA);
    let third = THETA * (THETA + 1.0) * (THETA + 2.0);
    n * height / (1.0 - THETA) + height / 2.0 - THETA * height / n / 12.0
        + third * height / n.powi(3) / 720.0
}

/// A zipfian law of one number of ranks.
#[derive(Clone, Copy, Debug)]
struct Ranks {
    n: f64,
    zeta: f64,
    eta: f64,
}

impl Ranks {
    fn new(n: u64, zeta: f64) -> Self {
        let n = float(n);
        // Of fewer than two ranks the second is not drawn.
        let eta = (1.0 - (2.0 / n).powf(1.0 - THETA)) / (1.0 - summed(2) / zeta);
        Self { n, zeta, eta }
    }

    /// The rank, from 0, that a number from 0 to below 1 stands for.
    fn rank(&self, unit: f64) -> u64 {
        let at = unit * self.zeta;
        if at < 1.0 {
            return 0;
        }
        if at < 1.0 + 0.5_f64.powf(THETA) {
            return 1;
        }
        let alpha = 1.0 / (1.0 - THETA);
        whole(self.n * (self.eta * unit - self.eta + 1.0).powf(alpha))
    }
}

/// `zipfian`: one of 10^10 ranks, hashed into a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scrambled {
    ranks: Ranks,
    range: u64,
}

impl Scrambled {
    /// Over `documents` and `spare` more. YCSB has one too many, and keeps room for inserts.
    pub(super) fn new(documents: u64, spare: u64) -> Self {
        Self {
            ranks: Ranks::new(SCRAMBLED_RANKS, SCRAMBLED_ZETA),
            range: documents.saturating_add(spare).saturating_add(1),
        }
    }

    fn of(&self, unit: f64) -> u64 {
        fnv_hash(self.ranks.rank(unit)) % self.range
    }

    /// Draws again what is not there yet.
    pub(super) fn position(&self, documents: u64, draw: &mut Draw) -> u64 {
        let mut draws = (0..TRIES).map(|_| self.of(draw.unit()));
        let there = draws.find(|position| *position < documents);
        there.unwrap_or_else(|| draw.below(documents))
    }
}

/// `latest`: zipfian from the newest document back, the oldest left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latest {
    zeta: Zeta,
    last: Ranks,
    documents: u64,
}

impl Latest {
    /// Over so many documents, as long as there are no more.
    pub(super) fn new(documents: u64) -> Self {
        let zeta = Zeta::new();
        let last = Self::ranks(zeta, documents);
        Self {
            zeta,
            last,
            documents,
        }
    }

    fn ranks(zeta: Zeta, documents: u64) -> Ranks {
        let n = documents.saturating_sub(1).max(1);
        Ranks::new(n, zeta.of(n))
    }

    fn of(&self, documents: u64, unit: f64) -> u64 {
        let grown;
        let ranks = if documents == self.documents {
            &self.last
        } else {
            grown = Self::ranks(self.zeta, documents);
            &grown
        };
        // Of one or two documents the second rank would lie before the oldest.
        (documents - 1).saturating_sub(ranks.rank(unit))
    }

    pub(super) fn position(&self, documents: u64, draw: &mut Draw) -> u64 {
        self.of(documents, draw.unit())
    }
}

/// `exponential`: from the newest document back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponential {
    gamma: f64,
}

impl Exponential {
    /// The share `draws` of the draws falls on the share `keys` of the documents that there are at
    /// the start.
    pub(super) fn new(keys: f64, draws: f64, documents: u64) -> Self {
        Self {
            gamma: -(-draws).ln_1p() / (keys * float(documents)),
        }
    }

    /// How far back from the newest.
    fn of(self, unit: f64) -> f64 {
        -unit.ln() / self.gamma
    }

    /// Draws again what would lie before the first.
    pub(super) fn position(self, documents: u64, draw: &mut Draw) -> u64 {
        loop {
            // The logarithm of 0 is no number to go back by.
            let back = self.of(1.0 - draw.unit());
            if back < float(documents) {
                return (documents - 1).saturating_sub(whole(back));
            }
        }
    }
}

#[cfg(test)]
mod tests;
