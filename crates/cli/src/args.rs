//! The command line: what was typed. What it means is decided in the config crate.

mod selftest;
mod server;
mod shared;
pub(crate) mod value;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use selftest::SelftestArgs;
pub(crate) use server::{ServerCommand, StartArgs, StopArgs};
pub(crate) use shared::{OutputArgs, TargetArgs};

/// A performance test for MongoDB whose numbers people can decide on.
#[derive(Debug, Parser)]
#[command(name = "docstone", version, max_term_width = 100)]
#[command(after_help = "Examples:
  docstone demo
  docstone run workloads/first.yaml --private
  docstone run orders.yaml --uri mongodb://127.0.0.1:27017 --out results/monday
  docstone selftest
  docstone idealo -m insert -o 1000000 -t 10 -db test -c perf
  eval \"$(docstone server start --env)\"

Exit status: 0 done, 1 internal error, 2 usage or plan error, 3 target cannot be reached or does
not let docstone in, 11 no valid result, 130 interrupted (partial results are kept).")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run one workload file with its load steps
    Run(RunArgs),
    /// Resolve a workload file and print all that would happen; connects to nothing
    Plan(PlanArgs),
    /// Find out what this machine can do as a load generator; connects to no server
    Selftest(SelftestArgs),
    /// Start, list and stop private MongoDB servers on this machine
    #[command(
        subcommand,
        after_help = "Examples:\n  docstone server start --members 3\n  \
        docstone server status\n  docstone server stop"
    )]
    Server(ServerCommand),
    /// A short insert, find and update on a private mongod
    Demo(DemoArgs),
    /// Take the command line of idealo's mongodb-performance-test
    #[command(disable_help_flag = true)]
    Idealo(IdealoArgs),
    /// Print the JSON Schema of a file format
    #[command(after_help = "Example:\n  docstone schema workload > workload.schema.json")]
    Schema {
        /// Which format
        name: SchemaName,
    },
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  docstone completions bash > /etc/bash_completion.d/docstone"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in troff
    #[command(after_help = "Example:\n  docstone man | man -l -")]
    Man,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  docstone run orders.yaml --uri mongodb://127.0.0.1:27017
  docstone run orders.yaml --private --set load.0.duration=10s
  docstone run orders.yaml --json --quiet > summary.json

The target is --uri, else DOCSTONE_URI, else the file's `target`. A collection that exists is
refused unless docstone made it from the same data plan, or --drop or --reuse says what to do.")]
pub(crate) struct RunArgs {
    /// The workload file, YAML or JSON
    #[arg(value_parser = value::path)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Run the command lines (`run:`) of the file's actions on this machine
    #[arg(long)]
    pub(crate) allow_hooks: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  docstone plan orders.yaml
  docstone plan orders.yaml --json > plan.json
  docstone plan orders.yaml --set load.0.closed.concurrency=8")]
pub(crate) struct PlanArgs {
    /// The workload file, YAML or JSON
    #[arg(value_parser = value::path)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Print the plan as JSON, as it stands in plan.json
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  docstone demo --out /tmp/demo")]
pub(crate) struct DemoArgs {
    /// Seconds per step
    #[arg(long, default_value_t = 5, allow_negative_numbers = true,
        value_parser = value::whole::<u32>(1, 3600))]
    pub(crate) seconds: u32,
    /// Keep the private mongod and its data after the run
    #[arg(long)]
    pub(crate) keep: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct IdealoArgs {
    /// The old tool's arguments, as they were
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    pub(crate) arguments: Vec<String>,
}

/// File formats with a published JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// The workload file of `docstone run`
    Workload,
    /// plan.json
    Plan,
    /// A run's record.json
    Run,
    /// A trial's record.json
    Trial,
    /// What `docstone selftest --json` prints
    Selftest,
}
