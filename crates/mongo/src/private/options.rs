//! What a private server shall be: its options, their checks and the cache rule.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::PrivateError;

/// The largest replica set: more members would not vote.
const MEMBERS_MAX: u32 = 7;
/// The smallest cache that mongod accepts, in GiB.
const CACHE_MIN_GB: f64 = 0.25;
/// The largest total cache that docstone takes without being asked, in GiB.
const CACHE_DEFAULT_MAX_GB: f64 = 1.0;
/// Compressors that a mongod can be given.
const COMPRESSORS: [&str; 3] = ["snappy", "zstd", "zlib"];
/// Makes a server obey fail points, even without login: only tests may, by an option of their own.
const TEST_COMMANDS: &str = "enableTestCommands";
/// How long a mongod waits before it obeys SIGTERM; its own default is 15 s.
const QUIESCE: &str = "shutdownTimeoutMillisForSignaledShutdown";

/// What a private server shall be. The default is a replica set of one member, so that retryable
/// writes and transactions work, without authentication and TLS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent switch of the command line"
)]
pub struct ServerOptions {
    /// Members of the replica set, 1 to 7; 1 for a standalone.
    pub members: u32,
    /// A standalone server instead of a replica set.
    pub standalone: bool,
    /// Authentication, with a user `docstone` that may do everything and a random password.
    pub auth: bool,
    /// TLS only, with an authority of its own.
    pub tls: bool,
    /// Cache of each member, in GiB (mongod writes GB), at least 0.25. `None`: a quarter of the
    /// memory, at most 1 GiB, divided among the members, with at least 0.25 for each.
    pub cache_gb: Option<f64>,
    /// Wire compressors of the server, such as `snappy,zstd` or `none`. `None` leaves mongod's own
    /// default.
    pub compressors: Option<String>,
    /// Server parameters, by name and value.
    pub set_parameters: Vec<(String, String)>,
    /// Leave the data when the server stops.
    pub keep: bool,
    /// The folder in which the data shall be, in a folder of its own. `None`: with the rest.
    pub data_dir: Option<PathBuf>,
    /// Elections within about a second (`electionTimeoutMillis` 1000 and what belongs to it).
    /// Otherwise the server's own settings, with which an election takes about 10 s. Meant for
    /// tests.
    pub fast_elections: bool,
    /// Fail points. For tests only: they work without login. Refused for detached servers.
    pub test_commands: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            members: 1,
            standalone: false,
            auth: false,
            tls: false,
            cache_gb: None,
            compressors: None,
            set_parameters: Vec::new(),
            keep: false,
            data_dir: None,
            fast_elections: false,
            test_commands: false,
        }
    }
}

impl ServerOptions {
    /// Checks ranges and contradictions.
    ///
    /// # Errors
    ///
    /// [`PrivateError::Options`] with all that is wrong.
    pub fn validate(&self) -> Result<(), PrivateError> {
        let mut wrong = Vec::new();
        if !(1..=MEMBERS_MAX).contains(&self.members) {
            wrong.push(format!(
                "`members` must be 1 to {MEMBERS_MAX}, not {}",
                self.members
            ));
        }
        if self.standalone && self.members > 1 {
            wrong.push(format!(
                "a standalone server has one member, not {}: leave out `standalone` or `members`",
                self.members
            ));
        }
        if let Some(cache_gb) = self.cache_gb
            && !(CACHE_MIN_GB..=10_000.0).contains(&cache_gb)
        {
            wrong.push(format!(
                "`cache-gb` must be {CACHE_MIN_GB} to 10000 (GiB for each member), not {cache_gb}"
            ));
        }
        if let Some(compressors) = &self.compressors {
            wrong.extend(compressor_fault(compressors));
        }
        wrong.extend(self.set_parameters.iter().filter_map(parameter_fault));
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(PrivateError::Options(wrong))
        }
    }

    /// The cache of each member, in GiB: what was asked for, else the default by the memory of
    /// this machine.
    pub fn cache_gb_per_member(&self) -> f64 {
        self.cache_gb
            .unwrap_or_else(|| default_cache_gb(memory_bytes(), self.members))
    }

    /// The arguments of mongod that follow from the options alone; folders, port and files come
    /// from elsewhere.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![
            "--wiredTigerCacheSizeGB".to_owned(),
            format!("{:.3}", self.cache_gb_per_member()),
        ];
        if let Some(compressors) = &self.compressors {
            let names = match compressors.as_str() {
                "none" => "disabled",
                names => names,
            };
            arguments.extend(["--networkMessageCompressors".to_owned(), names.to_owned()]);
        }
        if !self.standalone {
            arguments.extend(["--oplogSize".to_owned(), "100".to_owned()]);
        }
        let named = |name: &str| self.set_parameters.iter().any(|(other, _)| other == name);
        let mut parameters = self.set_parameters.clone();
        if !named(QUIESCE) {
            parameters.push((QUIESCE.to_owned(), "100".to_owned()));
        }
        if self.test_commands {
            parameters.push((TEST_COMMANDS.to_owned(), "1".to_owned()));
        }
        for (name, value) in parameters {
            arguments.extend(["--setParameter".to_owned(), format!("{name}={value}")]);
        }
        arguments
    }
}

/// A quarter of the memory, at most 1 GiB, divided among the members, each at least 0.25 GiB.
fn default_cache_gb(memory_bytes: u64, members: u32) -> f64 {
    let quarter_gb = memory_bytes as f64 / 4.0 / f64::from(1 << 30);
    (quarter_gb.min(CACHE_DEFAULT_MAX_GB) / f64::from(members.max(1))).max(CACHE_MIN_GB)
}

/// The memory of this machine or of this container, whichever is less; 0 if neither can be read.
fn memory_bytes() -> u64 {
    let total = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("MemTotal:"))?;
            line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
        })
        .map(|kib| kib * 1024);
    let limit = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    .into_iter()
    .find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    total.into_iter().chain(limit).min().unwrap_or(0)
}

fn compressor_fault(compressors: &str) -> Option<String> {
    let known = |name: &str| COMPRESSORS.contains(&name);
    let fine = compressors == "none" || compressors.split(',').all(known);
    (!fine).then(|| {
        format!(
            "`compressors` must be `none` or a list of {} (without levels), not `{compressors}`",
            COMPRESSORS.join(", ")
        )
    })
}

fn parameter_fault((name, value): &(String, String)) -> Option<String> {
    let simple = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if name.is_empty() || !name.chars().all(simple) {
        Some(format!(
            "`set-parameter` needs NAME=VALUE with a parameter's name, not `{name}={value}`"
        ))
    } else if name.eq_ignore_ascii_case(TEST_COMMANDS) {
        Some(format!(
            "`set-parameter` must not be {TEST_COMMANDS}: it opens the server without login"
        ))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn default_cache_is_a_quarter_of_memory_between_the_bounds() {
        assert!((default_cache_gb(2 * GIB, 1) - 0.5).abs() < 1e-9);
        assert!((default_cache_gb(64 * GIB, 1) - 1.0).abs() < 1e-9);
        assert!((default_cache_gb(GIB / 2, 1) - 0.25).abs() < 1e-9);
        assert!((default_cache_gb(0, 1) - 0.25).abs() < 1e-9);
    }

    #[test]
    fn default_cache_is_divided_among_the_members() {
        assert!((default_cache_gb(64 * GIB, 2) - 0.5).abs() < 1e-9);
        assert!((default_cache_gb(64 * GIB, 7) - 0.25).abs() < 1e-9);
        let asked = ServerOptions {
            members: 3,
            cache_gb: Some(2.0),
            ..ServerOptions::default()
        };
        assert!((asked.cache_gb_per_member() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_memory_of_this_machine_is_read() {
        assert!(memory_bytes() > 64 << 20);
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let options = ServerOptions {
            members: 8,
            standalone: true,
            cache_gb: Some(f64::NAN),
            compressors: Some("zstd:3".to_owned()),
            set_parameters: vec![
                ("a b".to_owned(), String::new()),
                ("enabletestcommands".to_owned(), "1".to_owned()),
            ],
            ..ServerOptions::default()
        };
        let PrivateError::Options(faults) = options.validate().expect_err("faults") else {
            panic!("not a fault of options");
        };
        assert_eq!(faults.len(), 6, "{faults:#?}");
    }

    #[test]
    fn own_parameters_take_the_place_of_docstones() {
        let options = ServerOptions {
            set_parameters: vec![(QUIESCE.to_owned(), "7".to_owned())],
            compressors: Some("none".to_owned()),
            ..ServerOptions::default()
        };
        let text = options.arguments().join(" ");
        assert_eq!(text.matches(QUIESCE).count(), 1, "{text}");
        assert!(text.contains(&format!("{QUIESCE}=7")), "{text}");
        assert!(
            text.contains("--networkMessageCompressors disabled"),
            "{text}"
        );
        assert!(!text.contains(TEST_COMMANDS), "{text}");
    }
}
