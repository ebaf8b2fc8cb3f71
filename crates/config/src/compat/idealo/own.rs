//! docstone's own options on the old command line: written in full, wherever they stand.

use std::path::PathBuf;

use docstone_model::plan::Transport;

use crate::units::DurationNs;

/// docstone's own options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `--out DIR`: where records go.
    pub out: Option<PathBuf>,
    /// `--seed N`.
    pub seed: Option<u64>,
    /// `--quiet`.
    pub quiet: bool,
    /// `--json`: the final summary as JSON on stdout.
    pub json: bool,
    /// `--connect-timeout`, in nanoseconds.
    pub connect_timeout_ns: Option<u64>,
    /// `--password-file FILE`; the binary reads it and calls `set_password`.
    pub password_file: Option<PathBuf>,
    /// `--transport auto|driver`.
    pub transport: Option<Transport>,
    /// `--tls-insecure`: accept certificates that cannot be verified.
    pub tls_insecure: bool,
}

/// The flags with their help, for the usage.
pub(super) const OWN: [(&str, &str, &str); 8] = [
    (
        "--out",
        "DIR",
        "folder of docstone's records (default docstone-results/idealo-TIME)",
    ),
    ("--seed", "N", "seed of all random values (default 1)"),
    ("--quiet", "", "no progress"),
    (
        "--json",
        "",
        "the final summary as JSON on stdout, and nothing else there",
    ),
    (
        "--connect-timeout",
        "TIME",
        "limit for reaching the server at the start (default 5s)",
    ),
    (
        "--password-file",
        "FILE",
        "file that holds the password, as it is",
    ),
    ("--transport", "NAME", "auto or driver"),
    (
        "--tls-insecure",
        "",
        "accept TLS certificates that cannot be verified",
    ),
];

/// Tokens with their positions on the command line, from 1.
type Tokens = Vec<(usize, String)>;

/// Takes docstone's options out of the arguments, with their values. Beside what is left stands a line
/// for each option that lacks a value, has one that does not fit, or stands there twice.
pub(super) fn take_out(args: &[String]) -> (Options, Tokens, Vec<String>) {
    let mut options = Options::default();
    let mut rest = Vec::new();
    let mut lines = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < args.len() {
        let token = &args[at];
        let position = at + 1;
        at += 1;
        if token == "--" {
            rest.extend((position..).zip(args[at - 1..].iter().cloned()));
            break;
        }
        let (name, mut value) = match token.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (token.as_str(), None),
        };
        let Some((name, placeholder, _)) = OWN.iter().find(|(known, ..)| *known == name) else {
            rest.push((position, token.clone()));
            continue;
        };
        if !placeholder.is_empty() && value.is_none() {
            value = args.get(at).cloned();
            at += 1;
        }
        if seen.contains(name) {
            lines.push(format!("{name} is given twice"));
        }
        seen.push(name);
        let set = match (placeholder.is_empty(), value) {
            (true, Some(_)) => Err("takes no value".to_owned()),
            (true, None) => options.switch_on(name),
            (false, None) => Err(format!("needs a value: {name} {placeholder}")),
            (false, Some(value)) => options.set(name, &value),
        };
        if let Err(message) = set {
            lines.push(format!("{name} {message}"));
        }
    }
    (options, rest, lines)
}

impl Options {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "it stands beside `set` in one match"
    )]
    fn switch_on(&mut self, name: &str) -> Result<(), String> {
        match name {
            "--quiet" => self.quiet = true,
            "--json" => self.json = true,
            _ => self.tls_insecure = true,
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        if value.is_empty() {
            return Err("has an empty value".to_owned());
        }
        match name {
            "--out" => self.out = Some(PathBuf::from(value)),
            "--password-file" => self.password_file = Some(PathBuf::from(value)),
            "--seed" => {
                let seed = value.parse();
                self.seed = Some(
                    seed.map_err(|_| format!("must be a whole number from 0 to {}", u64::MAX))?,
                );
            }
            "--transport" => {
                self.transport = Some(match value {
                    "auto" => Transport::Auto,
                    "driver" => Transport::Driver,
                    "wire" => {
                        return Err(
                            "`wire` is not supported yet by this version: give auto or driver"
                                .to_owned(),
                        );
                    }
                    _ => return Err("must be auto or driver".to_owned()),
                });
            }
            _ => {
                let DurationNs(timeout) = DurationNs::parse(value)?;
                if timeout == 0 {
                    return Err("must be above 0".to_owned());
                }
                self.connect_timeout_ns = Some(timeout);
            }
        }
        Ok(())
    }
}
