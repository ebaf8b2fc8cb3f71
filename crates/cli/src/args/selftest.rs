//! The arguments of `docstone selftest`.

use std::path::PathBuf;

use super::{TargetArgs, value};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  docstone selftest
  docstone selftest orders.yaml --uri mongodb://db1.example.net:27017
  docstone selftest orders.yaml --private --duration 30s
  docstone selftest --json > machine.json

No server is spoken to: operations go through the driver to a stub in this process, which answers
at once. With FILE, each measured load step is tried with its own operations and documents, and
the headroom is the highest rate that this machine can send over the rate that the step asks for;
2 or more is good. The options that change the plan (--set, --uri, ...) need FILE.")]
pub(crate) struct SelftestArgs {
    /// The workload file, YAML or JSON
    #[arg(value_parser = value::path)]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// About how long it takes [default: 10s; with FILE 5s, and 5s more for each load step]
    #[arg(long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
    /// No progress on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Print the result as JSON on stdout, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

impl SelftestArgs {
    /// The first option that changes a plan, if one is given.
    pub(crate) fn plan_option(&self) -> Option<&'static str> {
        let target = &self.target;
        let given = [
            ("--uri", target.uri.is_some()),
            ("--private", target.private),
            ("--keep", target.keep),
            ("--database", target.database.is_some()),
            ("--seed", target.seed.is_some()),
            ("--set", !target.set.is_empty()),
            ("--transport", target.transport.is_some()),
            ("--drop", target.drop),
            ("--reuse", target.reuse),
            ("--connect-timeout", target.connect_timeout.is_some()),
            ("--password-file", target.password_file.is_some()),
            ("--tls-insecure", target.tls_insecure),
        ];
        given
            .iter()
            .find(|(_, given)| *given)
            .map(|(name, _)| *name)
    }
}
