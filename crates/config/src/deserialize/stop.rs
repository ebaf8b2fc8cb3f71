//! The error with which serde goes up from a mistake.

use std::fmt;

use serde::de;

/// A value that could not be read; `None` if the mistake is recorded already.
#[derive(Debug)]
pub(super) struct Stop(pub(super) Option<String>);

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("recorded"))
    }
}

impl std::error::Error for Stop {}

impl de::Error for Stop {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Some(message.to_string()))
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let found = match found {
            de::Unexpected::Bool(_) => "true or false",
            de::Unexpected::Unsigned(_) | de::Unexpected::Signed(_) => "a whole number",
            de::Unexpected::Float(_) => "a number with a fraction",
            de::Unexpected::Str(_) => "text",
            de::Unexpected::Seq => "a list",
            de::Unexpected::Map => "a map",
            _ => "nothing",
        };
        Self(Some(format!("expected {expected}, found {found}")))
    }
}
