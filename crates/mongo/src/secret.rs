//! Keeps the password of the connection string out of every message.
//!
//! Messages of driver and server are not expected to hold it; this is the second line of defence.

use docstone_model::MongoUri;
use docstone_model::secret::REDACTED;

/// A shorter password cannot be told from ordinary text, and hiding each `a` would show it.
const LENGTH_MIN: usize = 3;

/// The forms of the password that may not appear anywhere.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// The password of a connection string, as it stands there and decoded.
    pub(crate) fn of(uri: &MongoUri) -> Self {
        let encoded = uri.password().unwrap_or_default();
        let mut forms = vec![encoded.to_owned(), percent_decode(encoded)];
        forms.retain(|form| form.len() >= LENGTH_MIN);
        // The longest first: the decoded form may be a part of the encoded one.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        Self(forms)
    }

    /// The text with every form of the password replaced by `***`.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, form| {
            text.replace(form.as_str(), REDACTED)
        })
    }
}

fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_password_are_hidden() {
        let secrets = Secrets::of(&MongoUri::new("mongodb://bob:p%40ss%3Aw@h/"));
        assert_eq!(secrets.scrub("in p%40ss%3Aw and p@ss:w"), "in *** and ***");
    }

    #[test]
    fn without_a_password_nothing_changes() {
        let secrets = Secrets::of(&MongoUri::new("mongodb://h:27017/"));
        assert_eq!(secrets.scrub("connection refused"), "connection refused");
    }

    #[test]
    fn a_malformed_escape_stays_as_it_is() {
        assert_eq!(percent_decode("50%x%4"), "50%x%4");
        assert_eq!(percent_decode("p%40ss"), "p@ss");
    }
}
