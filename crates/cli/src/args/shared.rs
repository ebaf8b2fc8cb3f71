//! Options that several commands share.

use std::path::PathBuf;

use clap::ValueEnum;
use docstone_model::plan::Pacing;

use super::value;

/// Which target, and how the plan is changed for it.
#[derive(Clone, Debug, Default, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct TargetArgs {
    /// Connection string of the target
    #[arg(long, value_name = "URI", conflicts_with = "private")]
    pub(crate) uri: Option<String>,
    /// Start a mongod of its own for this run
    #[arg(long)]
    pub(crate) private: bool,
    /// Keep the private mongod and its data after the run
    #[arg(long, requires = "private")]
    pub(crate) keep: bool,
    /// Database that holds the collections
    #[arg(long, value_name = "NAME")]
    pub(crate) database: Option<String>,
    /// Seed of every draw [default: the file's, else 1]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = value::whole::<u64>(0, u64::MAX)
    )]
    pub(crate) seed: Option<u64>,
    /// Change one key of the file; can be given several times
    #[arg(long, value_name = "PATH=VALUE", value_parser = value::assignment)]
    pub(crate) set: Vec<String>,
    /// How operations reach the target
    #[arg(long, value_name = "auto|driver")]
    pub(crate) transport: Option<String>,
    /// Drop collections that exist and load them anew
    #[arg(long, conflicts_with = "reuse")]
    pub(crate) drop: bool,
    /// Keep collections that fit and load what is missing
    #[arg(long)]
    pub(crate) reuse: bool,
    /// Limit for reaching the target at the start [default: 5s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) connect_timeout: Option<String>,
    /// File whose first line is the password of the user in the connection string
    #[arg(long, value_name = "FILE", value_parser = value::path)]
    pub(crate) password_file: Option<PathBuf>,
    /// Accept TLS certificates that cannot be verified; said in the output
    #[arg(long)]
    pub(crate) tls_insecure: bool,
    /// Engine threads, no more than a step has workers [default: one per core]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = value::whole::<u32>(1, 1024)
    )]
    pub(crate) threads: Option<u32>,
    /// How load threads wait for the next arrival of open load
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) pacing: PacingName,
}

/// How load threads wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PacingName {
    /// Asleep, until a timer wakes them: some tens of microseconds late
    #[default]
    Timer,
    /// Awake for the last part, which takes up to a core for each of them; one core is left free
    Spin,
}

impl From<PacingName> for Pacing {
    fn from(name: PacingName) -> Self {
        match name {
            PacingName::Timer => Self::Timer,
            PacingName::Spin => Self::Spin,
        }
    }
}

/// What is printed, and where the records go.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct OutputArgs {
    /// Folder for the records; refused if it exists [default: docstone-results/NAME-TIME]
    #[arg(long, value_name = "DIR", value_parser = value::path)]
    pub(crate) out: Option<PathBuf>,
    /// No progress on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Print the final summary as JSON on stdout, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}
