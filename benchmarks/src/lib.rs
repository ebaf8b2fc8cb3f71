//! docstone against its own budgets. Each binary prints its figures with their limits and ends
//! with the line `ratio: N`, the worst measured value over its limit or its peer.

use std::path::PathBuf;

use docstone_config::{Overrides, plan_from_text};
use docstone_model::Plan;
use docstone_mongo::private::{PrivateServer, ServerOptions};

/// A private mongod for one benchmark, with a cache that holds all its data.
///
/// # Panics
/// If no mongod is found or it does not start.
pub fn server() -> PrivateServer {
    let options = ServerOptions {
        cache_gb: Some(1.0),
        ..ServerOptions::default()
    };
    PrivateServer::start(&options).expect("a mongod; `cargo xtask mongod` fetches one")
}

/// The plan of a workload text against a server.
///
/// # Panics
/// If the text is no valid workload.
pub fn plan(text: &str, uri: &str) -> Plan {
    let overrides = Overrides {
        uri: Some(uri.to_owned()),
        ..Overrides::default()
    };
    plan_from_text("benchmark.yaml", text, &overrides, &|_| None)
        .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(false)))
}

/// The docstone binary that `cargo xtask bench` built.
///
/// # Panics
/// If it is not named by `DOCSTONE_BIN`.
pub fn docstone() -> PathBuf {
    PathBuf::from(std::env::var_os("DOCSTONE_BIN").expect("run it by `cargo xtask bench NAME`"))
}

/// The first argument as a number, or a default.
pub fn argument(default: u64) -> u64 {
    std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// The median; 0 of nothing.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
    }
}
