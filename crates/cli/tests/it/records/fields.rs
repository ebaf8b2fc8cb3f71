//! Which fields the records have, and what stands in those without a number.

use serde_json::Value;

use super::{CELLS, RUN, parts};

/// Where in a trial's record, and the fields that must be there.
const TRIAL: [(&str, &str); 8] = [
    (
        "",
        "format cell n status validity limited_by seed started_at window_s load transport events \
         groups operations client generators server environment",
    ),
    ("/validity", "verdict reasons"),
    (
        "/client",
        "cpu_s cpu_us_per_op max_rss_bytes schedule_lag_ns queue_wait_ns connection_wait_ns \
         connections runner",
    ),
    ("/client/connections", "opened failed"),
    ("/client/runner", "host location arch rtt_ns"),
    ("/generators/0", "cpu_s max_rss_bytes connections runner"),
    (
        "/server",
        "version topology members cpu_us_per_op network compression disk unavailable",
    ),
    (
        "/environment",
        "host cpu_model arch page_size_bytes kernel docstone_version docstone_build write_concern \
         read_concern read_preference retry_writes retry_reads cache_size_bytes data_size_bytes \
         index_size_bytes",
    ),
];

/// Fields of an operation.
const OPERATION: &str = "intended started ok not_found errors errors_by_code timeouts retries \
     dropped backlog_at_end in_flight_at_end censored saturated documents bytes_out bytes_in \
     throughput_ops_per_s service_ns response_ns error_ns";

/// Fields of a latency.
const LATENCY: &str = "count min mean stddev p50 p75 p90 p95 p98 p99 p99_9 p99_99 max";

#[track_caller]
fn has(value: &Value, names: &str) {
    for name in names.split_whitespace() {
        assert!(value.get(name).is_some(), "`{name}` is missing in {value}");
    }
}

#[test]
fn the_run_has_every_published_field() {
    let records = RUN.records();
    has(
        &records.run,
        "format name started_at ended_at status seed plan_hash environment trials verdicts warnings",
    );
    has(
        &records.run["trials"][0],
        "cell n path status validity summary",
    );
    assert_eq!(records.run["format"], "docstone.run/1");
    assert_eq!(records.run["status"], "complete");
    assert_eq!(records.plan()["format"], "docstone.plan/1");
    assert_eq!(records.plan()["hash"], records.run["plan_hash"]);
}

#[test]
fn a_trial_has_every_published_field() {
    for cell in CELLS {
        let trial = RUN.records().trial(cell);
        for (pointer, names) in TRIAL {
            let part = trial.pointer(pointer);
            has(part.unwrap_or_else(|| panic!("no {pointer}")), names);
        }
        for (_, _, part) in parts(&trial) {
            has(&part, OPERATION);
            for latency in ["service_ns", "error_ns"] {
                has(&part[latency], LATENCY);
            }
        }
        assert_eq!(trial["format"], "docstone.trial/1");
        assert_eq!(trial["status"], "complete");
        assert_eq!(trial["generators"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn what_was_not_read_of_the_server_has_a_reason() {
    let server = RUN.records().trial("steady")["server"].clone();
    for group in ["network", "disk"] {
        let reason = server["unavailable"][group].as_str();
        assert!(
            !server[group].is_null() || reason.is_some_and(|reason| !reason.is_empty()),
            "{group}: {server}"
        );
    }
}

#[test]
fn numbers_that_do_not_exist_are_null() {
    fn check(value: &Value, path: &str) {
        match value {
            Value::Object(fields) => {
                if fields.get("count").is_some_and(|count| *count == 0)
                    && fields.contains_key("p50")
                {
                    let others = fields.iter().filter(|(name, _)| *name != "count");
                    assert!(
                        others.into_iter().all(|(_, value)| value.is_null()),
                        "{path}"
                    );
                }
                for (name, field) in fields {
                    check(field, &format!("{path}.{name}"));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, path)),
            Value::Number(number) => {
                let number = number.as_f64().expect("a number");
                assert!((0.0..1e15).contains(&number), "{path}: {number}");
            }
            Value::String(text) => {
                let text = text.to_ascii_lowercase();
                assert!(text != "nan" && !text.contains("infinity"), "{path}");
            }
            _ => {}
        }
    }
    let records = RUN.records();
    check(&records.run, "run");
    for cell in CELLS {
        check(&records.trial(cell), cell);
        for (_, _, part) in parts(&records.trial(cell)) {
            assert!(
                part["response_ns"].is_null(),
                "closed load has none: {part}"
            );
        }
    }
}
