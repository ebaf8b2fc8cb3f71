//! The text that payloads are cut from.
//!
//! A pool is made once and read by all threads. A payload is a slice of it, found by a position
//! that is a function of the document's number, so that the same plan and seed give the same
//! documents on any number of cores. Positions go on from document to document: the same text
//! comes again only after the whole pool, which is beyond what a compressor looks back (zstd at
//! level 3 2 MiB, snappy 64 KiB, zlib 32 KiB).

use super::vocabulary::Vocabulary;
use crate::draw::{Draw, StreamKey};

/// The size of a pool, where a plan does not need less: 32 MiB.
pub const POOL_BYTES: u64 = 32 * 1024 * 1024;

/// The shortest piece of text that is repeated, in bytes.
const SHORTEST_COPY: u64 = 12;

/// The shortest distance to the text that is repeated, in bytes.
const NEAREST_COPY: f64 = 32.0;

/// The mean length of a repeated piece above the shortest, in bytes, where `richness` is up to 2.
const MEAN_COPY: f64 = 110.0;

/// Words of the paragraph that is repeated, some 300 characters.
const PARAGRAPH_WORDS: usize = 40;

/// Characters drawn in place of a word.
const LOOSE: usize = 6;

/// What loose characters are drawn from: printable ASCII without quotes and the backslash, which
/// would stand escaped where a document is shown.
const SYMBOLS: &[u8; 91] =
    b" !#$%&()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";

/// How well text compresses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// ASCII text.
    Text {
        /// From 0, loose characters, by 1, words, to 3, words in long pieces that repeat. The
        /// better it compresses the larger it is.
        richness: f64,
        /// How far back the text repeats itself, in bytes.
        window: u64,
    },
    /// Random bytes, which do not compress.
    Random,
    /// A paragraph of 40 words over and over.
    Repeated,
}

/// Text to cut payloads from.
#[derive(Debug, PartialEq, Eq)]
pub struct Pool {
    bytes: Box<[u8]>,
    /// Where slices can begin.
    ring: u64,
    /// The distance of two documents.
    stride: u64,
}

impl Pool {
    /// Makes a pool for documents with up to `stride` bytes of payload each, whose text comes
    /// again after `ring` bytes or some more: their number is made prime, so that the documents of
    /// a second round begin elsewhere.
    pub fn new(style: Style, key: StreamKey, ring: u64, stride: u64) -> Self {
        let ring = prime_from(ring);
        let length = ring.saturating_add(stride);
        let length = usize::try_from(length).expect("memory is addressed by 64 bits");
        let mut draw = key.draw();
        let bytes = match style {
            Style::Random => random(length, &mut draw),
            Style::Repeated => repeated(length, &mut draw),
            Style::Text { richness, window } => text(length, richness, window, &mut draw),
        };
        Self {
            bytes: bytes.into_boxed_slice(),
            ring,
            stride,
        }
    }

    /// The payload of document `number` from `offset` on; `length` is at most the stride.
    pub fn slice(&self, number: u64, offset: u64, length: usize) -> &[u8] {
        let position = number.wrapping_mul(self.stride).wrapping_add(offset);
        let begin = usize::try_from(position % self.ring).expect("below the length of the pool");
        &self.bytes[begin..begin + length]
    }

    /// Memory, in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

fn random(length: usize, draw: &mut Draw) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        bytes.extend_from_slice(&draw.bits().to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn repeated(length: usize, draw: &mut Draw) -> Vec<u8> {
    let vocabulary = Vocabulary::new();
    let mut bytes = Vec::with_capacity(length + 1_000);
    for _ in 0..PARAGRAPH_WORDS {
        let bits = u16::try_from(draw.bits() & 0xffff).unwrap_or(0);
        bytes.extend_from_slice(vocabulary.word(bits));
    }
    let (paragraph, room) = (bytes.len() as u64, length.saturating_sub(bytes.len()));
    repeat(&mut bytes, length as u64, paragraph, room);
    bytes.truncate(length);
    bytes
}

/// Text by its richness `g`: of the pieces that it is made of, a share `0.96 (g - 1)`, with g from
/// 1 to 2, repeats what stands before, from a distance drawn log-uniformly up to the window, in
/// lengths that grow with g above 2. The rest are words, or loose characters where g is below 1.
/// Ratios rise with g everywhere, so that a search by halves finds any that can be had.
fn text(length: usize, richness: f64, window: u64, draw: &mut Draw) -> Vec<u8> {
    let vocabulary = Vocabulary::new();
    let share = |part: f64| threshold(part);
    let copies = share(0.96 * (richness - 1.0).clamp(0.0, 1.0));
    let words = share(richness.clamp(0.0, 1.0));
    let mean_copy = MEAN_COPY * 16.0_f64.powf((richness - 2.0).max(0.0));
    let reach = (window as f64 / NEAREST_COPY).ln().max(0.0);
    let longest = length + 64;
    let mut out = Vec::with_capacity(longest);
    while out.len() < length {
        let bits = draw.bits();
        // 24 bits for each choice and 16 for the word.
        let (copy, other, word) = (bits >> 40, bits >> 16 & 0xff_ffff, bits & 0xffff);
        if copy < copies && out.len() as f64 >= NEAREST_COPY {
            let size = SHORTEST_COPY + whole(-(1.0 - draw.unit()).ln() * mean_copy);
            let distance = whole(NEAREST_COPY * (reach * draw.unit()).exp());
            let room = length - out.len();
            repeat(&mut out, size, distance, room);
        } else if other < words {
            out.extend_from_slice(vocabulary.word(u16::try_from(word).unwrap_or(0)));
        } else {
            for _ in 0..LOOSE {
                let symbol = usize::try_from(draw.below(SYMBOLS.len() as u64)).unwrap_or(0);
                out.push(SYMBOLS[symbol]);
            }
        }
    }
    out.truncate(length);
    out
}

/// Appends `size` bytes, at most `room`, as they stand `distance` before. Where that is less than
/// `size`, what was appended is repeated.
fn repeat(out: &mut Vec<u8>, size: u64, distance: u64, room: usize) {
    let mut left = usize::try_from(size).map_or(room, |size| size.min(room));
    let distance = usize::try_from(distance).map_or(out.len(), |far| far.min(out.len()));
    while left > 0 {
        let begin = out.len() - distance;
        let now = left.min(distance);
        out.extend_from_within(begin..begin + now);
        left -= now;
    }
}

/// A probability as a number of draws of 24 bits.
fn threshold(probability: f64) -> u64 {
    whole(probability * f64::from(1 << 24))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "finite, not negative, and far below 2^53"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

/// The smallest prime from `number` on, by trial division. There is one below twice the number
/// (Chebyshev).
fn prime_from(number: u64) -> u64 {
    let from = number.max(2);
    let is_prime = |n: &u64| (2..=n.isqrt()).all(|divisor| !n.is_multiple_of(divisor));
    (from..2 * from).find(is_prime).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(seed: u64) -> StreamKey {
        StreamKey::new(seed).text("payload")
    }

    fn style(richness: f64) -> Style {
        Style::Text {
            richness,
            window: 8_192,
        }
    }

    fn all(pool: &Pool) -> &[u8] {
        &pool.bytes
    }

    #[test]
    fn the_same_seed_gives_the_same_text() {
        let text = |seed| Pool::new(style(1.5), key(seed), 1 << 16, 100);
        assert_eq!(all(&text(1)), all(&text(1)));
        assert_ne!(all(&text(1)), all(&text(2)));
    }

    #[test]
    fn the_text_is_pinned() {
        let pool = Pool::new(style(1.2), key(42), 1_000, 0);
        let text = std::str::from_utf8(&all(&pool)[..120]).expect("ASCII");
        assert_eq!(text, PINNED);
    }

    #[test]
    fn a_pool_of_32_mib_has_a_prime_number_of_positions() {
        assert_eq!(prime_from(POOL_BYTES), 33_554_467);
        assert_eq!([0, 3, 4, 90].map(prime_from), [2, 3, 5, 97]);
    }

    #[test]
    fn the_richer_a_text_the_more_of_it_is_repeated() {
        let ratios: Vec<f64> = (0..=12)
            .map(|quarters| {
                let pool = Pool::new(style(f64::from(quarters) / 4.0), key(7), 1 << 18, 0);
                let packed = zstd::bulk::compress(all(&pool), 3).expect("it fits");
                pool.size_bytes() as f64 / packed.len() as f64
            })
            .collect();
        assert!(ratios.is_sorted(), "{ratios:?}");
        assert!(ratios[0] < 1.3 && ratios[12] > 20.0, "{ratios:?}");
    }

    #[test]
    fn random_bytes_do_not_compress() {
        let pool = Pool::new(Style::Random, key(7), 1 << 16, 0);
        let packed = zstd::bulk::compress(all(&pool), 3).expect("it fits");
        assert!(packed.len() as u64 >= pool.size_bytes());
    }

    proptest! {
        #[test]
        fn any_slice_is_printable_text_without_quotes(
            richness in 0.0..=3.0_f64, number: u64, offset: u64, length in 0..300_usize
        ) {
            let pool = Pool::new(style(richness), key(3), 5_000, 300);
            let slice = pool.slice(number, offset, length);
            prop_assert_eq!(slice.len(), length);
            prop_assert!(slice.iter().all(|byte| SYMBOLS.contains(byte)));
        }

        #[test]
        fn slices_of_consecutive_documents_do_not_overlap_within_a_round(
            stride in 1..4_000_u64, document in 0..1_000_000_u64, ahead in 1..25_u64
        ) {
            let ring = prime_from(100_000);
            let ahead = ahead.min(ring / stride - 1);
            let pool = Pool { bytes: vec![0; 104_003].into_boxed_slice(), ring, stride };
            let at = |number| pool.slice(number, 0, 0).as_ptr().addr() as u64;
            let apart = at(document).abs_diff(at(document + ahead));
            prop_assert!(apart >= stride && ring - apart >= stride);
        }
    }

    const PINNED: &str = "suste memyan hutmoto qehe soshona pesalena menle lidemoxsi madate gormo to \
                          sinabe tosda  lidemoxsi madate gormo to sinab";
}
