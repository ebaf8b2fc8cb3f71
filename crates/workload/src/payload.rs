//! Text with a chosen compressibility.
//!
//! Owns how such text is made ([`Pool`]), what a message that carries it looks like
//! ([`messages`]), what compressors make of it ([`Codec`]), and how the text is tuned until the
//! messages have the ratio that was asked for ([`calibrate`]). Knows no templates and no plan.

mod calibrate;
mod codec;
pub mod messages;
mod pool;
mod vocabulary;

pub use calibrate::{Calibration, Messages, Ratios, TOLERANCE, Unreached, calibrate, measure};
pub use codec::{Codec, compress};
pub use pool::{POOL_BYTES, Pool, Style};
