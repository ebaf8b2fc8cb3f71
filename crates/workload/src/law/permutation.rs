//! A permutation of the numbers below n that looks random, without a table.
//!
//! Adding, multiplying by an odd number and `x ^= x >> s` are bijections of the numbers of k bits;
//! three rounds of them with the multipliers of `SplitMix64` and `MurmurHash3` mix all bits. Where n is
//! no power of two, what falls beyond is mapped again until it is below n ("cycle walking": J. Black
//! and P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002), at most two times on
//! average. So the numbers keep their probabilities: no two are mapped to one, as a hash would.

/// A permutation of the numbers below `n`. The same for each `n`, whatever the seed: operations that
/// draw by it agree on what is hot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    n: u64,
    mask: u64,
    shift: u32,
}

impl Permutation {
    /// The permutation of the numbers below `n`, at least 1.
    pub(crate) fn new(n: u64) -> Self {
        let bits = (u64::BITS - (n - 1).leading_zeros()).max(1);
        Self {
            n,
            mask: u64::MAX >> (u64::BITS - bits),
            shift: bits.div_ceil(2),
        }
    }

    /// Where `number`, below n, is mapped to.
    pub(crate) fn of(self, number: u64) -> u64 {
        let mut number = self.mixed(number);
        while number >= self.n {
            number = self.mixed(number);
        }
        number
    }

    fn mixed(self, mut number: u64) -> u64 {
        for multiplier in [
            0x9e37_79b9_7f4a_7c15_u64,
            0xbf58_476d_1ce4_e5b9,
            0xff51_afd7_ed55_8ccd,
        ] {
            // What is added keeps 0 from staying 0.
            number = number
                .wrapping_add(multiplier >> 7)
                .wrapping_mul(multiplier)
                & self.mask;
            number ^= number >> self.shift;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_mapped_to_by_exactly_one() {
        for n in (1..70).chain([100, 127, 128, 129, 1_000, 4_096, 10_007]) {
            let permutation = Permutation::new(n);
            let mut mapped: Vec<u64> = (0..n).map(|number| permutation.of(number)).collect();
            mapped.sort_unstable();
            assert!(mapped.into_iter().eq(0..n), "{n}");
        }
    }

    #[test]
    fn neighbours_are_spread_evenly_over_all() {
        for n in [1_000_000_000_u64, 1 << 30, 3] {
            let permutation = Permutation::new(n);
            let mut tenths = [0_u32; 10];
            let hottest = 10_000.min(n);
            for number in 0..hottest {
                tenths[usize::try_from(permutation.of(number) * 10 / n).expect("a tenth")] += 1;
            }
            if hottest < n {
                // 1,000 in each, with a standard deviation of 30.
                assert!(
                    tenths.iter().all(|tenth| (850..1_150).contains(tenth)),
                    "{n}: {tenths:?}"
                );
            }
        }
    }
}
