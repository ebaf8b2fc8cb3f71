//! Reaching the target at the start, and saying in one line why it cannot be reached.
//!
//! The driver retries for as long as it may; here a cause that will not go away by itself (nothing
//! listens, unknown host, TLS that does not fit) ends the attempt after a short grace.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bson::{Document, doc};
use docstone_engine::target::{TargetError, TargetErrorKind};
use futures_util::future::join_all;
use mongodb::error::{Error, ErrorKind};
use mongodb::event::EventHandler;
use mongodb::event::sdam::SdamEvent;
use mongodb::options::{SelectionCriteria, ServerAddress};
use mongodb::{Client, ServerType};

use crate::error;
use crate::options::{Settings, atlas_help, host_and_port};

/// Connections of the client for everything but the load: set-up loads with several at once.
const CONTROL_CONNECTIONS: u32 = 8;

/// How long a definite failure of every host is given to go away, as when a server just starts.
const GRACE: Duration = Duration::from_secs(1);

/// What was found out about the hosts while trying.
#[derive(Default)]
struct Sights {
    /// Hosts whose addresses are being looked up.
    looked_up: BTreeSet<String>,
    failures: BTreeMap<String, Error>,
    types: BTreeMap<String, ServerType>,
    first_failure: Option<Instant>,
    /// By host that answered, the replica set that it belongs to.
    set_names: BTreeMap<String, String>,
}

#[derive(Clone, Default)]
struct Lookout(Arc<Mutex<Sights>>);

impl Lookout {
    fn sights(&self) -> MutexGuard<'_, Sights> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handler(&self) -> EventHandler<SdamEvent> {
        let lookout = self.clone();
        EventHandler::callback(move |event| match event {
            SdamEvent::ServerHeartbeatFailed(event) => {
                let mut sights = lookout.sights();
                let _ = sights.first_failure.get_or_insert_with(Instant::now);
                let _ = sights
                    .failures
                    .insert(host_and_port(&event.server_address), event.failure);
            }
            SdamEvent::ServerHeartbeatSucceeded(event) => {
                let name = event
                    .reply
                    .get_str("setName")
                    .unwrap_or_default()
                    .to_owned();
                let host = host_and_port(&event.server_address);
                let _ = lookout.sights().set_names.insert(host, name);
            }
            SdamEvent::TopologyDescriptionChanged(event) => {
                let types = event.new_description.servers().into_iter();
                lookout.sights().types = types
                    .map(|(address, server)| (host_and_port(address), server.server_type()))
                    .collect();
            }
            _ => {}
        })
    }

    /// Looks the hosts up, as the driver does too, to tell a name server that is silent from a
    /// host that is.
    async fn look_up(&self, addresses: &[ServerAddress]) {
        let look_ups = addresses.iter().filter_map(|address| match address {
            ServerAddress::Tcp { host, port } => Some((host, port.unwrap_or(27017))),
            _ => None,
        });
        let look_ups = look_ups.map(async |(host, port)| {
            let name = format!("{host}:{port}");
            let _ = self.sights().looked_up.insert(name.clone());
            let _ = tokio::net::lookup_host((host.as_str(), port)).await;
            let _ = self.sights().looked_up.remove(&name);
        });
        let _ = join_all(look_ups).await;
        std::future::pending::<()>().await;
    }

    /// Returns when every host has failed in a way that does not go away by itself.
    async fn all_failed(&self) {
        loop {
            tokio::time::sleep(Duration::from_millis(25)).await;
            let sights = self.sights();
            let old = sights
                .first_failure
                .is_some_and(|first| first.elapsed() >= GRACE);
            let definite = |host: &String| {
                sights
                    .failures
                    .get(host)
                    .is_some_and(|error| Cause::of(error).is_definite())
            };
            let misnamed = sights.types.is_empty() && !sights.set_names.is_empty();
            if misnamed || old && !sights.types.is_empty() && sights.types.keys().all(definite) {
                return;
            }
        }
    }
}

/// Why one host could not be talked to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    Refused,
    UnknownHost,
    SilentDns,
    NoAnswer,
    Closed,
    Foreign,
    Tls(String),
    /// The certificate is for others, named where they are known.
    Misnamed(Option<String>),
    Other(String),
}

impl Cause {
    fn of(error: &Error) -> Self {
        match error.kind.as_ref() {
            ErrorKind::Io(error) => Self::of_io(error),
            ErrorKind::InvalidTlsConfig { message, .. } => Self::Tls(error::one_line(message)),
            ErrorKind::DnsResolve { .. } => Self::UnknownHost,
            ErrorKind::InvalidResponse { .. } => Self::Foreign,
            _ => Self::Other(error::message(error)),
        }
    }

    fn of_io(error: &io::Error) -> Self {
        let text = error.to_string();
        let lower = text.to_ascii_lowercase();
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            io::ErrorKind::TimedOut => Self::NoAnswer,
            _ if lower.contains("lookup address") || lower.contains("name or service") => {
                Self::UnknownHost
            }
            _ if lower.contains("unknownissuer") => Self::Tls(
                "the server's certificate is not signed by a CA that is trusted here".to_owned(),
            ),
            _ if lower.contains("notvalidforname") || lower.contains("not valid for name") => {
                Self::Misnamed(certified_names(&text))
            }
            _ if lower.contains("expired") => {
                Self::Tls("the server's certificate has expired".to_owned())
            }
            _ if lower.contains("tls handshake eof") => Self::Closed,
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => Self::Closed,
            io::ErrorKind::InvalidData => Self::Tls(error::one_line(&text)),
            _ => Self::Other(error::one_line(&text)),
        }
    }

    /// Waiting does not help.
    fn is_definite(&self) -> bool {
        !matches!(self, Self::NoAnswer | Self::SilentDns | Self::Other(_))
    }

    fn text(&self, tls: bool, limit: Duration) -> String {
        match self {
            Self::Refused => "connection refused: nothing listens there".to_owned(),
            Self::UnknownHost => "unknown host: DNS has no address for it".to_owned(),
            Self::SilentDns => format!("DNS gave no answer within {} s", limit.as_secs_f64()),
            Self::NoAnswer => format!("no answer within {} s", limit.as_secs_f64()),
            Self::Closed if tls => {
                "the server closed the connection during the TLS handshake: it may not use TLS"
                    .to_owned()
            }
            Self::Closed => {
                "the server closed the connection at once: it may require TLS, or be no MongoDB \
                 server"
                    .to_owned()
            }
            Self::Foreign => "what answers there is no MongoDB server".to_owned(),
            Self::Tls(text) => format!("TLS failed: {text}"),
            Self::Misnamed(names) => format!(
                "TLS failed: the server's certificate is not for this host name{}",
                names
                    .as_ref()
                    .map_or_else(String::new, |names| format!(", but for {names}"))
            ),
            Self::Other(text) => text.clone(),
        }
    }

    fn help(&self, tls: bool) -> Option<&'static str> {
        match self {
            Self::Refused => Some("start the server, or check host and port"),
            Self::Foreign => Some("check host and port"),
            Self::UnknownHost => Some("check the spelling of the host name"),
            Self::SilentDns => Some("check the name servers of this machine"),
            Self::NoAnswer => Some("check host, port and firewall, or raise --connect-timeout"),
            Self::Closed if tls => Some("leave out tls=true, or check the port"),
            Self::Closed => Some(
                "check the port, or add tls=true to the connection string (and tlsCAFile=FILE)",
            ),
            Self::Tls(_) => Some("name the CA by tlsCAFile=FILE in the connection string"),
            Self::Misnamed(_) => Some(
                "connect by one of the names that the certificate holds, or give the server a \
                 certificate for this one",
            ),
            Self::Other(_) => None,
        }
    }
}

/// The names that a certificate holds, from the words of the TLS library, such as
/// `...; certificate is only valid for DnsName("localhost") or IpAddress(127.0.0.1)`.
fn certified_names(text: &str) -> Option<String> {
    let names = text.split_once("only valid for ")?.1;
    let names = names.replace(['"', ')'], "");
    Some(error::one_line(
        &names.replace("DnsName(", "").replace("IpAddress(", ""),
    ))
}

/// A client for everything but the load, connected and authenticated, and the server's answer to
/// `hello`.
pub(crate) async fn reach(
    settings: &Settings,
    selection: SelectionCriteria,
    limit: Duration,
) -> Result<(Client, Document), TargetError> {
    let lookout = Lookout::default();
    let mut options = settings.client_options(CONTROL_CONNECTIONS);
    options.sdam_event_handler = Some(lookout.handler());
    let client = Client::with_options(options)
        .map_err(|problem| error::plan_error(error::message(&problem), None))?;
    let admin = client.database("admin");
    let hello = admin
        .run_command(doc! {"hello": 1})
        .selection_criteria(selection);
    let outcome = tokio::select! {
        reply = tokio::time::timeout(limit, hello.into_future()) => reply.ok(),
        () = lookout.all_failed() => None,
        () = lookout.look_up(settings.addresses()) => None,
    };
    let failed = |message: String, help: Option<String>| TargetError {
        kind: TargetErrorKind::Unreachable,
        message: settings.secrets.scrub(&error::one_line(&message)),
        help,
    };
    match outcome {
        Some(Ok(reply)) => Ok((client, reply)),
        Some(Err(problem)) if is_authentication(&problem) => {
            let (message, help) = authentication_failure(settings, &problem);
            Err(failed(message, Some(help)))
        }
        Some(Err(problem))
            if !matches!(problem.kind.as_ref(), ErrorKind::ServerSelection { .. }) =>
        {
            let cause = Cause::of(&problem);
            let tls = settings.tls() != "off";
            Err(failed(
                format!("{}: {}", settings.hosts(), cause.text(tls, limit)),
                cause.help(tls).map(str::to_owned),
            ))
        }
        _ => {
            let (message, help) = selection_failure(settings, &lookout.sights(), limit);
            Err(failed(message, help))
        }
    }
}

fn is_authentication(problem: &Error) -> bool {
    matches!(problem.kind.as_ref(), ErrorKind::Authentication { .. })
        || matches!(error::code(problem), Some(18 | 8000))
}

fn authentication_failure(settings: &Settings, problem: &Error) -> (String, String) {
    let user = settings.user().unwrap_or("?");
    let source = settings.auth_source().unwrap_or("admin");
    let message = format!(
        "{}: user `{user}` could not authenticate against database `{source}`: {}",
        settings.hosts(),
        error::message(problem)
    );
    let help = "check user and password, and name the user's database by authSource=DATABASE; a \
                password in the connection string must be percent-encoded";
    (message, help.to_owned())
}

/// The driver ignores servers of another replica set than the one that was named.
fn other_set(settings: &Settings, sights: &Sights) -> Option<(String, Option<String>)> {
    let Some(wanted) = settings.set_name() else {
        // Standalones among several hosts are ignored as well.
        let ignored = sights.types.is_empty() && !sights.set_names.is_empty();
        let hosts: Vec<&str> = sights.set_names.keys().map(String::as_str).collect();
        let message = format!("{}: not members of one replica set", hosts.join(", "));
        return ignored.then(|| {
            (
                message,
                Some("name one server, or a set's members".to_owned()),
            )
        });
    };
    let (host, name) = sights.set_names.iter().find(|(_, name)| *name != wanted)?;
    let what = if name.is_empty() {
        "is no member of a replica set".to_owned()
    } else {
        format!("is a member of replica set `{name}`")
    };
    let message = format!("{host} {what}, and replicaSet={wanted} was asked for");
    Some((
        message,
        Some("correct replicaSet, or leave it out".to_owned()),
    ))
}

/// What stands in the way when no suitable server was found.
fn selection_failure(
    settings: &Settings,
    sights: &Sights,
    limit: Duration,
) -> (String, Option<String>) {
    let tls = settings.tls() != "off";
    if let Some(refusal) = other_set(settings, sights) {
        return refusal;
    }
    let answered: Vec<String> = sights
        .types
        .iter()
        .filter(|(_, kind)| **kind != ServerType::Unknown)
        .map(|(host, kind)| format!("{host} ({kind})"))
        .collect();
    if !answered.is_empty() {
        let message = format!(
            "{}: no suitable server (a primary for writes) within {} s; answering: {}",
            settings.hosts(),
            limit.as_secs_f64(),
            answered.join(", ")
        );
        return (
            message,
            Some("check the replica set's state (rs.status())".to_owned()),
        );
    }
    let mut hosts_by_cause: BTreeMap<Cause, Vec<&str>> = BTreeMap::new();
    for host in sights.types.keys() {
        let cause = match sights.failures.get(host) {
            Some(failure) => Cause::of(failure),
            None if sights.looked_up.contains(host) => Cause::SilentDns,
            None => Cause::NoAnswer,
        };
        hosts_by_cause.entry(cause).or_default().push(host);
    }
    let hosts = settings.hosts();
    let Some((first, failing)) = hosts_by_cause.iter().next() else {
        return (
            format!("{hosts}: {}", Cause::NoAnswer.text(tls, limit)),
            atlas_help(&hosts),
        );
    };
    let lines: Vec<String> = hosts_by_cause
        .iter()
        .map(|(cause, hosts)| format!("{}: {}", hosts.join(", "), cause.text(tls, limit)))
        .collect();
    let known: Vec<String> = settings.addresses().iter().map(host_and_port).collect();
    let renamed = failing
        .iter()
        .any(|host| !known.iter().any(|known| known == host));
    let help = atlas_help(&hosts).or_else(|| {
        renamed.then(|| {
            format!(
                "the replica set at {hosts} gives its members these names; make them known \
                     here, or add directConnection=true"
            )
        })
    });
    (
        lines.join("; "),
        help.or_else(|| first.help(tls).map(str::to_owned)),
    )
}

#[cfg(test)]
mod tests;
