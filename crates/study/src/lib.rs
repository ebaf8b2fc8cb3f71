//! The facade that runs a plan, and the store of its records.
//!
//! Owns the order of a run (prepare, load, record, step by step), what it leaves behind, and how
//! measurements become records. Sends no operation itself (engine), and renders nothing (report).

#[cfg(test)]
mod fixture;
mod outstanding;
mod pieces;
mod record;
mod run;
pub mod selftest;
mod store;

pub use run::{Listener, RunError, RunOutcome, RunRequest, run};
pub use store::{Abandon, Store, StoreError};
