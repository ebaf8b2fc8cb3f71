//! Tests of what is said about targets that cannot be reached.

use super::*;

fn io_error(kind: io::ErrorKind, text: &str) -> Error {
    Error::from(io::Error::new(kind, text.to_owned()))
}

#[test]
fn causes_are_told_apart() {
    let cause = |kind, text| Cause::of(&io_error(kind, text));
    assert_eq!(cause(io::ErrorKind::ConnectionRefused, "x"), Cause::Refused);
    assert_eq!(
        cause(
            io::ErrorKind::Other,
            "failed to lookup address information: Name or service"
        ),
        Cause::UnknownHost
    );
    assert_eq!(cause(io::ErrorKind::TimedOut, "x"), Cause::NoAnswer);
    assert_eq!(
        cause(io::ErrorKind::UnexpectedEof, "tls handshake eof"),
        Cause::Closed
    );
    let Cause::Tls(text) = cause(
        io::ErrorKind::InvalidData,
        "invalid peer certificate: UnknownIssuer",
    ) else {
        panic!("a certificate of an unknown CA is a TLS failure");
    };
    assert!(text.contains("CA"), "{text}");
}

#[test]
fn a_closed_connection_is_read_by_what_was_asked() {
    let limit = Duration::from_secs(5);
    assert!(Cause::Closed.text(true, limit).contains("may not use TLS"));
    assert!(Cause::Closed.text(false, limit).contains("may require TLS"));
}

#[test]
fn silence_may_pass_and_refusal_does_not() {
    assert!(!Cause::NoAnswer.is_definite() && Cause::Refused.is_definite());
}

fn said(uri: &str, sights: &Sights) -> (String, Option<String>) {
    let target = docstone_model::TargetPlan::new(docstone_model::MongoUri::new(uri), "shop");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let settings = runtime
        .expect("runtime")
        .block_on(Settings::resolve(&target));
    selection_failure(
        &settings.unwrap_or_else(|error| panic!("{error}")),
        sights,
        Duration::from_secs(5),
    )
}

fn sights(hosts: &[(&str, ServerType, Option<Error>)]) -> Sights {
    let mut sights = Sights::default();
    for (host, kind, failure) in hosts {
        let _ = sights.types.insert((*host).to_owned(), *kind);
        if let Some(failure) = failure {
            let _ = sights.failures.insert((*host).to_owned(), failure.clone());
        }
    }
    sights
}

#[test]
fn hosts_with_the_same_cause_share_a_clause() {
    let refused = || Some(io_error(io::ErrorKind::ConnectionRefused, "x"));
    let seen = sights(&[
        ("a:1", ServerType::Unknown, refused()),
        ("b:1", ServerType::Unknown, None),
        ("c:1", ServerType::Unknown, refused()),
    ]);
    let (message, help) = said("mongodb://a:1,b:1,c:1/", &seen);
    assert_eq!(
        message,
        "a:1, c:1: connection refused: nothing listens there; b:1: no answer within 5 s"
    );
    assert!(help.expect("help").contains("start the server"));
}

#[test]
fn a_silent_name_server_is_told_from_a_silent_host() {
    let mut seen = sights(&[("h:27017", ServerType::Unknown, None)]);
    let _ = seen.looked_up.insert("h:27017".to_owned());
    assert_eq!(
        said("mongodb://h/", &seen).0,
        "h:27017: DNS gave no answer within 5 s"
    );
}

#[test]
fn names_that_only_the_replica_set_knows_get_advice() {
    let unknown = io_error(io::ErrorKind::Other, "failed to lookup address information");
    let seen = sights(&[("mongo1:27017", ServerType::Unknown, Some(unknown))]);
    let (message, help) = said("mongodb://127.0.0.1:27017/", &seen);
    assert!(
        message.starts_with("mongo1:27017: unknown host"),
        "{message}"
    );
    assert!(help.expect("help").contains("directConnection=true"));
}

#[test]
fn members_without_a_primary_are_named() {
    let seen = sights(&[
        ("a:1", ServerType::RsSecondary, None),
        (
            "b:1",
            ServerType::Unknown,
            Some(io_error(io::ErrorKind::ConnectionRefused, "x")),
        ),
    ]);
    let (message, _) = said("mongodb://a:1,b:1/", &seen);
    assert!(
        message.contains("no suitable server") && message.ends_with("answering: a:1 (RSSecondary)")
    );
}

#[test]
fn atlas_clusters_get_their_own_advice() {
    let (_, help) = said("mongodb://x.abcde.mongodb.net/", &Sights::default());
    assert!(help.expect("help").contains("IP access list"));
}

#[test]
fn a_replica_set_of_another_name_is_named() {
    let mut seen = Sights::default();
    let _ = seen.set_names.insert("a:1".to_owned(), "rs0".to_owned());
    let (message, _) = said("mongodb://a:1/?replicaSet=rs1", &seen);
    assert_eq!(
        message,
        "a:1 is a member of replica set `rs0`, and replicaSet=rs1 was asked for"
    );
}

#[test]
fn standalones_among_several_hosts_are_named() {
    let mut seen = Sights::default();
    for host in ["a:1", "b:1"] {
        let _ = seen.set_names.insert(host.to_owned(), String::new());
    }
    let (message, _) = said("mongodb://a:1,b:1/", &seen);
    assert_eq!(message, "a:1, b:1: not members of one replica set");
}
