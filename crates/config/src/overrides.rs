//! Flags and variables that take precedence over the file.

use std::fmt;

/// Looks up an environment variable by its name.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What the command line sets beside the file.
#[derive(Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct Overrides {
    /// `--uri`.
    pub uri: Option<String>,
    /// `--private`.
    pub private: bool,
    /// `--keep`: the private server stays after the run.
    pub keep: bool,
    /// `--database`.
    pub database: Option<String>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--set PATH=VALUE`, in order.
    pub set: Vec<String>,
    /// `--transport`.
    pub transport: Option<String>,
    /// `--drop`: drop collections that exist.
    pub drop: bool,
    /// `--reuse`: keep collections that exist.
    pub reuse: bool,
    /// `--connect-timeout`, such as `5s`.
    pub connect_timeout: Option<String>,
    /// From `--password-file` or `DOCSTONE_PASSWORD`, not percent-encoded.
    pub password: Option<String>,
    /// `--threads`.
    pub threads: Option<u32>,
    /// `--pacing`.
    pub pacing: docstone_model::plan::Pacing,
    /// `--tls-insecure`.
    pub tls_insecure: bool,
    /// No `--allow-hooks`: a file that runs command lines on this machine is refused.
    pub refuse_hooks: bool,
}

impl fmt::Debug for Overrides {
    /// Without the values of `--set`, the connection string and the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overrides")
            .field(
                "uri",
                &self.uri.as_deref().map(docstone_model::secret::redact),
            )
            .field("private", &self.private)
            .field("database", &self.database)
            .field("seed", &self.seed)
            .field("drop", &self.drop)
            .field("reuse", &self.reuse)
            .finish_non_exhaustive()
    }
}
