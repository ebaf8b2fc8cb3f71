//! How the document is drawn whose key is wanted.

use docstone_model::template::{KeyDistribution, WorkingSet};

use super::permutation::Permutation;
use super::ycsb;
use super::zipfian::Zipfian;
use super::{float, whole};
use crate::draw::Draw;

/// A law over the positions of documents, from the oldest, 0, to the newest.
#[derive(Clone, Debug)]
pub struct KeyLaw {
    working_set: Option<WorkingSet>,
    law: Law,
}

#[derive(Clone, Debug)]
enum Law {
    Uniform,
    Zipfian(Zipfian),
    Scrambled(Zipfian, Permutation),
    Latest(Zipfian),
    Hotspot {
        keys: f64,
        draws: f64,
    },
    /// `steepness`: how many means of the exponential law all documents are long; `share`: what it
    /// has cumulated there.
    Exponential {
        steepness: f64,
        share: f64,
    },
    Sequential,
    YcsbZipfian(ycsb::Scrambled),
    YcsbLatest(ycsb::Latest),
    YcsbExponential(ycsb::Exponential),
}

impl KeyLaw {
    /// A distribution and a working set without faults over `documents`, at least 1.
    pub fn new(
        distribution: KeyDistribution,
        working_set: Option<WorkingSet>,
        documents: u64,
    ) -> Self {
        let (_, n) = window(working_set, documents);
        let fixed = |theta| Zipfian::fixed(theta, n);
        let law = match distribution {
            KeyDistribution::Uniform => Law::Uniform,
            KeyDistribution::Zipfian { theta } => Law::Zipfian(fixed(theta)),
            KeyDistribution::ScrambledZipfian { theta } => {
                Law::Scrambled(fixed(theta), Permutation::new(n))
            }
            KeyDistribution::Latest { theta } => Law::Latest(fixed(theta)),
            KeyDistribution::Hotspot { keys, draws } => Law::Hotspot { keys, draws },
            KeyDistribution::Exponential { keys, draws } => {
                // After the share `keys`, all but `1 - draws` of an exponential law has passed.
                let steepness = -(-draws).ln_1p() / keys;
                let share = -(-steepness).exp_m1();
                Law::Exponential { steepness, share }
            }
            KeyDistribution::Sequential => Law::Sequential,
            KeyDistribution::YcsbZipfian { spare } => {
                Law::YcsbZipfian(ycsb::Scrambled::new(n, spare))
            }
            KeyDistribution::YcsbLatest {} => Law::YcsbLatest(ycsb::Latest::new(n)),
            KeyDistribution::YcsbExponential { keys, draws } => {
                Law::YcsbExponential(ycsb::Exponential::new(keys, draws, n))
            }
        };
        Self { working_set, law }
    }

    /// The same where the number of documents is another at each draw, `documents` or more. A
    /// scrambled law has no such form: its permutation is one of a fixed number.
    pub fn growing(
        distribution: KeyDistribution,
        working_set: Option<WorkingSet>,
        documents: u64,
    ) -> Self {
        let mut law = Self::new(distribution, working_set, documents);
        match (&mut law.law, distribution) {
            (Law::Zipfian(zipfian), KeyDistribution::Zipfian { theta })
            | (Law::Latest(zipfian), KeyDistribution::Latest { theta }) => {
                *zipfian = Zipfian::growing(theta);
            }
            _ => {}
        }
        law
    }

    /// Draws the position of one of `documents`, at least 1; of a law that does not grow, they are
    /// its own. `number` is that of the operation (or of the document that holds the key).
    pub fn position(&self, documents: u64, number: u64, draw: &mut Draw) -> u64 {
        let (first, n) = window(self.working_set, documents);
        let position = match &self.law {
            Law::Uniform => draw.below(n),
            Law::Zipfian(zipfian) => zipfian.rank(n, draw),
            Law::Scrambled(zipfian, permutation) => permutation.of(zipfian.rank(n, draw)),
            Law::Latest(zipfian) => n - 1 - zipfian.rank(n, draw),
            Law::Hotspot { keys, draws } => {
                let hot = part(*keys, n);
                if hot == n || draw.unit() < *draws {
                    draw.below(hot)
                } else {
                    hot + draw.below(n - hot)
                }
            }
            Law::Exponential { steepness, share } => {
                let passed = -(-share * draw.unit()).ln_1p() / steepness;
                whole(passed * float(n)).min(n - 1)
            }
            Law::Sequential => number % n,
            Law::YcsbZipfian(law) => law.position(n, draw),
            Law::YcsbLatest(law) => law.position(n, draw),
            Law::YcsbExponential(law) => law.position(n, draw),
        };
        first + position
    }
}

/// The first position of the working set, and how many it has.
fn window(working_set: Option<WorkingSet>, documents: u64) -> (u64, u64) {
    match working_set {
        None => (0, documents),
        Some(WorkingSet::First(share)) => (0, part(share, documents)),
        Some(WorkingSet::Last(share)) => {
            let n = part(share, documents);
            (documents - n, n)
        }
    }
}

/// A share of n, to the nearest whole number, at least 1.
fn part(share: f64, n: u64) -> u64 {
    whole((share * float(n)).round()).clamp(1, n)
}
