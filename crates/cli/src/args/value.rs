//! Values of arguments that are refused for what they look like: a connection string in the wrong
//! place would make a folder of its password.

use std::path::PathBuf;

const NOT_HERE: &str = "this is a connection string; give it with --uri";

/// A file or folder.
pub(crate) fn path(text: &str) -> Result<PathBuf, &'static str> {
    if text.is_empty() {
        return Err("the name is empty");
    }
    if is_connection_string(text) {
        return Err(NOT_HERE);
    }
    Ok(text.into())
}

/// `PATH=VALUE`; what it means is decided in the config crate.
pub(super) fn assignment(text: &str) -> Result<String, &'static str> {
    if is_connection_string(text) {
        return Err("this is a connection string; give it with --uri, or as target.uri=URI");
    }
    Ok(text.to_owned())
}

fn is_connection_string(text: &str) -> bool {
    ["mongodb://", "mongodb+srv://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}
