//! What every test of the binary needs: the commands, the servers, a look at what a server holds,
//! and the records of a run. Each part has a file of its own.

mod command;
mod deployment;
mod fail_point;
mod files;
mod onlooker;
mod processes;
mod records;

pub(crate) use command::{Docstone, Ran, Running, docstone, new_folder, shell};
pub(crate) use deployment::{Database, database, server, start, uri_with};
pub(crate) use fail_point::{FailPoint, fail_point};
pub(crate) use files::{FINDS, orders};
pub(crate) use onlooker::{Onlooker, onlooker};
pub(crate) use processes::{command_line, first_core, process_exists, processes_with};
pub(crate) use records::{
    Records, Row, all_files, assert_adds_up, count, csv_rows, file_names, whole,
};
