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
mod zipfian;

pub use key::KeyLaw;
pub use number::NumberLaw;

#[cfg(test)]
mod tests;
