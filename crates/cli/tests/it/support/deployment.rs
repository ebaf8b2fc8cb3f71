//! The servers that the tests run against. The shared one is a replica set of one member that
//! obeys fail points; it ends with this process.

use std::sync::LazyLock;

use docstone_mongo::private::{PrivateServer, ServerOptions};

use super::{Onlooker, onlooker};

static SERVER: LazyLock<PrivateServer> = LazyLock::new(|| {
    start(&ServerOptions {
        test_commands: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    })
});

/// The server that all tests share which need no other.
pub(crate) fn server() -> &'static PrivateServer {
    &SERVER
}

/// Starts a server, or fails with the reason and its cure.
pub(crate) fn start(options: &ServerOptions) -> PrivateServer {
    PrivateServer::start(options).unwrap_or_else(|error| panic!("{error}"))
}

/// A connection string with more options, such as `appName=x`.
pub(crate) fn uri_with(server: &PrivateServer, options: &str) -> String {
    let uri = server.uri().expose().to_owned();
    let separator = match uri.split_once("://").expect("a scheme").1 {
        rest if rest.contains('?') => "&",
        rest if rest.contains('/') => "?",
        _ => "/?",
    };
    format!("{uri}{separator}{options}")
}

/// A database of the shared server that one test has for itself.
pub(crate) struct Database {
    /// Its name.
    pub(crate) name: String,
    /// The server's connection string; no database in it.
    pub(crate) uri: String,
}

/// A database of its own for the test of this name.
pub(crate) fn database(test: &str) -> Database {
    Database {
        name: format!("{}_{}", &test[..test.len().min(40)], std::process::id()),
        uri: server().uri().expose().to_owned(),
    }
}

impl Database {
    /// The target arguments of docstone.
    pub(crate) fn target(&self) -> [&str; 4] {
        ["--uri", &self.uri, "--database", &self.name]
    }

    /// A client that is no part of what is tested.
    pub(crate) fn onlooker(&self) -> Onlooker {
        onlooker(&self.uri, &self.name)
    }
}
