//! The values of the old command line, checked in the old tool's order.

use docstone_model::length::counted;
use docstone_model::plan::WriteConcern;
use docstone_model::secret::holds_connection_string;

use super::tokens::Given;
use crate::defaults::MAX_CONCURRENCY;
use crate::uri;

/// The old tool's modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Insert,
    UpdateOne,
    UpdateMany,
    CountOne,
    CountMany,
    IterateOne,
    IterateMany,
    DeleteOne,
    DeleteMany,
}

impl Mode {
    pub(super) const ALL: [Self; 9] = [
        Self::Insert,
        Self::UpdateOne,
        Self::UpdateMany,
        Self::CountOne,
        Self::CountMany,
        Self::IterateOne,
        Self::IterateMany,
        Self::DeleteOne,
        Self::DeleteMany,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::UpdateOne => "UPDATE_ONE",
            Self::UpdateMany => "UPDATE_MANY",
            Self::CountOne => "COUNT_ONE",
            Self::CountMany => "COUNT_MANY",
            Self::IterateOne => "ITERATE_ONE",
            Self::IterateMany => "ITERATE_MANY",
            Self::DeleteOne => "DELETE_ONE",
            Self::DeleteMany => "DELETE_MANY",
        }
    }
}

/// The command line's values, each in its range.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) modes: Vec<Mode>,
    /// One per mode; empty where there is no limit.
    pub(super) operations: Vec<u64>,
    /// One per step and mode.
    pub(super) threads: Vec<u32>,
    pub(super) duration_s: u64,
    pub(super) drop: bool,
    pub(super) text_size: u32,
    /// Host as given, an IPv6 address in brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) database: String,
    pub(super) collection: String,
    pub(super) url: Option<String>,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) auth_database: Option<String>,
    pub(super) tls: bool,
    /// `None` is ACKNOWLEDGED: nothing is sent.
    pub(super) write_concern: Option<WriteConcern>,
    pub(super) write_concern_given: bool,
}

/// The longest duration: a hundred years.
const MAX_DURATION_S: i64 = 3_162_240_000;

/// Checks all values. The lines of the error are in the old tool's order of checks.
pub(super) fn check(given: &Given, notes: &mut Vec<String>) -> Result<Settings, Vec<String>> {
    let mut lines = Vec::new();
    let port = port(given, &mut lines);
    let database = required(given, "database", "db", &mut lines);
    if let Some(why) = database.as_deref().and_then(uri::database_fault) {
        lines.push(format!("-db cannot be used: {why}"));
    }
    let collection = required(given, "collection", "c", &mut lines);
    if collection
        .as_deref()
        .is_some_and(|name| name.contains(['$', '\0']))
    {
        lines.push("-c cannot be used: a collection's name must not contain `$`".to_owned());
    }
    if collection.as_deref().is_some_and(holds_connection_string) {
        lines.push("-c cannot be used: this is a connection string; give it by -url".to_owned());
    }
    let modes = modes(given, &mut lines);
    let operations = operations(given, modes.len(), &mut lines);
    let duration = integer(given, "duration", "d", (1, MAX_DURATION_S), &mut lines);
    let threads = threads(given, modes.len(), &mut lines);
    let host = host(given, &mut lines);
    let limit = i64::from(MAX_TEXT);
    let text_size = integer(given, "randomtextsize", "s", (0, limit), &mut lines);
    let write_concern = write_concern(given, &mut lines);
    let not_empty = |long| {
        given
            .one(long)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let settings = Settings {
        operations,
        threads,
        duration_s: duration.unwrap_or(3600).unsigned_abs(),
        drop: given.has("dropdatabase"),
        text_size: u32::try_from(text_size.unwrap_or(0)).unwrap_or(0),
        host: host.0,
        port: host.1.or(port).unwrap_or(27017),
        database: database.unwrap_or_default(),
        collection: collection.unwrap_or_default(),
        url: not_empty("url"),
        user: not_empty("user"),
        password: not_empty("password"),
        auth_database: not_empty("authdb"),
        tls: given.has("ssl"),
        write_concern,
        write_concern_given: given.has("writeconcern"),
        modes,
    };
    if !lines.is_empty() {
        return Err(lines);
    }
    add_notes(&settings, given, notes);
    Ok(settings)
}

/// The largest text: with it a document stays below 16 MiB.
const MAX_TEXT: u32 = 16_000_000;

fn add_notes(settings: &Settings, given: &Given, notes: &mut Vec<String>) {
    if !settings.modes.contains(&Mode::Insert) {
        if settings.drop {
            notes.push("-dropdb has no effect without the mode INSERT".to_owned());
        }
        if settings.text_size > 0 {
            notes.push("-s has no effect without the mode INSERT".to_owned());
        }
    }
    if settings.url.is_some() {
        let ignored = [
            ("host", "-h"),
            ("port", "-port"),
            ("user", "-u"),
            ("password", "-p"),
            ("authdb", "-adb"),
            ("ssl", "-ssl"),
        ];
        let ignored: Vec<&str> = ignored
            .into_iter()
            .filter(|(long, _)| given.has(long))
            .map(|(_, name)| name)
            .collect();
        if !ignored.is_empty() {
            notes.push(format!(
                "-url is given, so these are not used: {}",
                ignored.join(", ")
            ));
        }
    } else if settings.password.is_some() && settings.user.is_none() {
        notes.push("-p is not used without -u: docstone does not log in".to_owned());
    } else if settings.auth_database.is_some() && settings.user.is_none() {
        notes.push("-adb is not used without -u: docstone does not log in".to_owned());
    }
}

fn port(given: &Given, lines: &mut Vec<String>) -> Option<u16> {
    let text = given.one("port")?;
    let port = text.parse::<u16>().ok();
    if port.is_none() {
        lines.push(format!(
            "-port must be a whole number from 0 to 65535, not `{text}`"
        ));
    }
    port
}

fn required(given: &Given, long: &str, short: &str, lines: &mut Vec<String>) -> Option<String> {
    let value = given.one(long).filter(|text| !text.is_empty());
    if value.is_none() && !given.doubtful(long) {
        lines.push(format!("the {long} is missing: give -{short} NAME"));
    }
    value.map(str::to_owned)
}

fn modes(given: &Given, lines: &mut Vec<String>) -> Vec<Mode> {
    if !given.has("mode") {
        return vec![Mode::Insert];
    }
    let mut modes = Vec::new();
    for text in given.all("mode") {
        let upper = text.to_uppercase();
        match Mode::ALL.into_iter().find(|mode| mode.name() == upper) {
            Some(mode) => modes.push(mode),
            None if text.starts_with('-') => lines.push(format!("unknown option `{text}`")),
            None => {
                let names: Vec<&str> = Mode::ALL.into_iter().map(Mode::name).collect();
                lines.push(format!(
                    "unknown mode `{text}`; one of: {}",
                    names.join(", ")
                ));
            }
        }
    }
    modes
}

/// A value in its range; a line if it is not.
fn number(
    text: &str,
    short: &str,
    (low, high): (i64, i64),
    lines: &mut Vec<String>,
) -> Option<i64> {
    let value = text
        .parse()
        .ok()
        .filter(|value| (low..=high).contains(value));
    if value.is_none() {
        lines.push(format!(
            "-{short} must be a whole number from {low} to {high}, not `{text}`"
        ));
    }
    value
}

fn integer(
    given: &Given,
    long: &str,
    short: &str,
    range: (i64, i64),
    lines: &mut Vec<String>,
) -> Option<i64> {
    number(given.one(long)?, short, range, lines)
}

fn operations(given: &Given, modes: usize, lines: &mut Vec<String>) -> Vec<u64> {
    let texts = given.all("operationscount");
    let values: Vec<u64> = texts
        .iter()
        .filter_map(|text| number(text, "o", (1, i64::MAX), lines))
        .map(i64::unsigned_abs)
        .collect();
    let known = modes > 0 && !given.doubtful("mode");
    if !texts.is_empty() && texts.len() != modes && known {
        lines.push(format!(
            "-o needs one value for each mode: {} for {modes}",
            counted(texts.len() as u64, "value")
        ));
    }
    values
}

fn threads(given: &Given, modes: usize, lines: &mut Vec<String>) -> Vec<u32> {
    let texts = given.all("threads");
    if texts.is_empty() {
        if modes > 1 && !given.doubtful("threads") {
            lines.push(format!(
                "-t is needed with several modes: {modes} values for each step"
            ));
        }
        return vec![10];
    }
    let values: Vec<u32> = texts
        .iter()
        .filter_map(|text| number(text, "t", (1, i64::from(MAX_CONCURRENCY)), lines))
        .filter_map(|value| u32::try_from(value).ok())
        .collect();
    let sum = |step: &[u32]| step.iter().copied().map(u64::from).sum::<u64>();
    let largest = values.chunks(modes.max(1)).map(sum).max().unwrap_or(0);
    if largest > u64::from(MAX_CONCURRENCY) {
        lines.push(format!(
            "-t asks for {largest} threads in one step, over all its modes: at most \
             {MAX_CONCURRENCY}"
        ));
    }
    if modes > 0 && !texts.len().is_multiple_of(modes) {
        lines.push(format!(
            "-t needs a value for each mode in each step: {} cannot be shared by {modes} modes",
            counted(texts.len() as u64, "value")
        ));
    }
    values
}

/// The host, and the port that may stand behind it.
fn host(given: &Given, lines: &mut Vec<String>) -> (String, Option<u16>) {
    let Some(text) = given.one("host").filter(|text| !text.is_empty()) else {
        return ("localhost".to_owned(), None);
    };
    if text.contains(['/', '@', '?', ',', ' ']) {
        lines.push("-h takes one host name; for anything else give -url URI".to_owned());
        return (text.to_owned(), None);
    }
    match text.rsplit_once(':') {
        // Several colons: an IPv6 address.
        Some((name, _)) if name.contains(':') && !text.starts_with('[') => {
            (format!("[{text}]"), None)
        }
        Some((name, port)) if !name.starts_with('[') || name.ends_with(']') => {
            let port = port.parse::<u16>().ok();
            if port.is_none() {
                lines.push("the port after -h HOST: must be a number up to 65535".to_owned());
            } else if given.has("port") {
                lines.push("the port is given twice: by -h HOST:PORT and by -port".to_owned());
            }
            (name.to_owned(), port)
        }
        _ => (text.to_owned(), None),
    }
}

fn write_concern(given: &Given, lines: &mut Vec<String>) -> Option<WriteConcern> {
    let text = given.one("writeconcern")?;
    match text.to_uppercase().as_str() {
        "ACKNOWLEDGED" => None,
        "UNACKNOWLEDGED" => Some(WriteConcern::Members(0)),
        "JOURNALED" => Some(WriteConcern::Journaled),
        "MAJORITY" => Some(WriteConcern::Majority),
        _ => {
            lines.push(format!(
                "unknown write concern `{text}`; one of: ACKNOWLEDGED, UNACKNOWLEDGED, \
                 JOURNALED, MAJORITY"
            ));
            None
        }
    }
}
