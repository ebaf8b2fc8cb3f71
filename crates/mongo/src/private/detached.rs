//! Servers that live on without docstone: `docstone server start`, `status` and `stop`.

use super::error::PrivateError;
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
    start_detached_in(&ServersFolder::from_environment()?, options)
}

/// The detached servers of which at least one member runs, oldest first. Removes what is left of
/// servers that are gone.
///
/// # Errors
///
/// If the folder of servers cannot be locked.
pub fn list() -> Result<Vec<ServerState>, PrivateError> {
    list_in(&ServersFolder::from_environment()?)
}

/// Stops the detached server with this identifier and removes its data unless they are to be
/// kept.
///
/// # Errors
///
/// If there is none, a mongod does not end, or the folder cannot be removed.
pub fn stop(id: &str) -> Result<ServerState, PrivateError> {
    stop_in(&ServersFolder::from_environment()?, id)
}

/// Stops all detached servers.
///
/// # Errors
///
/// At the first that cannot be stopped; the others run on.
pub fn stop_all() -> Result<Vec<ServerState>, PrivateError> {
    let servers = ServersFolder::from_environment()?;
    let running = list_in(&servers)?;
    for state in &running {
        end(&servers, state)?;
    }
    Ok(running)
}

pub(super) fn start_detached_in(
    servers: &ServersFolder,
    options: &ServerOptions,
) -> Result<ServerState, PrivateError> {
    if options.test_commands {
        return Err(PrivateError::Options(vec![
            "test commands work without login, and a detached server does not get them".to_owned(),
        ]));
    }
    PrivateServer::start_in(servers, options)?.detach()
}

pub(super) fn list_in(servers: &ServersFolder) -> Result<Vec<ServerState>, PrivateError> {
    servers.remove_stale()?;
    Ok(servers.running())
}

pub(super) fn stop_in(servers: &ServersFolder, id: &str) -> Result<ServerState, PrivateError> {
    let mut running = list_in(servers)?;
    let Some(found) = running.iter().position(|state| state.id == id) else {
        let ids: Vec<&str> = running.iter().map(|state| state.id.as_str()).collect();
        return Err(PrivateError::Unknown {
            id: id.to_owned(),
            running: if ids.is_empty() {
                "none".to_owned()
            } else {
                ids.join(", ")
            },
        });
    };
    let state = running.swap_remove(found);
    end(servers, &state)?;
    Ok(state)
}

fn end(servers: &ServersFolder, state: &ServerState) -> Result<(), PrivateError> {
    member::end(&state.members, state.options.keep)?;
    if state.options.keep {
        Ok(())
    } else {
        servers.remove(&state.id)
    }
}
