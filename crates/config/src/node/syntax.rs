//! What the YAML parser refuses, in docstone's words.

use std::ops::Range;

use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

/// Maps and lists within each other: far more than a workload needs, and safe for any stack.
pub(super) const MAX_DEPTH: usize = 32;

/// Text that is no YAML, or more than a workload may be.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// The byte at which it was noticed.
    pub(crate) offset: usize,
}

impl SyntaxError {
    /// The parser's error about `text`.
    pub(super) fn new(error: &Error, text: &str) -> Self {
        let offset = error.location().map_or(0, |location| {
            offset_of(text, location.line(), location.column())
        });
        if let Some(variable) = variable_before(text, offset) {
            // What stands behind the name may be a secret.
            let name = text[variable.clone()].trim_end_matches('}');
            let name = name.split(':').next().unwrap_or(name);
            return Self {
                message: format!("`{name}...}}` has to stand in quotes here"),
                help: Some(format!(
                    "write `\"{name}...}}\"`: `{{` has a meaning of its own in YAML"
                )),
                offset: variable.start,
            };
        }
        if key_is_too_long(text, offset) {
            return Self {
                message: format!("a key has more than {LONGEST_KEY} characters"),
                help: Some("give it a shorter name".to_owned()),
                offset,
            };
        }
        let (message, help) = in_words(error.without_snippet());
        if let Some(offset) = wrong_key_at(&message) {
            return Self {
                message: "a key must be text, not a list or a map".to_owned(),
                help: Some("put a text that begins with `[` or `{` in quotes".to_owned()),
                offset,
            };
        }
        Self {
            message,
            help: help.map(str::to_owned),
            offset,
        }
    }
}

/// The variable at which the parser stopped: outside of quotes, `${NAME}` is no text within a flow
/// map or list, and the parser stops at its `{`.
fn variable_before(text: &str, offset: usize) -> Option<Range<usize>> {
    let line = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let start = line + text.get(line..=offset)?.rfind("${")?;
    let length = text[start..].find('}')?;
    let variable = start..start + length + 1;
    let is_near = offset < variable.end && !text[variable.clone()].contains('\n');
    let quoted = ["\"", "'"]
        .iter()
        .any(|quote| text[line..start].matches(quote).count() % 2 == 1);
    (is_near && !quoted).then_some(variable)
}

/// A key in YAML is no longer.
const LONGEST_KEY: usize = 1024;

/// True if what stands before the `:` here is longer than a key may be.
fn key_is_too_long(text: &str, offset: usize) -> bool {
    let ends = |c: char| c.is_whitespace() || "{}[],".contains(c);
    let key = text[..offset].rsplit(ends).next().unwrap_or_default();
    text[offset..].starts_with(':') && key.chars().count() > LONGEST_KEY
}

const WRONG_KEY: &str = "wrong key at byte ";

/// The message about a key that is no text, with its place: an error of a visitor has none of its
/// own.
pub(super) fn wrong_key(offset: usize) -> String {
    format!("{WRONG_KEY}{offset}")
}

fn wrong_key_at(message: &str) -> Option<usize> {
    message.strip_prefix(WRONG_KEY)?.parse().ok()
}

/// Message and cure. What is not named here is the parser's own, which knows the YAML rules best.
fn in_words(error: &Error) -> (String, Option<&'static str>) {
    let fewer = Some("write the values out, or use fewer aliases");
    let (message, help) = match error {
        Error::AliasError { error, .. } => return in_words(error.without_snippet()),
        Error::MultipleDocuments { .. } => (
            "a second document begins here: a file holds one workload",
            Some("put it into a file of its own, and remove the `---`"),
        ),
        Error::Budget { breach, .. } => return budget(breach),
        Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            ("the aliases stand for too many values", fewer)
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => (
            "an alias stands for a value that holds the alias itself",
            Some("write the inner value out"),
        ),
        Error::UnknownAnchor { .. } => (
            "the alias stands for no value: nothing before it has this anchor",
            Some("write `&NAME` before the value; put a text that begins with `*` in quotes"),
        ),
        Error::MergeValueNotMapOrSeqOfMaps { .. } => (
            "`<<` takes a map, or a list of maps",
            Some("give it an alias of a map, such as `<<: *NAME`"),
        ),
        Error::InvalidScalar { .. } | Error::InvalidBinaryBase64 { .. } => (
            "the value does not fit its tag",
            Some("leave the tag, such as `!!int`, out"),
        ),
        Error::UnsupportedTag { .. } => (
            "a tag is not known here",
            Some("leave it out; put a text that begins with `!` in quotes"),
        ),
        Error::Eof { .. } => ("the file ends within a value", None),
        other => return own_words(&other.to_string()),
    };
    (message.to_owned(), help)
}

fn budget(breach: &BudgetBreach) -> (String, Option<&'static str>) {
    match breach {
        BudgetBreach::Depth { .. } => (
            format!("nested deeper than {MAX_DEPTH} levels"),
            Some("a workload needs fewer: look for a bracket too many"),
        ),
        _ => (
            "the file holds more values than a workload may, its aliases counted each time"
                .to_owned(),
            Some("write less, or use fewer aliases"),
        ),
    }
}

/// The parser's message without its place, which is shown apart, and the usual cure.
fn own_words(message: &str) -> (String, Option<&'static str>) {
    let place = message.rfind(" at line ").unwrap_or(message.len());
    let message = &message[..place];
    let cures = [
        ("tabs disallowed", "indent with blanks"),
        (
            "mapping values are not allowed",
            "put a text that holds `: ` in quotes, or mend the indentation",
        ),
        (
            "unknown escape",
            "write `\\\\` for a backslash, or use single quotes",
        ),
        (
            "unexpected character",
            "put the text in quotes; write a control character as an escape such as `\\x01`",
        ),
        ("did not find expected key", "mend the indentation"),
        (
            "unclosed bracket",
            "close it, or put a text that holds a bracket in quotes",
        ),
        (
            "flow mapping",
            "close what was opened with `{`, and put a comma between entries",
        ),
        (
            "flow sequence",
            "close what was opened with `[`, and put a comma between items",
        ),
        ("quoted scalar", "close the quotes"),
        ("major version", "leave the `%YAML` line out"),
    ];
    let cure = cures.iter().find(|(part, _)| message.contains(part));
    (message.to_owned(), cure.map(|(_, cure)| *cure))
}

/// The byte offset of a line and column, both counted from 1, the column in characters.
fn offset_of(text: &str, line: u64, column: u64) -> usize {
    let line = usize::try_from(line).unwrap_or(usize::MAX).max(1);
    let column = usize::try_from(column).unwrap_or(usize::MAX).max(1);
    let mut before = 0;
    for (number, content) in text.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            let within = content
                .char_indices()
                .nth(column - 1)
                .map_or(content.trim_end().len(), |(at, _)| at);
            return before + within;
        }
        before += content.len();
    }
    text.trim_end().len()
}
