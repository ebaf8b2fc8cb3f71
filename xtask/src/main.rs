//! The tasks of the docstone workspace: `cargo xtask NAME`. Owns the list of tasks and their
//! command line; each task is a file of its own. Holds no product code.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task reports to the person who runs it"
)]

mod bench;
mod demo;
mod docstone;
mod mongod;
mod packages;
mod process;
mod root;
mod soak;
mod stopwatch;
mod test;
mod tidy;
mod toolchain;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of the docstone workspace.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true,
    infer_subcommands = false
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs every check of the project: set-up, format, lints, tidy, Arm, tests. CI runs this.
    #[command(
        after_help = "Examples:\n  cargo xtask test\n  cargo xtask test -- -p docstone-engine"
    )]
    Test {
        /// Arguments for `cargo test`.
        #[arg(last = true, value_name = "CARGO TEST ARGS")]
        cargo_test: Vec<String>,
    },
    /// Checks the source rules that no lint knows: imports, cycles, lengths, words.
    Tidy,
    /// Finds the private mongod, or fetches it into the cache, and prints its path.
    Mongod,
    /// Builds docstone in release mode and runs `docstone demo`.
    #[command(after_help = "Example:\n  cargo xtask demo --keep")]
    Demo {
        /// Arguments for `docstone demo`.
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGS"
        )]
        docstone: Vec<String>,
    },
    /// Runs one benchmark of docstone against its own budgets; the last line is `ratio: N`.
    #[command(after_help = "Examples:\n  cargo xtask bench --list\n  cargo xtask bench overhead")]
    Bench(bench::Arguments),
    /// Runs a campaign that takes too long for `test`.
    #[command(after_help = "Examples:\n  cargo xtask soak --list\n  cargo xtask soak tests -n 10")]
    Soak(soak::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Test { cargo_test } => test::run(&cargo_test),
        Task::Tidy => tidy::run(),
        Task::Mongod => mongod::find_or_fetch().map(|path| println!("{}", path.display())),
        Task::Demo { docstone } => demo::run(&docstone),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Soak(arguments) => soak::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
