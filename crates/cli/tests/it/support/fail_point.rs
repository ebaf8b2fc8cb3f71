//! Failures that the shared server is told to make (`failCommand`).

use std::sync::{Mutex, MutexGuard, PoisonError};

use mongodb::bson::{Bson, Document, doc};

use super::{onlooker, server, uri_with};

/// A fail point of the shared server for clients of one name; off again when dropped. A server has
/// only one `failCommand` at a time, so the tests that use it take turns.
pub(crate) struct FailPoint {
    app: &'static str,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for its turn. Clients are meant that connect by [`FailPoint::uri`].
pub(crate) fn fail_point(app: &'static str) -> FailPoint {
    static TURN: Mutex<()> = Mutex::new(());
    // A test that failed in its turn leaves a fail point that is off.
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    FailPoint { app, _turn: turn }
}

impl FailPoint {
    /// The shared server's connection string for the clients that are meant.
    pub(crate) fn uri(&self, options: &str) -> String {
        let name = format!("appName={}", self.app);
        let options = [name.as_str(), options];
        uri_with(server(), options.join("&").trim_end_matches('&'))
    }

    /// Sets what fails, and how.
    pub(crate) fn set(&self, mode: impl Into<Bson>, mut data: Document) {
        data.insert("appName", self.app);
        configure(mode.into(), data);
    }
}

impl Drop for FailPoint {
    fn drop(&mut self) {
        configure("off".into(), doc! {});
    }
}

fn configure(mode: Bson, data: Document) {
    let command = doc! {"configureFailPoint": "failCommand", "mode": mode, "data": data};
    let _ = onlooker(server().uri().expose(), "admin").admin(command);
}
