//! The private mongod of one run.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use docstone_engine::Interrupt;
use docstone_model::Plan;
use docstone_mongo::private::{PrivateError, PrivateServer, ServerOptions, start_detached_unless};

use super::patience::unless_interrupted;
use crate::exit::Failure;
use crate::terminal;

/// How long a start may go on after an interrupt, which ends it and removes its folder: that takes
/// longer only where the disk is slow or another docstone holds the lock of the folders. Then the
/// mongod ends with docstone, and the next start removes its folder.
const GRACE: Duration = Duration::from_millis(1500);

/// Holds the private server of a run, if it has one, and stops it when dropped.
pub(crate) struct Server {
    own: Option<Arc<Mutex<PrivateServer>>>,
    /// The identifier of one that goes on after the run.
    kept: Option<String>,
}

impl Server {
    /// Starts the plan's private server, if it asks for one, and puts its address in the plan;
    /// `None` if the user did not wait for it.
    ///
    /// # Errors
    /// If no mongod is found or it does not start.
    pub(crate) fn start(
        plan: &mut Plan,
        notes: &mut Vec<String>,
        interrupt: &Interrupt,
    ) -> Result<Option<Self>, Failure> {
        let Some(private) = &plan.target.private else {
            return Ok(Some(Self {
                own: None,
                kept: None,
            }));
        };
        let options = ServerOptions {
            members: private.members,
            standalone: private.standalone,
            keep: private.keep,
            ..ServerOptions::default()
        };
        let shares = format!(
            "with a cache of {:.2} GiB; it shares the machine's cores with the load",
            options.cache_gb_per_member()
        );
        if private.keep {
            // It shall outlive docstone, so it is one of those that `server status` lists.
            let start = move |interrupt: &_| start_detached_unless(&options, interrupt);
            let Some(state) = started(interrupt, start)? else {
                return Ok(None);
            };
            plan.target.uri = state.uri;
            notes.push(format!(
                "private mongod {0} on this machine, {shares}; it stays after the run, stop it \
                 with `docstone server stop {0}`",
                state.id
            ));
            return Ok(Some(Self {
                own: None,
                kept: Some(state.id),
            }));
        }
        let start = move |interrupt: &_| PrivateServer::start_unless(&options, interrupt);
        let Some(server) = started(interrupt, start)? else {
            return Ok(None);
        };
        plan.target.uri = server.uri();
        notes.push(format!("private mongod on this machine, {shares}"));
        Ok(Some(Self {
            own: Some(Arc::new(Mutex::new(server))),
            kept: None,
        }))
    }

    /// The server that ends with the run, whose members may get signals.
    pub(crate) fn own(&self) -> Option<Arc<Mutex<PrivateServer>>> {
        self.own.clone()
    }

    /// Says that the server goes on, where the run has not come so far as to say it.
    pub(crate) fn say_kept(&self) {
        if let Some(id) = &self.kept {
            terminal::say(&format!(
                "note: private mongod {id} goes on; stop it with `docstone server stop {id}`"
            ));
        }
    }
}

/// What `start` starts; `None` if the user did not wait for it.
///
/// # Errors
/// If it does not start.
pub(crate) fn started<T: Send + 'static>(
    interrupt: &Interrupt,
    start: impl FnOnce(&Interrupt) -> Result<T, PrivateError> + Send + 'static,
) -> Result<Option<T>, PrivateError> {
    let stop = interrupt.clone();
    match unless_interrupted(interrupt, GRACE, move || start(&stop)).transpose() {
        Err(PrivateError::Interrupted) => Ok(None),
        started => started,
    }
}
