//! Where the workspace lies.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// This crate's folder as cargo tells it when it runs the program: the workspace may have been moved
/// since it was built, which cargo takes for no reason to build it again.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    std::env::var_os("CARGO_MANIFEST_DIR")
        .unwrap_or_else(|| OsString::from(env!("CARGO_MANIFEST_DIR")))
        .into()
});

/// The root folder of the workspace.
pub(crate) fn root() -> &'static Path {
    FOLDER.parent().expect("xtask lies in the workspace root")
}
