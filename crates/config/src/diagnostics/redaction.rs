//! Text without its secrets, and where its bytes have gone.

use std::ops::Range;

use docstone_model::secret::{REDACTED, redact};

/// A text in which passwords are replaced, with the way from old to new byte offsets.
pub(super) struct Redacted {
    text: String,
    /// What was replaced, in order.
    edits: Vec<Edit>,
}

struct Edit {
    range: Range<usize>,
    old: String,
    new: String,
}

/// A message without the passwords that stand in it.
pub(crate) fn without_secrets(text: &str) -> String {
    Redacted::by(text, |line| connection_string(line).into_iter().collect()).text
}

/// A command line without the passwords that stand in it: in connection strings, after `=` or `:`
/// of a name such as `password`, and after options such as `--password` and `-p`.
pub(crate) fn hook_without_secrets(text: &str) -> String {
    let redacted = Redacted::new(text);
    let mut shown = redacted.text;
    // What is hidden in one place may stand in another without its name.
    for edit in redacted.edits.iter().filter(|edit| edit.new == REDACTED) {
        let word = edit.old.trim_matches(['"', '\'']);
        if word.len() >= 3 {
            shown = shown.replace(word, REDACTED);
        }
    }
    shown
}

impl Redacted {
    /// Redacts connection strings, and values of keys that are named like a secret, line by line.
    pub(super) fn new(source: &str) -> Self {
        Self::by(source, secrets)
    }

    fn by(source: &str, secrets: fn(&str) -> Vec<Range<usize>>) -> Self {
        let mut text = String::with_capacity(source.len());
        let mut edits = Vec::new();
        let mut done = 0;
        let mut start = 0;
        for line in source.split_inclusive('\n') {
            for range in secrets(line) {
                let range = start + range.start..start + range.end;
                if range.start < done {
                    continue;
                }
                text.push_str(&source[done..range.start]);
                let old = source[range.clone()].to_owned();
                let new = hidden(&old);
                text.push_str(&new);
                done = range.end;
                edits.push(Edit { range, old, new });
            }
            start += line.len();
        }
        text.push_str(&source[done..]);
        Self { text, edits }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The line of an old byte offset, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        let end = self.offset(offset);
        self.text[..end].matches('\n').count() + 1
    }

    /// The part of an old range that is on its first line, at least one byte where there is one.
    pub(super) fn span(&self, start: usize, end: usize) -> Range<usize> {
        let start = self.offset(start);
        let end = self.offset(end).max(start);
        let end = self.text[start..end]
            .find('\n')
            .map_or(end, |length| start + length);
        if end > start {
            return start..end;
        }
        let next = self.text[start..].chars().next();
        start..start + next.filter(|c| *c != '\n').map_or(0, char::len_utf8)
    }

    /// A message about an old range, without the words that were replaced there: where a password
    /// broke the syntax, a part of it can be taken for a key.
    pub(super) fn without_replaced(&self, message: &str, start: usize, end: usize) -> String {
        let overlaps = |edit: &&Edit| edit.range.start < end && start < edit.range.end;
        let mut message = message.to_owned();
        for edit in self.edits.iter().filter(overlaps) {
            let words = |text: &str| -> Vec<String> {
                let words = text.split(|c: char| !c.is_alphanumeric());
                words
                    .filter(|word| word.len() >= 3)
                    .map(str::to_owned)
                    .collect()
            };
            let kept = words(&edit.new);
            for word in words(&edit.old) {
                if !kept.contains(&word) {
                    message = message.replace(&word, REDACTED);
                }
            }
        }
        message
    }

    fn offset(&self, old: usize) -> usize {
        let mut new = old;
        for Edit {
            range, new: put, ..
        } in self.edits.iter().rev()
        {
            if range.end <= old {
                new = new + put.len() - range.len();
            } else if range.start < old {
                new = new - old + range.start;
            }
        }
        let mut new = new.min(self.text.len());
        while !self.text.is_char_boundary(new) {
            new -= 1;
        }
        new
    }
}

/// What stands in place of a secret: a connection string without its password, else `***`.
fn hidden(secret: &str) -> String {
    if !secret.contains("://") {
        return REDACTED.to_owned();
    }
    let shown = redact(secret);
    if shown != secret || !has_odd_port(secret) {
        return shown;
    }
    let scheme = secret.find("://").map_or(0, |at| at + 3);
    format!("{}{REDACTED}", &secret[..scheme])
}

/// The ranges of one line that may hold a secret, in order.
fn secrets(line: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<_> = connection_string(line)
        .into_iter()
        .chain(named_secret(line))
        .chain(option_values(line))
        .collect();
    ranges.sort_by_key(|range| range.start);
    ranges
}

/// A connection string, up to what follows the line's last `@`: a password that was written raw
/// may hold anything, a second connection string too.
fn connection_string(line: &str) -> Option<Range<usize>> {
    let scheme = line.find("://")?;
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || c == '+';
    let start = line[..scheme].trim_end_matches(in_scheme).len();
    let last_at = line
        .rfind('@')
        .filter(|at| *at > scheme)
        .unwrap_or(scheme + 3);
    let closing = |c: char| c.is_whitespace() || "\"'`,}".contains(c);
    let end = line[last_at..]
        .find(closing)
        .map_or(line.len(), |length| last_at + length);
    Some(start..end)
}

/// `host:port` whose port is no number: perhaps a user and a password whose `@` was forgotten.
fn has_odd_port(uri: &str) -> bool {
    let Some(scheme) = uri.find("://") else {
        return false;
    };
    let hosts = uri[scheme + 3..]
        .split(['/', '?'])
        .next()
        .unwrap_or_default();
    hosts.split(',').any(|host| match host.rsplit_once(':') {
        Some((_, port)) => !port.ends_with(']') && !port.bytes().all(|b| b.is_ascii_digit()),
        None => false,
    })
}

/// The value of a key such as `password`, to the end of the line.
fn named_secret(line: &str) -> Option<Range<usize>> {
    let lower = line.to_ascii_lowercase();
    let name = ["password", "passwd", "secret"]
        .iter()
        .filter_map(|name| lower.find(name).map(|at| at + name.len()))
        .min()?;
    let colon = name + line[name..].find([':', '='])?;
    let is_key = line[name..colon]
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "\"' _-".contains(c));
    let value = line[colon + 1..].trim_end();
    let start = colon + 1 + (value.len() - value.trim_start().len());
    let end = colon + 1 + value.len();
    (is_key && start < end).then_some(start..end)
}

/// The words after options of a command line that are named like a secret: `--password WORD`.
fn option_values(line: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut hidden = false;
    let mut end = 0;
    for word in line.split_whitespace() {
        let start = end + line[end..].find(word).expect("a word of the line");
        end = start + word.len();
        if hidden {
            let closing = |c: char| "\"'`,};|&".contains(c);
            let kept = word.len() - word.trim_end_matches(closing).len();
            // A quote opens a password with blanks in it: all that follows is hidden.
            let quoted = word.starts_with(['"', '\'']) && kept == 0;
            ranges.push(
                start..if quoted {
                    line.trim_end().len()
                } else {
                    end - kept
                },
            );
        }
        let option = word.trim_start_matches(['"', '\'']).to_ascii_lowercase();
        let named = ["password", "passwd", "secret", "token"];
        hidden = option == "-p"
            || (option.starts_with("--") && named.iter().any(|name| option.ends_with(name)));
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_go_and_offsets_follow() {
        let text = "uri: \"mongodb://u:geheim@h/db\" # note\npool: 0\n";
        let redacted = Redacted::new(text);
        assert_eq!(
            redacted.text(),
            "uri: \"mongodb://u:***@h/db\" # note\npool: 0\n"
        );
        let old = text.find("pool").expect("pool");
        assert_eq!(&redacted.text()[redacted.span(old, old + 4)], "pool");
        assert_eq!(redacted.line(old), 2);
        let uri = redacted.span(5, text.find(" #").expect("comment"));
        assert_eq!(&redacted.text()[uri], "\"mongodb://u:***@h/db\"");
    }

    #[test]
    fn no_part_of_a_raw_password_is_left() {
        for text in [
            "target: mongodb://u:ge@he:i/m@h",
            "target: {uri: 'mongodb://u:ge heim@h'}",
            "mongodb://u:geheim",
            "password: geheim",
            "{uri: mongodb://h, \"password\": \"geheim\"}",
            "uri: mongodb://h/?tlsCertificateKeyFilePassword=geheim",
        ] {
            let shown = Redacted::new(text).text;
            assert!(!shown.contains("he") && !shown.contains("i/m"), "{shown}");
        }
    }

    #[test]
    fn a_command_line_shows_no_password() {
        for (text, shown) in [
            (
                "mongosh -u bob -p geheim --eval x",
                "mongosh -u bob -p *** --eval x",
            ),
            ("curl --password geheim", "curl --password ***"),
            (
                "sh -c 'login --api-token geheim'",
                "sh -c 'login --api-token ***'",
            ),
            (
                "echo geheim; x --password geheim",
                "echo ***; x --password ***",
            ),
            ("login --password='ge heim'", "login --password=***"),
            ("login --password \"ge heim\"", "login --password ***"),
            (
                "mongosh mongodb://bob:geheim@h/ --eval 1",
                "mongosh mongodb://bob:***@h/ --eval 1",
            ),
            ("PGPASSWORD=geheim psql", "PGPASSWORD=***"),
        ] {
            assert_eq!(hook_without_secrets(text), shown);
        }
        for plain in [
            "systemctl restart mongod",
            "kill -9 $(pgrep -f 'mongod --port 27018')",
        ] {
            assert_eq!(hook_without_secrets(plain), plain);
        }
    }

    #[test]
    fn text_without_secrets_stays() {
        for plain in [
            "uri: mongodb://localhost:27017/shop?w=1\n",
            "load: 5 a@b\n",
            "give the password by --password-file: it is encoded there\n",
        ] {
            assert_eq!(without_secrets(plain), plain);
        }
    }
}
