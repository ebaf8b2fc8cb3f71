//! The tasks of the docstone workspace: `cargo xtask NAME`. Owns the list of tasks and their
//! command line; each task is a file of its own. Holds no product code.
#![expect(
    clippy::print_stderr,
    reason = "a task reports to the person who runs it"
)]

mod cargo;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of the docstone workspace.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs every check of the project; what CI runs.
    Test {
        /// Arguments for `cargo test`.
        #[arg(last = true, value_name = "CARGO TEST ARGS")]
        cargo_test: Vec<String>,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Test { cargo_test } => test::run(&cargo_test),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
