//! `docstone server`: private servers that outlive the command.

use clap::Subcommand;

use super::value;

#[derive(Debug, Subcommand)]
pub(crate) enum ServerCommand {
    /// Start a private mongod on a free port of 127.0.0.1 and leave it running
    Start(StartArgs),
    /// List the servers that `server start` made
    #[command(after_help = "Example:\n  docstone server status")]
    Status,
    /// Stop servers and remove their data
    Stop(StopArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  docstone server start
  eval \"$(docstone server start --env)\" && docstone run workloads/first.yaml
  docstone server start --members 3 --tls --auth
  docstone server start --standalone --cache-gb 0.5 --set-parameter ttlMonitorEnabled=false")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct StartArgs {
    /// Members of the replica set
    #[arg(long, default_value_t = 1, allow_negative_numbers = true,
        value_parser = value::whole::<u32>(1, 7))]
    pub(crate) members: u32,
    /// A standalone server instead of a replica set
    #[arg(long, conflicts_with = "members")]
    pub(crate) standalone: bool,
    /// Require a user name and a password (made here, shown in the connection string)
    #[arg(long)]
    pub(crate) auth: bool,
    /// Require TLS, with a certificate authority made here
    #[arg(long)]
    pub(crate) tls: bool,
    /// Cache of each member in GiB [default: 1 GiB or a quarter of the memory, the smaller]
    #[arg(long, value_name = "GIB", allow_negative_numbers = true, value_parser = value::gib)]
    pub(crate) cache_gb: Option<f64>,
    /// Compressors that the server offers, such as `snappy,zstd`, or `none`
    #[arg(long, value_name = "LIST")]
    pub(crate) compressors: Option<String>,
    /// A server parameter; can be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set_parameter: Vec<String>,
    /// Keep the data when the server is stopped
    #[arg(long)]
    pub(crate) keep: bool,
    /// Print only `export DOCSTONE_URI=...`, for `eval`
    #[arg(long)]
    pub(crate) env: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  docstone server stop
  docstone server stop 0123abcd
  docstone server stop --all")]
pub(crate) struct StopArgs {
    /// Which server, by its id; the only one that runs if none is named
    pub(crate) id: Vec<String>,
    /// All servers that `server start` made, also those of other terminals
    #[arg(long, conflicts_with = "id")]
    pub(crate) all: bool,
}
