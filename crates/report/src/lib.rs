//! Records and events to terminal output; never touches a server.

mod closed_load;
mod compressibility;
pub mod idealo;
mod json;
mod line;
mod open_load;
mod paint;
mod plan;
mod progress;
mod selftest;
mod summary;
mod table;
pub mod units;

#[cfg(test)]
mod fixture;

use std::io;

use docstone_model::RunEvent;

pub use json::summary_json;
pub use plan::{PlanSamples, WorkerBytes, notes, plan};
pub use progress::{Progress, ProgressStyle};
pub use selftest::selftest;
pub use summary::{SummaryOptions, summary};

/// Takes part in a run by listening to it.
pub trait Listener {
    /// Handles one event. Events come in order, on one thread.
    ///
    /// # Errors
    ///
    /// What the listener writes to could not be written; the message names the file.
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()>;
}
