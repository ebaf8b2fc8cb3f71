//! `latency.hlog` of a real run, read by two implementations that are not docstone's.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use super::{CELLS, RUN, parts};
use crate::support::count;

/// By tag, how many values latency.hlog holds.
fn logged(path: &Path) -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(path).expect("latency.hlog");
    let mut by_tag = BTreeMap::new();
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        let LogEntry::Interval(line) = entry.expect("a line of the format") else {
            continue;
        };
        let payload = STANDARD.decode(line.encoded_histogram()).expect("base64");
        let histogram: Histogram<u64> = Deserializer::new()
            .deserialize(&mut payload.as_slice())
            .expect("a histogram");
        let tag = line.tag().map_or("", |tag| tag.as_str());
        *by_tag.entry(tag.to_owned()).or_default() += histogram.len();
    }
    by_tag
}

#[test]
fn the_histograms_of_latency_hlog_add_up_to_the_record() {
    let records = RUN.records();
    for cell in CELLS {
        let by_tag = logged(&records.trial_folder(cell).join("latency.hlog"));
        let mut all = 0;
        for (group, name, part) in parts(&records.trial(cell)) {
            let Some(group) = group else { continue };
            let service = count(&part["service_ns"], "count");
            assert_eq!(
                by_tag[&format!("{group}.{name}.service")],
                service,
                "{cell}"
            );
            let errors = count(&part["error_ns"], "count");
            assert_eq!(by_tag[&format!("{group}.{name}.error")], errors, "{cell}");
            all += service;
        }
        assert_eq!(
            by_tag[""], all,
            "the lines without a tag hold all operations"
        );
    }
}

#[test]
fn the_java_log_processor_reads_latency_hlog() {
    const JAR: &str = "/usr/share/java/hdrhistogram.jar";
    const CURE: &str =
        "apt-get install -y --no-install-recommends libhdrhistogram-java default-jre-headless";
    assert!(Path::new(JAR).exists(), "{JAR} is missing: {CURE}");
    let records = RUN.records();
    let part = &records.trial("exact")["groups"]["readers"]["operations"]["find"];
    let log = records.trial_folder("exact").join("latency.hlog");
    let output = Command::new("java")
        .args(["-cp", JAR, "org.HdrHistogram.HistogramLogProcessor", "-i"])
        .arg(log)
        .args(["-tag", "readers.find.service"])
        .output()
        .unwrap_or_else(|error| panic!("java: {error}: {CURE}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{text}"
    );
    let total = text.split("Total count").nth(1).expect("a summary");
    let total = total
        .trim_start_matches([' ', '='])
        .split([',', ']'])
        .next();
    let total: u64 = total.expect("a count").trim().parse().expect("a count");
    assert_eq!(total, count(&part["service_ns"], "count"));
}
