//! What is said of a compressor that the server does not share.

use docstone_engine::target::{Target, TargetDescription};
use docstone_model::Compressor;
use docstone_mongo::MongoTarget;
use docstone_mongo::private::{PrivateServer, ServerOptions};
use serde_json::Value;

use crate::deployment::start;
use crate::plans::{self, plan};

fn described(uri: &str, compressor: Option<Compressor>) -> TargetDescription {
    let mut plan = plan(uri, "compression", vec![plans::insert()]);
    plan.target.compressor = compressor;
    let target = MongoTarget::connect(&plan).unwrap_or_else(|error| panic!("{error}"));
    target.describe()
}

fn snappy_alone() -> PrivateServer {
    start(&ServerOptions {
        standalone: true,
        cache_gb: Some(0.25),
        compressors: Some("snappy".to_owned()),
        ..ServerOptions::default()
    })
}

fn recorded<'a>(description: &'a TargetDescription, key: &str) -> &'a Value {
    let of_server = description.server.compression.as_ref();
    &of_server.expect("a record of the compression")[key]
}

fn said(description: &TargetDescription) -> Vec<&String> {
    let notes = description.notes.iter();
    notes.filter(|note| note.contains("compressor")).collect()
}

#[test]
fn a_compressor_that_the_server_does_not_share_is_said_and_recorded() {
    let server = snappy_alone();
    let uri = server.uri();
    let uri = uri.expose();

    let unshared = described(uri, Some(Compressor::Zlib(Some(9))));
    assert_eq!(recorded(&unshared, "requested"), "zlib:9");
    assert_eq!(recorded(&unshared, "negotiated"), "none");
    let notes = said(&unshared);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("zlib:9") && notes[0].contains("not compressed"));

    let shared = described(uri, Some(Compressor::Snappy));
    assert_eq!(recorded(&shared, "negotiated"), "snappy");
    assert!(said(&shared).is_empty());

    let separator = if uri.contains('?') { '&' } else { '?' };
    let several = format!("{uri}{separator}compressors=zstd,snappy");
    let second = described(&several, None);
    assert_eq!(recorded(&second, "requested"), "zstd,snappy");
    assert_eq!(recorded(&second, "negotiated"), "snappy");
    assert!(said(&second)[0].contains("snappy is used"));

    let nothing = described(uri, None);
    assert_eq!(recorded(&nothing, "negotiated"), "none");
    assert!(said(&nothing).is_empty());
}
