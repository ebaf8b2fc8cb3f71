//! The private mongod of one run.

use docstone_model::Plan;
use docstone_mongo::private::{PrivateServer, ServerOptions, start_detached};

use crate::exit::Failure;

/// Holds the private server of a run, if it has one, and stops it when dropped.
pub(crate) struct Server {
    _own: Option<PrivateServer>,
}

impl Server {
    /// Starts the plan's private server, if it asks for one, and puts its address in the plan.
    ///
    /// # Errors
    /// If no mongod is found or it does not start.
    pub(crate) fn start(plan: &mut Plan, notes: &mut Vec<String>) -> Result<Self, Failure> {
        let Some(private) = &plan.target.private else {
            return Ok(Self { _own: None });
        };
        let options = ServerOptions {
            members: private.members,
            standalone: private.standalone,
            ..ServerOptions::default()
        };
        let cache = options.cache_gb_per_member();
        if private.keep {
            // It shall outlive docstone, so it is one of those that `server status` lists.
            let options = ServerOptions {
                keep: true,
                ..options
            };
            let state = start_detached(&options)?;
            plan.target.uri = state.uri.clone();
            notes.push(format!(
                "private mongod {} stays after the run, with a cache of {cache:.2} GiB; stop it \
                 with `docstone server stop {}`",
                state.id, state.id
            ));
            return Ok(Self { _own: None });
        }
        let server = PrivateServer::start(&options)?;
        plan.target.uri = server.uri();
        notes.push(format!(
            "private mongod on this machine, with a cache of {cache:.2} GiB; it shares the \
             machine's cores with the load"
        ));
        Ok(Self { _own: Some(server) })
    }
}
