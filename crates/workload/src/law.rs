//! The laws by which numbers and keys are drawn, from uniform random bits.
//!
//! Owns the formulas, each with its source. A draw takes what it needs from the stream that it is
//! given and from nothing else, in constant memory and without a table of the keys. What files can
//! say of them is checked in the model crate; documents and their keys are those of `document`.
//!
//! Logarithms and exponentials are those of the platform. Two that differ in the last bit give
//! another draw once in about 10^13 divided by the number of keys.

mod key;
mod normal;
mod number;
mod permutation;
mod ycsb;
mod zipfian;

pub use key::KeyLaw;
pub use number::NumberLaw;

#[expect(
    clippy::cast_precision_loss,
    reason = "up to 2^53 each number has its own, and more is not asked for"
)]
fn float(n: u64) -> f64 {
    n as f64
}

/// The whole part; what is no number of 64 bits becomes the nearest.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from a float goes to the nearest"
)]
fn whole(x: f64) -> u64 {
    x as u64
}

#[cfg(test)]
mod tests;
