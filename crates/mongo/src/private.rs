//! The private mongod: servers of docstone's own on the loopback address.
//!
//! Owns finding a mongod, starting one server or a replica set of them, tying their life to the
//! process that started them, handing them over to live on (`docstone server start`), and removing
//! what is left of servers that are gone. Knows nothing of loads and measurements.
//!
//! An attached server ([`PrivateServer`]) never outlives the process that started it, not even when
//! that process is killed with SIGKILL; see `docs/decisions/private-mongod-lifetime.md`. A detached
//! one ([`start_detached`]) lives until [`stop`].

mod access;
mod admin;
mod damaged;
mod detached;
mod error;
mod files;
mod find;
mod folder;
mod log;
mod member;
mod options;
mod port;
mod process;
mod server;
mod state;
mod tls;
mod wait;
mod watchdog;

#[cfg(test)]
mod tests;

pub use damaged::Damaged;
pub use detached::{Running, Stopped, list, start_detached, start_detached_unless, stop};
pub use error::PrivateError;
pub use find::{MONGOD_VERSION, cached_mongod, find_mongod};
pub use member::Member;
pub use options::ServerOptions;
pub use process::Process;
pub use server::PrivateServer;
pub use state::{ServerState, env_lines};
