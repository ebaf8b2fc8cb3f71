//! `docstone idealo`: the old tool's command lines, what they do to a collection, and the old
//! tool's outputs. How arguments become a plan is tested where that is done.

mod arguments;
mod modes;
mod outputs;

use docstone_mongo::private::PrivateServer;

use crate::support::{Database, Docstone, Ran, Row, csv_rows, docstone, server};

/// The old tool's collection.
const PERF: &str = "perf";

/// A command line as it is typed, for one collection of the shared server; records go to `out`.
fn idealo(line: &str, database: &Database) -> Docstone {
    idealo_at(line, server(), &database.name)
}

fn idealo_at(line: &str, server: &PrivateServer, database: &str) -> Docstone {
    let port = server.members()[0].port;
    let line = format!("{line} -port {port} -db {database} -c {PERF} --out out");
    docstone(["idealo"]).args(line.split(' '))
}

/// The one operation of the only trial.
fn operation(ran: &Ran, mode: &str) -> serde_json::Value {
    ran.records().operation("step-1", mode)
}

/// The rows of a CSV file of the old tool.
fn stats(ran: &Ran, file: &str) -> Vec<Row> {
    csv_rows(&ran.path(file))
}
