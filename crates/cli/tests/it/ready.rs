//! Ready files of whole applications: they run, and the server holds what they report.

use std::path::Path;

use crate::support::{Database, Ran, count, database, docstone};

fn ran(database: &Database, file: &str, settings: &[&str]) -> Ran {
    let workloads = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    docstone(["run", "--out", "out"])
        .arg(workloads.join(file))
        .args(database.target())
        .args(settings)
        .env("DOCSTONE_STEP", "3s")
        .run()
        .ended_with(0)
}

#[test]
fn the_order_book_writes_a_trade_for_each_match() {
    let database = database("order_book");
    let settings = ["data.orders.count=500", "data.accounts.count=100"];
    let ran = ran(&database, "orders/order-book.yaml", &settings);
    let records = ran.records();
    let ended = |name: &str| {
        let operation = records.operation("steady", name);
        assert!(count(&operation, "ok") > 0, "{name}: {operation:#}");
        assert_eq!(count(&operation, "errors"), 0, "{name}: {operation:#}");
        assert_eq!(count(&operation, "in_flight_at_end"), 0, "{operation:#}");
        count(&operation, "ok")
    };
    let (placed, matched) = (ended("place"), ended("match"));
    let _ = (ended("book"), ended("watch"));
    let onlooker = database.onlooker();
    assert_eq!(onlooker.count("trades"), matched);
    assert_eq!(onlooker.count("orders"), 500 + placed);
}

#[test]
fn the_sensors_report_a_hundred_measurements_at_a_time() {
    let database = database("sensors");
    let ran = ran(
        &database,
        "time-series/sensors.yaml",
        &["data.readings.count=1000"],
    );
    let records = ran.records();
    let reports = records.operation("steady", "report");
    let questions = records.operation("steady", "dashboard");
    assert_eq!(count(&reports, "errors"), 0, "{reports:#}");
    assert!(count(&questions, "ok") > 0, "{questions:#}");
    assert_eq!(count(&reports, "documents"), 100 * count(&reports, "ok"));
    let stored = database.onlooker().count("readings");
    assert_eq!(stored, 1_000 + 100 * count(&reports, "ok"));
}
