//! The target against a real mongod (`DOCSTONE_MONGOD`, the PATH, or docstone's cache). Without
//! one, these tests fail.

mod access;
mod batches;
mod collection_kinds;
mod compression;
mod deployment;
mod facts;
mod interrupt;
mod kept;
mod load;
mod operations;
mod plan_faults;
mod plans;
mod pool;
mod raw_command;
mod reach;
mod setup_faults;
mod silent;
mod stub;
mod tls;
mod transactions;
