//! The target on the official MongoDB driver, data set-up, and the private mongod.

mod access;
mod authority;
mod colocation;
mod compression;
mod concern;
mod control;
mod describe;
mod drill;
mod durability;
mod error;
mod events;
mod facts;
mod fault;
mod in_flight;
mod lookup;
mod number;
mod open_files;
pub mod operation;
mod options;
mod pace;
mod pool;
mod preflight;
pub mod private;
mod reach;
mod secret;
mod session;
mod setup;
mod stub;
mod target;

pub use open_files::file_limit;
pub use pool::MongoPool;
pub use preflight::{Need, check_open_files};
pub use session::{MongoSession, WORKER_BYTES};
pub use setup::{SetupProgress, SetupStage};
pub use stub::StubTarget;
pub use target::MongoTarget;
