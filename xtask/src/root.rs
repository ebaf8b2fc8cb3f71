//! Where the workspace lies.

use std::path::Path;

/// The root folder of the workspace this program was built in.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace root")
}
