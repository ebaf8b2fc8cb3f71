//! The outputs of idealo's mongodb-performance-test, for people and scripts that read them.
//!
//! Owns their formats. The numbers are docstone's: `count` and the rates count operations that
//! succeeded, per-run latencies come from the histogram of the whole step.

mod banner;
mod modes;
mod snapshot;
mod stats_csv;
mod timers;

pub use stats_csv::StatsCsv;
pub use timers::Timers;

#[cfg(test)]
mod played;
