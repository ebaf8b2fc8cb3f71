//! Targets that cannot be reached: one line that names host and cause, in time, without secrets.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use docstone_engine::target::{TargetError, TargetErrorKind};
use docstone_mongo::MongoTarget;
use docstone_mongo::private::ServerOptions;

use crate::deployment::{shared, start, three_members};
use crate::plans::{self, plan};

fn refused(uri: &str) -> TargetError {
    let mut plan = plan(uri, "reach", vec![plans::insert()]);
    plan.target.connect_timeout_ns = 3_000_000_000;
    let started = Instant::now();
    let error = MongoTarget::connect(&plan).map(|_| ()).expect_err(uri);
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );
    assert!(
        !error.message.contains('\n') && !error.message.contains("Kind:"),
        "{error}"
    );
    error
}

fn port_of(uri: &str) -> &str {
    let rest = uri.rsplit_once("127.0.0.1:").expect("a loopback address").1;
    rest.split(['/', ',', '?']).next().expect("a port")
}

#[test]
fn nothing_listening_is_named_with_host_and_port() {
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|free| free.local_addr())
        .expect("port");
    let port = port.port();
    let error = refused(&format!("mongodb://bob:geheim@127.0.0.1:{port}/"));
    assert_eq!(error.kind, TargetErrorKind::Unreachable);
    assert_eq!(
        error.message,
        format!("127.0.0.1:{port}: connection refused: nothing listens there")
    );
    assert!(error.help.is_some());
}

#[test]
fn an_unknown_host_is_named() {
    let error = refused("mongodb://no-such-host.invalid:27017/");
    assert_eq!(error.kind, TargetErrorKind::Unreachable);
    assert!(
        error
            .message
            .contains("no-such-host.invalid:27017: unknown host"),
        "{error}"
    );
}

#[test]
fn silence_ends_with_the_connect_timeout() {
    // Accepts connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = silent.local_addr().expect("address").port();
    let started = Instant::now();
    let error = refused(&format!("mongodb://127.0.0.1:{port}/"));
    assert!(
        started.elapsed() >= Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(
        error.message,
        format!("127.0.0.1:{port}: no answer within 3 s")
    );
}

#[test]
fn an_srv_name_that_does_not_resolve_is_a_dns_failure_with_advice_for_atlas() {
    let error = refused("mongodb+srv://bob:geheim@no-such-cluster.abcde.mongodb.net/");
    assert_eq!(error.kind, TargetErrorKind::Unreachable);
    let (host, cause) = error.message.split_once(": ").expect("host and cause");
    assert_eq!(host, "no-such-cluster.abcde.mongodb.net");
    // A machine without a name server says it otherwise. The resolver's own record is not shown.
    assert!(cause.contains("DNS") && !cause.contains("Query"), "{error}");
    let help = error.help.as_deref().unwrap_or_default();
    assert!(
        help.contains("access list") && help.contains("paused"),
        "{help}"
    );
    assert!(!format!("{error:?}").contains("geheim"));
}

#[test]
fn another_replica_set_than_the_one_asked_for_is_named() {
    let port = port_of(shared().uri().expose()).to_owned();
    let error = refused(&format!("mongodb://127.0.0.1:{port}/?replicaSet=other"));
    assert_eq!(error.kind, TargetErrorKind::Unreachable);
    assert!(
        error.message.contains("replicaSet=other was asked for"),
        "{error}"
    );
}

#[test]
fn tls_asked_of_a_plain_server_is_named() {
    let port = port_of(shared().uri().expose()).to_owned();
    let error = refused(&format!("mongodb://127.0.0.1:{port}/?tls=true"));
    assert_eq!(error.kind, TargetErrorKind::Unreachable);
    assert!(error.message.contains("TLS"), "{error}");
}

#[test]
fn tls_servers_refuse_plain_clients_and_unknown_authorities_are_named() {
    let server = start(&ServerOptions {
        tls: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let uri = server.uri();
    let port = port_of(uri.expose());
    let plain = refused(&format!("mongodb://127.0.0.1:{port}/"));
    assert!(plain.message.contains("may require TLS"), "{plain}");
    let unknown = refused(&format!("mongodb://127.0.0.1:{port}/?tls=true"));
    assert!(unknown.message.contains("not signed by a CA"), "{unknown}");
    let verified = plan(uri.expose(), "reach", vec![plans::insert()]);
    assert!(MongoTarget::connect(&verified).is_ok());
    let insecure_uri = format!("mongodb://127.0.0.1:{port}/?tls=true");
    let mut insecure = plan(&insecure_uri, "reach", vec![plans::insert()]);
    insecure.target.tls_insecure = true;
    let target = MongoTarget::connect(&insecure).unwrap_or_else(|error| panic!("{error}"));
    let description = docstone_engine::target::Target::describe(&target);
    assert_eq!(description.environment.tls.as_deref(), Some("insecure"));
    assert!(
        description
            .notes
            .iter()
            .any(|note| note.contains("not verified"))
    );
}

#[test]
fn without_tls_no_certificate_is_said_to_be_unverified() {
    let mut plan = plan(shared().uri().expose(), "reach", vec![plans::insert()]);
    plan.target.tls_insecure = true;
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    let notes = docstone_engine::target::Target::describe(&target).notes;
    assert!(
        !notes.iter().any(|note| note.contains("not verified")),
        "{notes:?}"
    );
    let said = notes
        .iter()
        .filter(|note| note.contains("tls_insecure has no effect"));
    assert_eq!(said.count(), 1, "{notes:?}");
}

#[test]
fn a_secondary_is_refused_for_writes_only() {
    let server = three_members();
    let primary = server.primary().expect("a primary");
    let secondary = (0..3)
        .find(|member| *member != primary)
        .expect("three members");
    let port = server.members()[secondary].port;
    let uri = format!("mongodb://127.0.0.1:{port}/?directConnection=true");
    let error = refused(&uri);
    assert_eq!(error.kind, TargetErrorKind::Plan);
    assert!(error.message.contains("is not a primary"), "{error}");
    let reads = format!("{uri}&readPreference=secondaryPreferred");
    let reading = plan(&reads, "reach", vec![plans::find_one()]);
    assert!(MongoTarget::connect(&reading).is_ok());
}
