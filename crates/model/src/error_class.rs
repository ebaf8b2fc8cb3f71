//! Classes of failed operations.

use std::fmt;

/// Why an operation failed. Its text form is the key of `errors_by_code` in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorClass {
    /// The server answered with this error code.
    Server(i32),
    /// The connection broke or could not be opened.
    Network,
    /// The operation's own limit passed; counted at its age.
    Timeout,
    /// No suitable server was known within the selection limit.
    ServerSelection,
    /// The connection pool was cleared while the operation waited for a connection.
    PoolCleared,
    /// Anything else on the client's side.
    Client,
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(code) => write!(f, "{code}"),
            Self::Network => f.write_str("network"),
            Self::Timeout => f.write_str("timeout"),
            Self::ServerSelection => f.write_str("server_selection"),
            Self::PoolCleared => f.write_str("pool_cleared"),
            Self::Client => f.write_str("client"),
        }
    }
}
