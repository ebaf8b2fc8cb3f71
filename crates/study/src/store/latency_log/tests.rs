//! Tests of the latency log: read back by the Rust crate and by the Java log processor.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use super::*;
use crate::fixture::{interval, operations, plan, slot, step};

/// Debian's libhdrhistogram-java.
const JAR: &str = "/usr/share/java/hdrhistogram.jar";

fn start() -> Timestamp {
    Timestamp::from_millisecond(1_796_083_059_007).expect("in range")
}

/// A log of two intervals: 3 and 1 finds of readers, 2 and 0 of writers, 1 and 1 failed insert.
fn write_log(folder: &tempfile::TempDir) -> PathBuf {
    let mut plan = plan(vec![step("steady", false, operations(1))]);
    plan.groups[1].name = "night, writers".to_owned();
    let path = folder.path().join("latency.hlog");
    let mut log = LatencyLog::create(&path, start()).expect("created");
    let first = vec![
        slot(0, 0, &[1_000_000, 2_000_000, 3_000_000], &[]),
        slot(1, 0, &[4_000_000, 5_000_000], &[]),
        slot(1, 1, &[], &[70_000_000]),
    ];
    let second = vec![
        slot(0, 0, &[600_000_000_000], &[]),
        slot(1, 0, &[], &[]),
        slot(1, 1, &[], &[80_000_000]),
    ];
    log.append(&plan, &interval(0, first)).expect("written");
    log.append(&plan, &interval(1, second)).expect("written");
    log.sync().expect("synced");
    path
}

/// By tag: counts and maxima (in milliseconds, as the log says them) of each interval.
fn read_back(text: &str) -> BTreeMap<String, Vec<(u64, f64)>> {
    let mut by_tag: BTreeMap<String, Vec<(u64, f64)>> = BTreeMap::new();
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        let LogEntry::Interval(line) = entry.expect("a line of the format") else {
            continue;
        };
        let payload = STANDARD.decode(line.encoded_histogram()).expect("base64");
        let histogram: Histogram<u64> = Deserializer::new()
            .deserialize(&mut payload.as_slice())
            .expect("a histogram");
        let tag = line.tag().map_or("", |tag| tag.as_str());
        let of_tag = by_tag.entry(tag.to_owned()).or_default();
        of_tag.push((histogram.len(), line.max()));
    }
    by_tag
}

#[test]
fn what_was_recorded_is_read_back_by_tag() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(write_log(&folder)).expect("there");
    let expected: BTreeMap<String, Vec<(u64, f64)>> = [
        ("", vec![(5, 5.0), (1, 600_000.0)]),
        ("readers.find.service", vec![(3, 3.0), (1, 600_000.0)]),
        ("readers.find.error", vec![(0, 0.0), (0, 0.0)]),
        ("night__writers.find.service", vec![(2, 5.0), (0, 0.0)]),
        ("night__writers.find.error", vec![(0, 0.0), (0, 0.0)]),
        ("night__writers.insert.service", vec![(0, 0.0), (0, 0.0)]),
        ("night__writers.insert.error", vec![(1, 70.0), (1, 80.0)]),
    ]
    .into_iter()
    .map(|(tag, lines)| (tag.to_owned(), lines))
    .collect();
    assert_eq!(read_back(&text), expected);
}

#[test]
fn the_head_names_version_and_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(write_log(&folder)).expect("there");
    let head: Vec<&str> = text.lines().take(5).collect();
    assert_eq!(
        head,
        [
            "#[Histogram log format version 1.3]",
            "#[StartTime: 1796083059.007 (seconds since epoch), 2026-11-30T23:57:39.007Z]",
            "#[BaseTime: 1796083059.007 (seconds since epoch)]",
            "#[MaxValueDivisor: 1000000.0]",
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\
             \"Interval_Compressed_Histogram\"",
        ]
    );
    let stamps: Vec<_> = IntervalLogIterator::new(text.as_bytes())
        .filter_map(|entry| match entry.expect("a line of the format") {
            LogEntry::Interval(line) if line.tag().is_none() => {
                Some((line.start_timestamp().as_secs(), line.duration().as_secs()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(stamps, [(0, 1), (1, 1)]);
}

/// Total count and maximum in milliseconds, as the Java log processor tells them.
fn java(log: &Path, tag: Option<&str>) -> (u64, f64) {
    assert!(
        fs::exists(JAR).is_ok_and(|there| there),
        "{JAR} is missing: apt-get install -y --no-install-recommends \
         libhdrhistogram-java default-jre-headless"
    );
    let mut command = Command::new("java");
    command.args(["-cp", JAR, "org.HdrHistogram.HistogramLogProcessor", "-i"]);
    command
        .arg(log)
        .args(tag.iter().flat_map(|tag| ["-tag", tag]));
    let output = command
        .output()
        .expect("java is missing: apt-get install -y --no-install-recommends default-jre-headless");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && errors.is_empty(),
        "{text}\n{errors}"
    );
    let line = text.lines().find(|line| line.starts_with("#[Max"));
    let line = line.unwrap_or_else(|| panic!("no summary in: {text}"));
    let number = |name: &str| {
        let (_, rest) = line.split_once(name).expect("the summary names it");
        let rest = rest.trim_start_matches([' ', '=']).split([',', ']']);
        rest.into_iter().next().expect("a number").trim().to_owned()
    };
    (
        number("Total count").parse().expect("a whole number"),
        number("Max").parse().expect("a number"),
    )
}

#[test]
fn the_java_log_processor_finds_the_same_counts_and_maxima() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = write_log(&folder);
    for (tag, count, max_ms) in [
        (None, 6, 600_000.0),
        (Some("readers.find.service"), 4, 600_000.0),
        (Some("night__writers.find.service"), 2, 5.0),
        (Some("night__writers.insert.error"), 2, 80.0),
        (Some("readers.find.error"), 0, 0.0),
    ] {
        let (java_count, java_max_ms) = java(&log, tag);
        assert_eq!(java_count, count, "{tag:?}");
        // Java reads the maximum from the histogram, whose buckets round up by 0.1 % at most.
        assert!(
            java_max_ms >= max_ms && java_max_ms <= max_ms * 1.001,
            "{tag:?}: {java_max_ms} ms, not {max_ms} ms"
        );
    }
}
