//! Documents of an exact size whose messages compress as well as the file asks for.

use std::path::Path;

use docstone_mongo::private::ServerOptions;
use mongodb::bson::{Bson, Document, doc};
use serde_json::Value;

use crate::support::{Onlooker, count, database, docstone, onlooker, start, uri_with};

/// Orders of 51 KB at ratio 3, with what is to be done with them.
fn orders(count: u64, operations: &str, load: &str) -> String {
    format!(
        "
name: payloads
data:
  orders:
    count: {count}
    document:
      size: 51KB
      compressibility: 3
      fields: {{_id: {{$uuid: {{}}}}, n: {{$sequence: {{}}}}, at: {{$now: {{}}}}, kind: order,
                text: {{$payload: {{}}}}, note: {{more: {{$payload: {{}}}}}}}}
operations: {operations}
load: [{{name: steady, {load}}}]
"
    )
}

const INSERT: &str = "{insert: {insert_one: {collection: orders}}}";

#[test]
fn stored_documents_have_exactly_the_size_and_all_are_there() {
    let database = database("payload_sizes");
    let operations = "{
  insert: {insert_one: {collection: orders}},
  replace: {replace_one: {collection: orders, filter: {_id: {$key: {}}}}},
}
scenario: {mix: {insert: 50, replace: 50}}";
    let load = "closed: {concurrency: 4}, operations: 200";
    let ran = docstone(["run", "w.yaml", "--out", "out"])
        .args(database.target())
        .file("w.yaml", orders(150, operations, load))
        .run()
        .ended_with(0);
    let records = ran.records();
    let inserted = count(&records.operation("steady", "insert"), "ok");
    let replaced = count(&records.operation("steady", "replace"), "ok");
    assert_eq!(inserted + replaced, 200);
    let onlooker = database.onlooker();
    assert_eq!(onlooker.count("orders"), 150 + inserted);
    assert_eq!(onlooker.sizes("orders"), (51_000, 51_000));

    let data = &records.trial("steady")["data"]["orders"];
    assert_eq!(data["document_bytes"], 51_000);
    let reached = &data["compressibility"];
    assert_eq!(
        (&reached["target"], &reached["unit"]),
        (&3.0.into(), &"a request of `insert`".into())
    );
    let zstd = reached["zstd"].as_f64().expect("a ratio");
    assert!((2.85..=3.15).contains(&zstd), "{reached}");
    let said = "data orders: documents of exactly 51,000 bytes, compression ratios zstd ";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
}

/// A counter of what the server has decompressed, in bytes.
fn decompressed(onlooker: &Onlooker, codec: &str, counter: &str) -> f64 {
    let status = onlooker.admin(doc! {"serverStatus": 1});
    let mut at: &Document = &status;
    for key in ["network", "compression", codec, "decompressor"] {
        at = at.get_document(key).expect(key);
    }
    match at.get(counter) {
        Some(Bson::Int64(bytes)) => *bytes as f64,
        Some(Bson::Int32(bytes)) => f64::from(*bytes),
        other => panic!("{counter}: {other:?}"),
    }
}

#[test]
fn the_server_sees_the_ratio_that_was_predicted_with_each_compressor() {
    let server = start(&ServerOptions {
        standalone: true,
        cache_gb: Some(0.25),
        compressors: Some("snappy,zlib,zstd".to_owned()),
        ..ServerOptions::default()
    });
    for codec in ["snappy", "zlib", "zstd"] {
        let onlooker = onlooker(server.uri().expose(), codec);
        let uri = uri_with(&server, &format!("compressors={codec}"));
        let before = ["bytesOut", "bytesIn"].map(|counter| decompressed(&onlooker, codec, counter));
        let ran = docstone([
            "run",
            "w.yaml",
            "--out",
            "out",
            "--uri",
            &uri,
            "--database",
            codec,
        ])
        .file(
            "w.yaml",
            orders(0, INSERT, "closed: {concurrency: 2}, operations: 150"),
        )
        .run()
        .ended_with(0);
        let after = ["bytesOut", "bytesIn"].map(|counter| decompressed(&onlooker, codec, counter));
        let seen = (after[0] - before[0]) / (after[1] - before[1]);
        let reached = &ran.records().trial("steady")["data"]["orders"]["compressibility"];
        let predicted = reached[codec].as_f64().expect("a ratio");
        assert!(
            (seen / predicted - 1.0).abs() < 0.1,
            "{codec}: {seen} {predicted}"
        );
        assert_eq!(onlooker.sizes("orders"), (51_000, 51_000));
    }
}

/// Of a ready file of the compression study: whether it ran, and the shares of a message that
/// Snappy and zstd remove, in percent.
fn removed_in(file: &str) -> [f64; 2] {
    let database = database(&format!("compression_{}", file.replace('-', "_")));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads/compression");
    let mut run = docstone(["run", "--out", "out"])
        .arg(folder.join(format!("{file}.yaml")))
        .args(database.target())
        .env("DOCSTONE_STEP", "1s");
    if !file.ends_with("ingest") {
        run = run.args(["--set", "data.documents.count=100"]);
    }
    let ran = run.run().ended_with(0);
    let trial = ran.records().trial("steady");
    let all = trial["operations"].as_object().expect("operations");
    for (name, operation) in all {
        assert!(count(operation, "ok") > 0, "{file}: {name}");
    }
    let document = database.onlooker().documents("documents").remove(0);
    assert!((10..=11).contains(&document.len()), "{file}: {document}");
    let data = &trial["data"]["documents"];
    let bytes = i32::try_from(count(data, "document_bytes")).expect("a size");
    assert_eq!(database.onlooker().sizes("documents"), (bytes, bytes));
    ["snappy", "zstd"].map(|codec| {
        let ratio = data["compressibility"][codec].as_f64().expect("a ratio");
        100.0 * (1.0 - 1.0 / ratio)
    })
}

#[test]
fn the_files_of_the_compression_study_run_and_compress_as_they_say() {
    for kind in ["ingest", "read", "mixed"] {
        let [snappy, zstd] = removed_in(&format!("pocdriver-{kind}"));
        assert!((93.0..=96.0).contains(&snappy), "{kind}: {snappy}");
        assert!((98.0..=100.0).contains(&zstd), "{kind}: {zstd}");
        let [_, zstd] = removed_in(&format!("ratio3-{kind}"));
        assert!((65.0..=68.3).contains(&zstd), "{kind}: {zstd}");
    }
}

#[test]
fn a_ratio_that_cannot_be_reached_is_refused_before_anything_is_started() {
    let file = orders(0, INSERT, "closed: {concurrency: 1}, operations: 1")
        .replace("51KB", "400")
        .replace("compressibility: 3", "compressibility: 9");
    let ran = docstone(["run", "w.yaml", "--out", "out", "--private"])
        .file("w.yaml", &file)
        .run()
        .ended_with(2)
        .says("`data.orders.document.compressibility`: 9 is not reached")
        .says("reach ratios from 1.");
    assert!(!ran.path("out").exists());
    let _ = docstone(["plan", "w.yaml", "--private"])
        .file("w.yaml", file)
        .run()
        .ended_with(2);
}

#[test]
fn a_plan_says_size_and_ratios_and_holds_what_makes_them() {
    let file = orders(10, INSERT, "closed: {concurrency: 1}, operations: 1");
    let ran = docstone(["plan", "w.yaml", "--private"])
        .file("w.yaml", &file)
        .run()
        .ended_with(0);
    for part in [
        "exactly 51,000 bytes each, about 510 KB in all",
        "compression ratios: zstd ",
        "(a request of insert, 51,2",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let ran = docstone(["plan", "w.yaml", "--private", "--json"])
        .file("w.yaml", file)
        .run()
        .ended_with(0);
    let plan: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let text = &plan["plan"]["data"][0]["document"]["text"]["$payload"];
    assert_eq!(
        (&text["document_bytes"], &text["compressibility"]),
        (&51_000.into(), &3.0.into())
    );
}
