//! How many members of the target run on this machine, as far as their addresses tell.
//!
//! A forwarded port looks like a member here, and a container on this machine with an address of
//! its own does not.

use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

use bson::{Bson, Document};
use docstone_engine::target::Colocation;
use mongodb::options::ServerAddress;

/// How long the names of the members are looked up: the driver has done it before.
const LOOKUP: Duration = Duration::from_secs(2);

/// Looks at the members that the server names, or at the hosts of the connection string where it
/// names none or they alone are used.
pub(crate) async fn colocation(
    addresses: &[ServerAddress],
    direct: bool,
    hello: &Document,
) -> Colocation {
    let named = if direct { Vec::new() } else { members(hello) };
    let hosts = addresses.iter().map(ToString::to_string).collect();
    let hosts: Vec<String> = if named.is_empty() { hosts } else { named };
    let mut here = 0;
    for host in &hosts {
        here += u32::from(is_here(host).await);
    }
    Colocation {
        members: u32::try_from(hosts.len()).unwrap_or(u32::MAX),
        here,
    }
}

/// The members of a replica set that hold data.
fn members(hello: &Document) -> Vec<String> {
    let list = |name: &str| hello.get_array(name).map(Vec::as_slice).unwrap_or_default();
    let all = list("hosts").iter().chain(list("passives"));
    all.filter_map(Bson::as_str).map(str::to_owned).collect()
}

/// True for a Unix socket and for a host that has an address of this machine.
async fn is_here(host: &str) -> bool {
    if host.contains('/') || host.to_ascii_lowercase().contains("%2f") {
        return true;
    }
    let looked_up = tokio::time::timeout(LOOKUP, tokio::net::lookup_host(host)).await;
    let Ok(Ok(mut found)) = looked_up else {
        return false;
    };
    found.any(|address| is_own(address.ip()))
}

/// Only an address of this machine can be bound.
fn is_own(address: IpAddr) -> bool {
    address.is_loopback() || UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;

    fn of(addresses: &[&str], direct: bool, hello: &Document) -> Colocation {
        let parse = |text: &&str| ServerAddress::parse(text).expect("an address");
        let addresses: Vec<ServerAddress> = addresses.iter().map(parse).collect();
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().expect("a runtime");
        runtime.block_on(colocation(&addresses, direct, hello))
    }

    #[test]
    fn loopback_sockets_and_own_names_are_here_and_documentation_addresses_are_not() {
        for host in ["127.0.0.1:27017", "localhost:27017", "[::1]:27017"] {
            assert!(of(&[host], false, &doc! {}).is_whole(), "{host}");
        }
        assert!(of(&["/tmp/mongodb-27017.sock"], false, &doc! {}).is_whole());
        // 192.0.2.0/24 is kept for documentation (RFC 5737): no machine has such an address.
        let away = of(&["192.0.2.7:27017"], false, &doc! {});
        assert_eq!((away.members, away.here), (1, 0));
    }

    #[test]
    fn a_replica_set_is_here_only_if_all_its_members_are() {
        let hello = doc! {
            "hosts": ["127.0.0.1:1", "192.0.2.7:1"], "passives": ["127.0.0.1:2"],
            "arbiters": ["192.0.2.8:1"],
        };
        let part = of(&["127.0.0.1:1"], false, &hello);
        assert_eq!((part.members, part.here, part.is_whole()), (3, 2, false));
        assert!(
            of(&["127.0.0.1:1"], true, &hello).is_whole(),
            "only this one is used"
        );
    }
}
