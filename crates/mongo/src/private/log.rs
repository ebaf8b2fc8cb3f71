//! What mongod's log says: that it is ready, that its port is taken, why it ended.

use std::path::Path;

/// Lines of the log that are shown when something went wrong.
const SHOWN_LINES: usize = 12;
/// Longer lines are cut.
const SHOWN_CHARACTERS: usize = 400;

/// True once mongod listens. The log is asked, and not the port: a stranger may answer there.
pub(super) fn listens(log: &Path) -> bool {
    read(log).contains("\"id\":23016,")
}

/// True if mongod ended because another program has its port.
pub(super) fn port_is_taken(log: &Path) -> bool {
    read(log).contains("Address already in use")
}

/// The last lines for people: of what mongod printed, and of its log, errors first.
pub(super) fn tail(log: &Path, console: &Path) -> String {
    let (printed, logged) = (read(console), read(log));
    // Until it has opened its log, mongod prints the same JSON lines.
    let (json, plain): (Vec<_>, Vec<_>) =
        (printed.lines().chain(logged.lines())).partition(|line| line.starts_with('{'));
    let entries: Vec<serde_json::Value> = json
        .into_iter()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let severe: Vec<_> = entries
        .iter()
        .filter(|entry| matches!(entry["s"].as_str(), Some("E" | "F")))
        .collect();
    let chosen = if severe.is_empty() {
        entries.iter().collect()
    } else {
        severe
    };
    let lines: Vec<String> = plain
        .into_iter()
        .map(str::to_owned)
        .chain(chosen.into_iter().map(describe))
        .map(|line| cut(&line))
        .collect();
    if lines.is_empty() {
        return "  (nothing was logged)".to_owned();
    }
    let start = lines.len().saturating_sub(SHOWN_LINES);
    lines[start..].join("\n")
}

fn describe(entry: &serde_json::Value) -> String {
    let message = entry["msg"].as_str().unwrap_or_default();
    match &entry["attr"] {
        serde_json::Value::Null => message.to_owned(),
        attributes => format!("{message} {attributes}"),
    }
}

fn cut(line: &str) -> String {
    let shown: String = line.chars().take(SHOWN_CHARACTERS).collect();
    format!("  {shown}")
}

fn read(path: &Path) -> String {
    std::fs::read(path).map_or_else(
        |_| String::new(),
        |bytes| String::from_utf8_lossy(&bytes).into_owned(),
    )
}
