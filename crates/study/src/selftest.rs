//! The parts of a self-test: short trials against a stub, and what they came to.
//!
//! Owns how they are measured. Which of them are run, on which plan and stub, is decided by the
//! command.

mod open;
mod plans;
mod sleeper;
mod trial;

pub use open::{OpenSearch, find_open_rate};
pub use plans::{MAX_WORKERS, at_rate, closed, rate_asked};
pub use trial::{Bench, Interrupted, closed_rate, timer};
