//! Targets that cannot be reached, or do not let docstone in: exit status 3, one line that names
//! host and cause, in time, and no file that claims a result.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use docstone_mongo::private::{PrivateServer, ServerOptions};
use mongodb::bson::doc;

use crate::support::{Docstone, Ran, docstone, onlooker, server, start};

const FILE: &str = "
name: reach
data:
  c: {count: 10, document: {fields: {_id: {$sequence: {}}, n: 1}}}
operations:
  find: {find_one: {collection: c, filter: {_id: {$key: {}}}}}
load:
  - {name: s, closed: {concurrency: 2}, operations: 20}
";

/// A password that holds what must be percent-encoded, raw and encoded.
const PASSWORD: &str = "p@ss:w/%";
const ENCODED: &str = "p%40ss%3Aw%2F%25";

fn run(uri: &str) -> Docstone {
    docstone(["run", "w.yaml", "--out", "out", "--uri", uri]).file("w.yaml", FILE)
}

/// What a person sees: one line with host and cause, one with help.
#[track_caller]
fn refused(ran: Ran, host: &str, cause: &str) -> Ran {
    let ran = ran.ended_with(3);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let [error, rest @ ..] = &lines[..] else {
        panic!("nothing is said");
    };
    assert!(error.starts_with("error: "), "{error}");
    assert!(error.contains(host), "no {host} in {error}");
    assert!(error.contains(cause), "no `{cause}` in {error}");
    assert!(rest.len() <= 1, "{}", ran.stderr);
    assert!(
        rest.iter().all(|line| line.starts_with("help: ")),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stdout, "");
    assert!(!ran.path("out").exists(), "a folder that claims a result");
    ran
}

/// A port of this machine on which nothing listens.
fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn where_nothing_listens_host_and_port_are_named() {
    let host = format!("127.0.0.1:{}", closed_port());
    let started = Instant::now();
    let ran = run(&format!("mongodb://{host}/")).run();
    assert!(started.elapsed() < Duration::from_secs(6));
    let _ = refused(ran, &host, "connection refused");
}

#[test]
fn the_old_command_line_says_the_same() {
    let port = closed_port();
    let ran = docstone([
        "idealo", "-m", "insert", "-o", "10", "-t", "1", "-db", "d", "-c", "c",
    ])
    .args([
        "--out",
        "out",
        "-h",
        "127.0.0.1",
        "-port",
        &port.to_string(),
    ])
    .run();
    let ran = refused(ran, &format!("127.0.0.1:{port}"), "connection refused");
    let left: Vec<_> = std::fs::read_dir(ran.folder.path())
        .expect("a folder")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_unknown_host_is_named() {
    let ran = run("mongodb://no-such-host.invalid:27017/").run();
    let ran = ran.ended_with(3).says("no-such-host.invalid");
    // A machine without a name server tells it otherwise.
    let named = ["unknown host", "DNS"];
    assert!(
        named.iter().any(|word| ran.stderr.contains(word)),
        "{}",
        ran.stderr
    );
    assert!(!ran.path("out").exists());
}

#[test]
fn a_host_that_never_answers_is_given_up_after_five_seconds() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let host = silent.local_addr().expect("an address").to_string();
    let started = Instant::now();
    let ran = run(&format!("mongodb://{host}/")).run();
    let took = started.elapsed();
    let _ = refused(ran, &host, "no answer within 5 s");
    assert!((4.5..9.0).contains(&took.as_secs_f64()), "{took:?}");
}

#[test]
fn the_connect_timeout_can_be_shorter() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let host = silent.local_addr().expect("an address").to_string();
    let started = Instant::now();
    let uri = format!("mongodb://{host}/");
    let ran = run(&uri).args(["--connect-timeout", "1s"]).run();
    let took = started.elapsed();
    let _ = refused(ran, &host, "no answer within 1 s");
    assert!((0.8..4.0).contains(&took.as_secs_f64()), "{took:?}");
}

#[test]
fn a_raw_password_in_the_connection_string_gets_advice_and_is_not_echoed() {
    for password in ["p@ss", "p:ss", "p/ss", "p%ss", PASSWORD] {
        let uri = format!("mongodb://bob:{password}@127.0.0.1:27017/");
        let ran = run(&uri).run().ended_with(2);
        let ran = ran.says("percent-encode").says("--uri");
        assert!(!ran.stderr.contains(password), "{}", ran.stderr);
        assert!(!ran.stderr.contains("ss@"), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
        assert!(!ran.path("out").exists());
    }
}

/// A server that wants a login, with a user of each kind.
fn with_users() -> PrivateServer {
    let server = start(&ServerOptions {
        auth: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let admin = onlooker(server.uri().expose(), "admin");
    for (user, role, database) in [
        ("writer", "readWrite", "docstone"),
        ("reader", "read", "docstone"),
        ("stranger", "readWrite", "elsewhere"),
    ] {
        let roles = vec![doc! {"role": role, "db": database}];
        let _ = admin.admin(doc! {"createUser": user, "pwd": PASSWORD, "roles": roles});
    }
    server
}

#[test]
fn who_may_not_is_told_so_and_who_may_needs_no_more_than_read_write() {
    let server = with_users();
    let host = format!("127.0.0.1:{}", server.members()[0].port);
    let uri = |user: &str, password: &str| format!("mongodb://{user}:{password}@{host}/");

    let ran = run(&uri("writer", "wrong")).run();
    let _ = refused(ran, &host, "user `writer` could not authenticate");
    let ran = run(&format!("mongodb://{host}/")).run();
    let _ = refused(ran, &host, "not allowed to find").says("wants a login");
    let ran = run(&uri("stranger", ENCODED)).run();
    let _ = refused(ran, &host, "user `stranger` is not allowed to find");
    let ran = run(&uri("reader", ENCODED)).run();
    let ran = refused(ran, &host, "user `reader` is not allowed to insert").says("readWrite");
    assert!(!ran.stderr.contains(PASSWORD) && !ran.stderr.contains(ENCODED));

    let ran = run(&uri("writer", ENCODED)).run().ended_with(0);
    let trial = ran.records().trial("s");
    assert_eq!(trial["operations"]["find"]["ok"], 20);
    assert_eq!(trial["server"]["version"], "6.0.5");
    let reason = trial["server"]["unavailable"]["cache"].as_str();
    assert!(
        reason.is_some_and(|reason| reason.contains("clusterMonitor")),
        "{trial:#}"
    );
    assert_eq!(
        trial["environment"]["cache_size_bytes"],
        serde_json::Value::Null
    );

    // The password as it is, without encoding, from where nobody sees it.
    let ran = run(&format!("mongodb://writer@{host}/?authSource=admin"))
        .env("DOCSTONE_PASSWORD", PASSWORD)
        .arg("--reuse")
        .run();
    let _ = ran.ended_with(0);
}

#[test]
fn a_server_with_tls_is_reached_only_by_tls_and_its_own_authority() {
    let server = start(&ServerOptions {
        tls: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let host = format!("127.0.0.1:{}", server.members()[0].port);
    let ran = run(&format!("mongodb://{host}/")).run();
    let _ = refused(ran, &host, "may require TLS").says("tls=true");
    let ran = run(&format!("mongodb://{host}/?tls=true")).run();
    let _ = refused(ran, &host, "not signed by a CA that is trusted").says("tlsCAFile");

    let other = start(&ServerOptions {
        tls: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let authority = |server: &PrivateServer| server.dir().join("ca.pem").display().to_string();
    let uri = format!("mongodb://{host}/?tls=true&tlsCAFile={}", authority(&other));
    let _ = refused(run(&uri).run(), &host, "TLS failed");
    let ran = run(&format!(
        "mongodb://{host}/?tls=true&tlsCAFile=/no/such.pem"
    ))
    .run();
    let ran = ran.ended_with(2).says("/no/such.pem");
    assert!(!ran.path("out").exists());

    let uri = format!(
        "mongodb://{host}/?tls=true&tlsCAFile={}",
        authority(&server)
    );
    let ran = run(&uri).run().ended_with(0);
    assert_eq!(ran.records().trial("s")["environment"]["tls"], "verified");
    let ran = run(&format!("mongodb://{host}/?tls=true"))
        .args(["--tls-insecure", "--reuse"])
        .run()
        .ended_with(0);
    assert_eq!(ran.records().trial("s")["environment"]["tls"], "insecure");
    assert!(ran.stdout.contains("insecure"), "{}", ran.stdout);
}

#[test]
fn tls_asked_of_a_plain_server_is_named() {
    let host = format!("127.0.0.1:{}", server().members()[0].port);
    let ran = run(&format!("mongodb://{host}/?tls=true")).run();
    let _ = refused(ran, &host, "TLS").says("leave out tls=true");
}
