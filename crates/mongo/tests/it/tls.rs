//! Certificates that do not fit: one line with cause and cure.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use docstone_engine::target::TargetError;
use docstone_mongo::MongoTarget;
use docstone_mongo::private::ServerOptions;

use crate::deployment::start;
use crate::plans::{self, plan};

fn refused(uri: &str) -> TargetError {
    let mut plan = plan(uri, "tls", vec![plans::insert()]);
    plan.target.connect_timeout_ns = 3_000_000_000;
    let error = MongoTarget::connect(&plan).map(|_| ()).expect_err(uri);
    assert!(!error.message.contains('\n'), "{error}");
    error
}

/// Another address of this machine for the server, which its certificate does not name.
fn other_address(port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.2:0").expect("a loopback address");
    let other = listener.local_addr().expect("an address").port();
    let copy = |mut from: TcpStream, mut to: TcpStream| {
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = from.read(&mut bytes) {
                if to.write_all(&bytes[..length]).is_err() {
                    break;
                }
            }
        })
    };
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else {
                return;
            };
            let ends = (client.try_clone(), server.try_clone());
            if let (Ok(client_end), Ok(server_end)) = ends {
                let _ = copy(client, server);
                let _ = copy(server_end, client_end);
            }
        }
    });
    other
}

#[test]
fn certificates_and_authorities_that_do_not_fit_are_named_with_the_cure() {
    let server = start(&ServerOptions {
        tls: true,
        standalone: true,
        cache_gb: Some(0.25),
        ..ServerOptions::default()
    });
    let uri = server.uri();
    let port = server.members()[0].port;
    let authority = uri.expose().split_once("tlsCAFile=").expect("a file").1;
    let authority = authority.split('&').next().expect("a file");

    let other = other_address(port);
    let options = format!("directConnection=true&tls=true&tlsCAFile={authority}");
    let misnamed = refused(&format!("mongodb://127.0.0.2:{other}/?{options}"));
    assert!(
        misnamed
            .message
            .starts_with(&format!("127.0.0.2:{other}: "))
    );
    assert!(
        misnamed.message.contains("not for this host name"),
        "{misnamed}"
    );
    assert!(misnamed.message.contains("localhost"), "{misnamed}");
    assert!(
        misnamed
            .help
            .expect("a cure")
            .contains("names that the certificate")
    );

    let file = std::env::temp_dir().join(format!("docstone-no-pem-{}", std::process::id()));
    for content in ["hello", ""] {
        std::fs::write(&file, content).expect("written");
        let path = file.to_str().expect("a path");
        let uri = format!("mongodb://127.0.0.1:{port}/?tls=true&tlsCAFile={path}");
        let no_pem = refused(&uri);
        assert!(no_pem.message.contains(path), "{no_pem}");
        assert!(no_pem.message.contains("no certificate"), "{no_pem}");
        assert!(no_pem.help.expect("a cure").contains("PEM"));
    }
    let gone = refused(&format!(
        "mongodb://127.0.0.1:{port}/?tls=true&tlsCAFile=/no/ca.pem"
    ));
    assert!(gone.message.contains("/no/ca.pem"), "{gone}");
    std::fs::remove_file(&file).expect("removed");
}
