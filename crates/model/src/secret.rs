//! Connection strings that do not show their secrets.
//!
//! Owns redaction. `Debug`, `Display` and `Serialize` never reveal a password; only
//! [`MongoUri::expose`] does, and only the code that connects calls it.

use std::fmt::{self, Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What stands in place of a secret.
pub const REDACTED: &str = "***";

/// URI options whose values are secrets.
const SECRET_OPTIONS: [&str; 4] = [
    "tlscertificatekeyfilepassword",
    "sslclientcertificatekeypassword",
    "authmechanismproperties",
    "proxypassword",
];

/// A MongoDB connection string. Its secrets are never printed.
#[derive(Clone, PartialEq, Eq, JsonSchema)]
#[schemars(transparent)]
pub struct MongoUri(String);

impl MongoUri {
    /// Wraps a connection string as it was typed; its syntax is not checked.
    pub fn new(uri: impl Into<String>) -> Self {
        Self(uri.into())
    }

    /// The connection string with its secrets, for the code that connects.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The connection string with every secret replaced by `***`.
    pub fn redacted(&self) -> String {
        redact(&self.0)
    }

    /// True if a user name stands in the connection string.
    pub fn has_user(&self) -> bool {
        userinfo(&self.0).is_some()
    }

    /// The password as it stands in the connection string (percent-encoded), if there is one.
    pub fn password(&self) -> Option<&str> {
        let (start, end) = userinfo(&self.0)?;
        self.0[start..end]
            .split_once(':')
            .map(|(_, password)| password)
    }

    /// The database named in the path of the connection string, still percent-encoded.
    pub fn database(&self) -> Option<&str> {
        let after_scheme = self.0.find("://")? + 3;
        let hosts = userinfo(&self.0).map_or(after_scheme, |(_, end)| end + 1);
        let rest = self.0[hosts..].split('?').next()?;
        let (_, path) = rest.split_once('/')?;
        let name = path.rsplit('/').next().unwrap_or(path);
        (!name.is_empty()).then_some(name)
    }

    /// The value of an option (`?name=value`), by its name in any case.
    pub fn option(&self, name: &str) -> Option<&str> {
        let (_, query) = self.0.split_once('?')?;
        query.split(['&', ';']).find_map(|pair| {
            let (key, value) = pair.split_once('=')?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The same connection string with a password for the user that it names, percent-encoded
    /// here. Unchanged if it names no user.
    #[must_use]
    pub fn with_password(&self, password: &str) -> Self {
        let Some((start, end)) = userinfo(&self.0) else {
            return self.clone();
        };
        let user = self.0[start..end].split(':').next().unwrap_or_default();
        Self(format!(
            "{}{user}:{}{}",
            &self.0[..start],
            percent_encode(password),
            &self.0[end..]
        ))
    }
}

/// True if a connection string stands in the text, wherever it begins.
pub fn holds_connection_string(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("mongodb://") || text.contains("mongodb+srv://")
}

/// Percent-encodes all but the unreserved characters of RFC 3986, section 2.3.
pub fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string takes what is written");
        }
    }
    out
}

/// Replaces the secrets of a connection string by `***`, also where it is malformed: a raw `@`,
/// `:` or `/` in a password must not make part of it visible.
pub fn redact(uri: &str) -> String {
    let mut text = uri.to_owned();
    if let Some((start, end)) = userinfo(uri) {
        let user = uri[start..end].split_once(':').map(|(user, _)| user);
        if let Some(user) = user {
            text = format!("{}{user}:{REDACTED}{}", &uri[..start], &uri[end..]);
        }
    }
    let Some((head, query)) = text.split_once('?') else {
        return text;
    };
    let query: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((key, _)) if SECRET_OPTIONS.contains(&key.to_ascii_lowercase().as_str()) => {
                format!("{key}={REDACTED}")
            }
            _ => pair.to_owned(),
        })
        .collect();
    format!("{head}?{}", query.join("&"))
}

/// The byte range of `user:password`: all between `://` and the last `@`. The last, since a raw
/// `@` in a password is a mistake that users make, and the rest of it must not be shown.
fn userinfo(uri: &str) -> Option<(usize, usize)> {
    let start = uri.find("://")? + 3;
    let end = start + uri[start..].rfind('@')?;
    Some((start, end))
}

impl fmt::Debug for MongoUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MongoUri({})", self.redacted())
    }
}

impl fmt::Display for MongoUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted())
    }
}

impl Serialize for MongoUri {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.redacted())
    }
}

impl<'de> Deserialize<'de> for MongoUri {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_is_redacted_raw_and_encoded() {
        for uri in [
            "mongodb://bob:p%40ss@h:27017/shop?tls=true",
            "mongodb://bob:p@ss@h:27017/shop?tls=true",
            "mongodb://bob:p:ss@h/",
            "mongodb://bob:p/ss%@h/",
        ] {
            let shown = MongoUri::new(uri).redacted();
            assert!(shown.starts_with("mongodb://bob:***@h"), "{shown}");
            assert!(!shown.contains("ss@"), "{shown}");
        }
    }

    #[test]
    fn a_connection_string_is_known_wherever_it_stands() {
        for text in [
            "mongodb://h",
            "MongoDB+srv://h",
            "results/mongodb://u:p@h",
            " mongodb://",
        ] {
            assert!(holds_connection_string(text), "{text}");
        }
        for text in ["", "mongodb", "mongodb/results", "http://h"] {
            assert!(!holds_connection_string(text), "{text}");
        }
    }

    #[test]
    fn secret_options_are_redacted() {
        let shown = redact("mongodb://h/?tls=true&tlsCertificateKeyFilePassword=geheim&w=1");
        assert_eq!(
            shown,
            "mongodb://h/?tls=true&tlsCertificateKeyFilePassword=***&w=1"
        );
    }

    #[test]
    fn debug_and_json_do_not_show_the_password() {
        let uri = MongoUri::new("mongodb://u:geheim@h/");
        assert!(!format!("{uri:?} {uri}").contains("geheim"));
        assert_eq!(
            serde_json::to_string(&uri).expect("json"),
            "\"mongodb://u:***@h/\""
        );
    }

    #[test]
    fn database_and_options_are_read_from_the_uri() {
        let uri = MongoUri::new("mongodb+srv://u:p@h/shop?retryWrites=false&W=1");
        assert_eq!((uri.database(), uri.option("w")), (Some("shop"), Some("1")));
        assert_eq!(MongoUri::new("mongodb://h:1,g:2").database(), None);
        assert_eq!(MongoUri::new("mongodb://h:1/?w=1").database(), None);
    }

    #[test]
    fn a_password_given_apart_is_encoded_into_the_uri() {
        let uri = MongoUri::new("mongodb://u@h/db").with_password("p@ss:w/%");
        assert_eq!(uri.expose(), "mongodb://u:p%40ss%3Aw%2F%25@h/db");
    }
}
