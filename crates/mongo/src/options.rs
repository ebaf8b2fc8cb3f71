//! Driver options from the plan: what the connection string says, and what the plan overrides.
//!
//! Connects to nothing but the name servers, which a `mongodb+srv` string needs.

use std::time::Duration;

use docstone_engine::target::{TargetError, TargetErrorKind};
use docstone_model::plan::WriteConcern as PlanWriteConcern;
use docstone_model::{Compressor, MongoUri, TargetPlan};
use mongodb::options::{
    Acknowledgment, ClientOptions, Compressor as DriverCompressor, ReadConcern, ReadPreference,
    SelectionCriteria, ServerAddress, Tls, WriteConcern,
};

use crate::secret::Secrets;
use crate::{authority, error};

/// The name that the server's log shows unless the connection string has one.
const APP_NAME: &str = "docstone";

/// The resolved way to the target.
#[derive(Clone)]
pub(crate) struct Settings {
    base: ClientOptions,
    /// Writes ask for no acknowledgement (`w: 0`). The driver refuses that, so such writes are
    /// sent as commands with a write concern of their own; the options hold none.
    pub(crate) unacknowledged: bool,
    /// Where the write concern comes from: `plan`, `connection string` or `server default`.
    pub(crate) write_concern_from: &'static str,
    /// What is done differently from what was asked, one line each.
    pub(crate) notes: Vec<String>,
    /// What must not be shown.
    pub(crate) secrets: Secrets,
}

impl Settings {
    /// Reads the connection string (looking up its hosts where it is `mongodb+srv`) and applies
    /// the plan to it.
    pub(crate) async fn resolve(target: &TargetPlan) -> Result<Self, TargetError> {
        if holds_raw_slash(&target.uri) {
            return Err(password_advice());
        }
        let limit = Duration::from_nanos(target.connect_timeout_ns);
        let secrets = Secrets::of(&target.uri);
        let parsing = async { ClientOptions::parse(target.uri.expose()).await };
        let base = match tokio::time::timeout(limit, parsing).await {
            Ok(Ok(options)) => options,
            Ok(Err(problem)) => return Err(uri_error(&target.uri, &problem, &secrets)),
            Err(_) => return Err(lookup_timeout(&target.uri, limit)),
        };
        let settings = Self::apply(target, base, secrets);
        authority::check(settings.base.tls.as_ref())?;
        Ok(settings)
    }

    fn apply(target: &TargetPlan, mut base: ClientOptions, secrets: Secrets) -> Self {
        let mut notes = Vec::new();
        if base.app_name.is_none() {
            base.app_name = Some(APP_NAME.to_owned());
        }
        if let Some(compressor) = target.compressor {
            base.compressors = driver_compressor(compressor).map(|compressor| vec![compressor]);
        }
        if target.tls_insecure
            && let Some(Tls::Enabled(tls)) = &mut base.tls
        {
            tls.allow_invalid_certificates = Some(true);
        }
        let write_concern_from = apply_write_concern(target, &mut base);
        let unacknowledged = base.write_concern.as_ref().is_some_and(|concern| {
            concern.w == Some(Acknowledgment::Nodes(0)) && concern.journal != Some(true)
        });
        if unacknowledged {
            base.write_concern = None;
            notes.push(
                "write concern 0: the driver cannot leave out replies, so the server still sends \
                 an empty one; how many documents a write touched is unknown"
                    .to_owned(),
            );
        }
        notes.extend(target.unused_options());
        base.min_pool_size = None;
        Self {
            base,
            unacknowledged,
            write_concern_from,
            notes,
            secrets,
        }
    }

    /// Options for one client of at most so many connections a server, all of which may be opened
    /// at the same time.
    pub(crate) fn client_options(&self, connections: u32) -> ClientOptions {
        let mut options = self.base.clone();
        options.max_pool_size = Some(connections.max(1));
        options.max_connecting = Some(connections.max(1));
        options
    }

    /// The hosts of the connection string (of its DNS record), such as `db1:27017, db2:27017`.
    pub(crate) fn hosts(&self) -> String {
        let hosts: Vec<String> = self.base.hosts.iter().map(host_and_port).collect();
        hosts.join(", ")
    }

    /// The hosts one by one.
    pub(crate) fn addresses(&self) -> &[ServerAddress] {
        &self.base.hosts
    }

    /// The user that authenticates, if one does.
    pub(crate) fn user(&self) -> Option<&str> {
        self.base.credential.as_ref()?.username.as_deref()
    }

    /// The database that holds the user.
    pub(crate) fn auth_source(&self) -> Option<&str> {
        self.base.credential.as_ref()?.source.as_deref()
    }

    /// The replica set that the connection string names.
    pub(crate) fn set_name(&self) -> Option<&str> {
        self.base.repl_set_name.as_deref()
    }

    /// Only the server named is used.
    pub(crate) fn direct(&self) -> bool {
        self.base.direct_connection == Some(true)
    }

    /// The driver repeats failed writes once.
    pub(crate) fn retry_writes(&self) -> bool {
        self.base.retry_writes != Some(false)
    }

    /// The driver repeats failed reads once.
    pub(crate) fn retry_reads(&self) -> bool {
        self.base.retry_reads != Some(false)
    }

    /// Where reads go.
    pub(crate) fn selection(&self) -> SelectionCriteria {
        self.base
            .selection_criteria
            .clone()
            .unwrap_or(ReadPreference::Primary.into())
    }

    /// The write concern of plan or connection string; `None` is the server's default or `w: 0`.
    pub(crate) fn write_concern(&self) -> Option<&WriteConcern> {
        self.base.write_concern.as_ref()
    }

    /// The read concern of the connection string.
    pub(crate) fn read_concern(&self) -> Option<&ReadConcern> {
        self.base.read_concern.as_ref()
    }

    /// The compressors that are offered to the server, in order, as in files.
    pub(crate) fn compressors(&self) -> String {
        let names: Vec<String> = self
            .base
            .compressors
            .iter()
            .flatten()
            .map(|compressor| plan_compressor(compressor).to_string())
            .collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(",")
        }
    }

    /// `off`, `verified` or `insecure`.
    pub(crate) fn tls(&self) -> &'static str {
        match &self.base.tls {
            Some(Tls::Enabled(tls)) if tls.allow_invalid_certificates == Some(true) => "insecure",
            Some(Tls::Enabled(_)) => "verified",
            _ => "off",
        }
    }
}

fn apply_write_concern(target: &TargetPlan, base: &mut ClientOptions) -> &'static str {
    let from_uri = base.write_concern.take();
    let Some(planned) = target.write_concern else {
        let from = if from_uri.is_some() {
            "connection string"
        } else {
            "server default"
        };
        base.write_concern = from_uri;
        return from;
    };
    // A time limit of the connection string still holds: the plan has no say about it.
    let mut concern = write_concern(planned);
    concern.w_timeout = from_uri.and_then(|concern| concern.w_timeout);
    base.write_concern = Some(concern);
    "plan"
}

/// A write concern of the plan in the driver's terms.
pub(crate) fn write_concern(planned: PlanWriteConcern) -> WriteConcern {
    let mut concern = WriteConcern::default();
    match planned {
        PlanWriteConcern::Members(members) => concern.w = Some(Acknowledgment::Nodes(members)),
        PlanWriteConcern::Majority => concern.w = Some(Acknowledgment::Majority),
        PlanWriteConcern::Journaled => concern.journal = Some(true),
    }
    concern
}

fn driver_compressor(compressor: Compressor) -> Option<DriverCompressor> {
    match compressor {
        Compressor::None => None,
        Compressor::Snappy => Some(DriverCompressor::Snappy),
        Compressor::Zstd(level) => Some(DriverCompressor::Zstd { level }),
        Compressor::Zlib(level) => Some(DriverCompressor::Zlib {
            level: level.and_then(|level| u32::try_from(level).ok()),
        }),
    }
}

fn plan_compressor(compressor: &DriverCompressor) -> Compressor {
    match compressor {
        DriverCompressor::Zstd { level } => Compressor::Zstd(*level),
        DriverCompressor::Zlib { level } => {
            Compressor::Zlib(level.and_then(|level| i32::try_from(level).ok()))
        }
        DriverCompressor::Snappy => Compressor::Snappy,
        _ => Compressor::None,
    }
}

/// Host and port as people write them.
pub(crate) fn host_and_port(address: &ServerAddress) -> String {
    match address {
        ServerAddress::Tcp { host, port } => format!("{host}:{}", port.unwrap_or(27017)),
        other => other.to_string(),
    }
}

/// True if a `/` stands raw in the password: the driver would take the user for a host and show
/// the start of the password as its port.
fn holds_raw_slash(uri: &MongoUri) -> bool {
    let before_options = uri.expose().split('?').next().unwrap_or_default();
    MongoUri::new(before_options)
        .password()
        .is_some_and(|password| password.contains('/'))
}

fn holds_raw_characters(uri: &MongoUri) -> bool {
    let Some(password) = uri.password() else {
        return false;
    };
    let escape_is_whole = |part: &str| {
        part.get(..2)
            .is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    password.contains(['@', ':', '/', '?', '#', '[', ']'])
        || !password.split('%').skip(1).all(escape_is_whole)
}

fn password_advice() -> TargetError {
    TargetError {
        kind: TargetErrorKind::Plan,
        message: "the password in the connection string is not percent-encoded".to_owned(),
        help: Some(
            "write @ as %40, : as %3A, / as %2F and % as %25, or give the password apart by \
             --password-file or DOCSTONE_PASSWORD"
                .to_owned(),
        ),
    }
}

fn uri_error(uri: &MongoUri, problem: &mongodb::error::Error, secrets: &Secrets) -> TargetError {
    use mongodb::error::ErrorKind;
    if let ErrorKind::DnsResolve { message, .. } = problem.kind.as_ref() {
        let cause = if message.contains("no records found") {
            "unknown host: DNS has no SRV record for it".to_owned()
        } else {
            // The rest is the look-up as the resolver keeps it.
            let cause = message.split(" for Query").next().unwrap_or_default();
            format!("DNS look-up failed: {cause}")
        };
        return TargetError {
            kind: TargetErrorKind::Unreachable,
            message: secrets.scrub(&error::one_line(&format!("{}: {cause}", srv_host(uri)))),
            help: atlas_help(srv_host(uri)),
        };
    }
    // The driver may quote a piece of a password that breaks the syntax, so it is not asked.
    if holds_raw_characters(uri) {
        return password_advice();
    }
    let text = match problem.kind.as_ref() {
        ErrorKind::InvalidArgument { message, .. } => message.clone(),
        _ => error::message(problem),
    };
    TargetError {
        kind: TargetErrorKind::Plan,
        message: secrets.scrub(&error::one_line(&in_connection_string(&text))),
        help: text
            .contains("scheme")
            .then(|| "it looks like mongodb://HOST:27017/ or mongodb+srv://HOST/".to_owned()),
    }
}

/// The driver's words about a connection string, which name it or do not.
fn in_connection_string(text: &str) -> String {
    match text.strip_prefix("connection string ") {
        Some(rest) => format!("the connection string: {rest}"),
        None => format!("the connection string: {text}"),
    }
}

fn lookup_timeout(uri: &MongoUri, limit: Duration) -> TargetError {
    TargetError {
        kind: TargetErrorKind::Unreachable,
        message: format!(
            "{}: DNS gave no answer within {} s",
            srv_host(uri),
            limit.as_secs_f64()
        ),
        help: Some("check the name servers of this machine, or raise --connect-timeout".to_owned()),
    }
}

/// The host of the connection string, for messages about its look-up.
fn srv_host(uri: &MongoUri) -> &str {
    let text = uri.expose();
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest)
}

/// What to check first where the host is a MongoDB Atlas cluster.
pub(crate) fn atlas_help(hosts: &str) -> Option<String> {
    hosts.contains(".mongodb.net").then(|| {
        "check that this machine's address is in the project's IP access list and that the \
         cluster is not paused"
            .to_owned()
    })
}

#[cfg(test)]
mod tests;
