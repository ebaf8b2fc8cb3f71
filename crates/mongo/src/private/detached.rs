//! Servers that live on without docstone: `docstone server start`, `status` and `stop`.

use std::path::PathBuf;

use docstone_engine::Interrupt;

use super::damaged::Damaged;
use super::error::{PrivateError, check_open_files};
use super::folder::ServersFolder;
use super::member;
use super::options::ServerOptions;
use super::server::PrivateServer;
use super::state::ServerState;

/// Starts a server that lives until [`stop`], in a session of its own. Until it is ready it is
/// tied to this process as any other.
///
/// # Errors
///
/// As [`PrivateServer::start`]; also if test commands are asked for.
pub fn start_detached(options: &ServerOptions) -> Result<ServerState, PrivateError> {
    start_detached_unless(options, &Interrupt::new())
}

/// As [`start_detached`], but not waited for once the flag is set: then what was started is ended,
/// and its folder removed.
///
/// # Errors
///
/// As [`start_detached`], and [`PrivateError::Interrupted`].
pub fn start_detached_unless(
    options: &ServerOptions,
    interrupt: &Interrupt,
) -> Result<ServerState, PrivateError> {
    start_detached_in(&ServersFolder::from_environment()?, options, interrupt)
}

/// The detached servers that run.
#[derive(Clone, Debug)]
pub struct Running {
    /// Those of which at least one member runs, oldest first.
    pub servers: Vec<ServerState>,
    /// Those that run though their state is lost.
    pub damaged: Vec<Damaged>,
}

impl Running {
    fn server(&self, id: &str) -> Option<&ServerState> {
        self.servers.iter().find(|state| state.id == id)
    }

    /// The identifiers of all of them.
    pub fn ids(&self) -> Vec<&str> {
        let servers = self.servers.iter().map(|state| state.id.as_str());
        let damaged = self.damaged.iter().map(|damaged| damaged.id.as_str());
        servers.chain(damaged).collect()
    }
}

/// A detached server that was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Its identifier.
    pub id: String,
    /// Its folder.
    pub dir: PathBuf,
    /// Its data are still there.
    pub kept: bool,
}

/// The detached servers that run. Removes what is left of servers that are gone.
///
/// # Errors
///
/// If the folder of servers cannot be locked.
pub fn list() -> Result<Running, PrivateError> {
    list_in(&ServersFolder::from_environment()?)
}

/// Stops the detached server with this identifier and removes its data unless they are to be
/// kept.
///
/// # Errors
///
/// If there is none, a mongod does not end, or the folder cannot be removed.
pub fn stop(id: &str) -> Result<Stopped, PrivateError> {
    stop_in(&ServersFolder::from_environment()?, id)
}

pub(super) fn start_detached_in(
    servers: &ServersFolder,
    options: &ServerOptions,
    interrupt: &Interrupt,
) -> Result<ServerState, PrivateError> {
    if options.test_commands {
        return Err(PrivateError::Options(vec![
            "test commands work without login, and a detached server does not get them".to_owned(),
        ]));
    }
    PrivateServer::start_in(servers, options, interrupt)?.detach()
}

pub(super) fn list_in(servers: &ServersFolder) -> Result<Running, PrivateError> {
    check_open_files()?;
    servers.remove_stale()?;
    Ok(Running {
        servers: servers.running(),
        damaged: servers.damaged(),
    })
}

pub(super) fn stop_in(servers: &ServersFolder, id: &str) -> Result<Stopped, PrivateError> {
    let running = list_in(servers)?;
    let (mut processes, dir, kept) = if let Some(state) = running.server(id) {
        let processes = state.members.iter().map(|member| member.process.clone());
        (processes.collect(), state.dir.clone(), state.options.keep)
    } else if let Some(damaged) = running.damaged.iter().find(|damaged| damaged.id == id) {
        (Vec::new(), damaged.dir.clone(), damaged.kept)
    } else {
        let ids = running.ids();
        return Err(PrivateError::Unknown {
            id: id.to_owned(),
            running: if ids.is_empty() {
                "none".to_owned()
            } else {
                ids.join(", ")
            },
        });
    };
    // Its folder is removed, so no process may be left in it, whatever its state says.
    processes.extend(servers.processes(id));
    member::end_processes(&processes, kept)?;
    if !kept {
        servers.remove(id)?;
    }
    Ok(Stopped {
        id: id.to_owned(),
        dir,
        kept,
    })
}
