//! Values of arguments that are refused for what they look like: a connection string in the wrong
//! place would make a folder of its password.

use std::path::PathBuf;

use docstone_model::secret::holds_connection_string;

const NOT_HERE: &str = "this is a connection string; give it with --uri";

/// A file or folder.
pub(crate) fn path(text: &str) -> Result<PathBuf, &'static str> {
    if text.is_empty() {
        return Err("the name is empty");
    }
    if holds_connection_string(text) {
        return Err(NOT_HERE);
    }
    Ok(text.into())
}

/// `PATH=VALUE`; what it means is decided in the config crate.
pub(super) fn assignment(text: &str) -> Result<String, &'static str> {
    let key = text.split('=').next().unwrap_or(text);
    if holds_connection_string(key) {
        return Err("this is a connection string; give it with --uri, or as target.uri=URI");
    }
    Ok(text.to_owned())
}

/// A whole number in this range; what is wrong with another says the range.
pub(super) fn whole<N: TryFrom<u64>>(
    low: u64,
    high: u64,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static {
    move |text| {
        let value = text
            .parse()
            .ok()
            .filter(|value| (low..=high).contains(value));
        value
            .and_then(|value| N::try_from(value).ok())
            .ok_or_else(|| format!("it must be a whole number from {low} to {high}"))
    }
}

/// GiB as a number; its range is the server's to say.
pub(super) fn gib(text: &str) -> Result<f64, &'static str> {
    text.parse()
        .map_err(|_| "it must be a number of GiB, such as 0.5")
}
