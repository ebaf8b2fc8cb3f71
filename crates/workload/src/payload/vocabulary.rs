//! Pseudo-words and how often each of them stands in a text.
//!
//! The words are the same for every seed: what differs between two texts is which of them stand
//! where. Their frequencies follow the law of Zipf and Mandelbrot, `1 / (rank + 2.7)^1.07`, which
//! is that of words in natural language (Mandelbrot, "An Informational Theory of the Statistical
//! Structure of Language", 1953).

use crate::draw::{Draw, StreamKey};

/// Different words.
const WORDS: usize = 4_096;

/// The draws of 16 bits that words share among them.
const DRAWS: usize = 1 << 16;

/// Letters by how often they begin, continue and end a syllable: more often where they stand twice.
const ONSETS: &[u8] = b"bbccddddffgghhhjkllllmmmmnnnnpppqrrrrrsssssttttttvvwwyz";
const NUCLEI: &[u8] = b"aaaaaaaeeeeeeeeeeeiiiiiiioooooouuu";
const CODAS: &[u8] = b"cdddgkllllmmmnnnnnnnnprrrrrrrrsssssssssttttttttxy";

/// The words, each with a blank behind it, and the share of each.
#[derive(Debug)]
pub(super) struct Vocabulary {
    letters: Vec<u8>,
    /// By draw, where the drawn word begins in `letters` and how long it is.
    by_draw: Vec<(u32, u8)>,
}

impl Vocabulary {
    pub(super) fn new() -> Self {
        let mut draw = StreamKey::new(0).text("vocabulary").draw();
        let mut letters = Vec::new();
        let words: Vec<(u32, u8)> = (0..WORDS).map(|_| word(&mut draw, &mut letters)).collect();
        let weight = |rank: usize| (rank as f64 + 2.7).powf(-1.07);
        let sum: f64 = (1..=WORDS).map(weight).sum();
        let mut by_draw = Vec::with_capacity(DRAWS);
        let mut cumulative = 0.0;
        for (word, rank) in words.into_iter().zip(1..) {
            cumulative += weight(rank) / sum;
            // The rarest word has two of the draws, so each word has one.
            by_draw.resize(rounded(cumulative * DRAWS as f64), word);
        }
        Self { letters, by_draw }
    }

    /// A word of this text and a blank, chosen by 16 random bits.
    pub(super) fn word(&self, bits: u16) -> &[u8] {
        let (begin, length) = self.by_draw[usize::from(bits)];
        &self.letters[begin as usize..][..usize::from(length)]
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of draws, from 0 to 65536"
)]
fn rounded(draws: f64) -> usize {
    (draws.round() as usize).min(DRAWS)
}

/// Appends a word of one to four syllables and a blank: where it begins and its length.
fn word(draw: &mut Draw, letters: &mut Vec<u8>) -> (u32, u8) {
    let begin = letters.len();
    let syllables = 1 + [0, 1, 1, 1, 2, 2, 2, 3][index(draw, 8)];
    for _ in 0..syllables {
        letters.push(ONSETS[index(draw, ONSETS.len())]);
        letters.push(NUCLEI[index(draw, NUCLEI.len())]);
        if index(draw, 3) == 0 {
            letters.push(CODAS[index(draw, CODAS.len())]);
        }
    }
    letters.push(b' ');
    let length = letters.len() - begin;
    let begin = u32::try_from(begin).expect("some kilobytes of letters");
    (begin, u8::try_from(length).expect("four syllables"))
}

#[expect(clippy::cast_possible_truncation, reason = "below a length")]
fn index(draw: &mut Draw, length: usize) -> usize {
    draw.below(length as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_shares_of_their_law() {
        let vocabulary = Vocabulary::new();
        assert_eq!(vocabulary.by_draw.len(), DRAWS);
        let share = |draws: usize| draws as f64 / DRAWS as f64;
        let first = vocabulary.by_draw[0];
        let of_first = vocabulary.by_draw.iter().filter(|at| **at == first).count();
        let sum: f64 = (1..=WORDS).map(|r| (r as f64 + 2.7).powf(-1.07)).sum();
        assert!((share(of_first) - 3.7_f64.powf(-1.07) / sum).abs() < 1e-4);
        let mut places: Vec<u32> = vocabulary.by_draw.iter().map(|(at, _)| *at).collect();
        places.dedup();
        assert_eq!(places.len(), WORDS, "each word can be drawn");
    }

    #[test]
    fn words_are_lower_case_letters_with_a_blank() {
        let vocabulary = Vocabulary::new();
        for bits in 0..=u16::MAX {
            let (blank, letters) = vocabulary.word(bits).split_last().expect("a word");
            assert!(*blank == b' ' && (2..=12).contains(&letters.len()));
            assert!(letters.iter().all(u8::is_ascii_lowercase));
        }
    }
}
