//! What a command asks to be launched.

use std::path::PathBuf;

use docstone_model::Plan;
use docstone_report::WorkerBytes;

use crate::args::OutputArgs;

/// The memory that workers take on the way through the driver.
pub(crate) const WORKER_BYTES: WorkerBytes = WorkerBytes {
    waiting: docstone_mongo::WAITING_BYTES,
    connected: docstone_mongo::CONNECTED_BYTES,
};

/// What is to be launched.
pub(crate) struct Launch {
    pub(crate) plan: Plan,
    pub(crate) out: Option<PathBuf>,
    pub(crate) quiet: bool,
    pub(crate) json: bool,
    /// Lines for the reader of the numbers, from the command line.
    pub(crate) notes: Vec<String>,
    pub(crate) style: Style,
}

impl Launch {
    /// A plan with docstone's own output.
    pub(crate) fn of_run(plan: Plan, output: OutputArgs) -> Self {
        let OutputArgs { out, quiet, json } = output;
        let notes = docstone_report::notes(&plan, WORKER_BYTES);
        Self {
            plan,
            out,
            quiet,
            json,
            notes,
            style: Style::Run,
        }
    }
}

/// Whose output is printed.
pub(crate) enum Style {
    /// docstone's own.
    Run,
    /// The old tool's on stdout, its CSV files in this folder, docstone's progress on stderr.
    Idealo(PathBuf),
}
