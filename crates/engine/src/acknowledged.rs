//! Which inserted documents were acknowledged: a bit for each number.
//!
//! Kept only in steps with actions, by each thread for itself. Chunks are made when their first
//! number comes, so that nothing is copied while the load goes on.

/// Numbers in one chunk: 8 KiB of bits.
const CHUNK: u64 = 65_536;

/// Bits in a word.
const WORD: u64 = 64;

type Chunk = Box<[u64; (CHUNK / WORD) as usize]>;

/// A set of document numbers: one bit for each from the smallest on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acknowledged {
    /// The number of the first chunk.
    first: u64,
    chunks: Vec<Option<Chunk>>,
}

impl Acknowledged {
    /// Adds a number.
    pub fn add(&mut self, number: u64) {
        let chunk = number / CHUNK;
        if self.chunks.is_empty() {
            self.first = chunk;
        }
        if chunk < self.first {
            // A thread that was late with its first insert; the distance is small.
            let more = usize::try_from(self.first - chunk).expect("chunks fit the memory");
            drop(self.chunks.splice(0..0, std::iter::repeat_n(None, more)));
            self.first = chunk;
        }
        let at = usize::try_from(chunk - self.first).expect("chunks fit the memory");
        if at >= self.chunks.len() {
            self.chunks.resize(at + 1, None);
        }
        let bits = self.chunks[at].get_or_insert_with(|| Box::new([0; (CHUNK / WORD) as usize]));
        let bit = number % CHUNK;
        bits[usize::try_from(bit / WORD).expect("a word of the chunk")] |= 1 << (bit % WORD);
    }

    /// Adds all numbers of another set.
    pub fn merge(&mut self, other: Self) {
        if self.chunks.is_empty() {
            *self = other;
            return;
        }
        for (at, chunk) in (other.first..).zip(other.chunks) {
            let Some(chunk) = chunk else { continue };
            // Makes room for it; the bit itself is set again below.
            let word = chunk.iter().position(|word| *word != 0);
            let Some(word) = word else { continue };
            let bit = u64::from(chunk[word].trailing_zeros());
            self.add(at * CHUNK + word as u64 * WORD + bit);
            let mine = usize::try_from(at - self.first).expect("added above");
            let mine = self.chunks[mine].as_mut().expect("added above");
            for (mine, theirs) in mine.iter_mut().zip(chunk.iter()) {
                *mine |= theirs;
            }
        }
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        let words = self.chunks.iter().flatten().flat_map(|chunk| chunk.iter());
        words.map(|word| u64::from(word.count_ones())).sum()
    }

    /// The numbers in order.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        let chunks = (self.first..).zip(&self.chunks);
        let chunks = chunks.filter_map(|(at, chunk)| Some((at * CHUNK, chunk.as_ref()?)));
        chunks.flat_map(|(start, chunk)| {
            let words = (0..).zip(chunk.iter()).filter(|(_, word)| **word != 0);
            words.flat_map(move |(at, word): (u64, &u64)| {
                let bits = (0..WORD).filter(move |bit| word >> bit & 1 == 1);
                bits.map(move |bit| start + at * WORD + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merged_sets_hold_each_number_once_and_in_order(
            a in btree_set(0_u64..400_000, 0..200),
            b in btree_set(100_000_u64..1_000_000, 0..200),
            reversed: bool,
        ) {
            let mut sets = [Acknowledged::default(), Acknowledged::default()];
            for (set, numbers) in sets.iter_mut().zip([&a, &b]) {
                let mut numbers: Vec<u64> = numbers.iter().copied().collect();
                if reversed {
                    numbers.reverse();
                }
                for number in numbers {
                    set.add(number);
                }
            }
            let [mut merged, other] = sets;
            merged.merge(other);
            let all: Vec<u64> = a.union(&b).copied().collect();
            prop_assert_eq!(merged.count(), all.len() as u64);
            prop_assert_eq!(merged.numbers().collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn it_costs_a_bit_for_each_number() {
        let mut set = Acknowledged::default();
        (5_000_000..6_000_000).for_each(|number| set.add(number));
        assert_eq!(set.count(), 1_000_000);
        let chunks = set.chunks.iter().flatten().count();
        assert!(chunks as u64 <= 1_000_000 / CHUNK + 2, "{chunks} chunks");
    }
}
