//! Free ports on the loopback address.

use std::net::{Ipv4Addr, TcpListener};

use super::error::PrivateError;

/// Ports are taken below the range from which Linux serves outgoing connections (from 32768), so
/// that a member which is down for a while finds its port free when it comes back.
const FIRST: u16 = 20_000;
const LAST: u16 = 31_999;

/// Ports to try before giving up.
const ATTEMPTS: u16 = 500;

/// A port on which nothing listens now. Another program may take it before mongod does; whoever
/// starts a server tries again then.
pub(super) fn free_port() -> Result<u16, PrivateError> {
    let random = uuid::Uuid::new_v4().as_u128();
    let span = u128::from(LAST - FIRST) + 1;
    let start = u16::try_from(random % span).expect("the span is less than 65,536");
    (0..ATTEMPTS)
        .map(|step| FIRST + (start + step) % (LAST - FIRST + 1))
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .ok_or(PrivateError::NoPort(FIRST, LAST))
}
