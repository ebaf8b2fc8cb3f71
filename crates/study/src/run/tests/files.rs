//! What the files of a run hold.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use super::*;

#[test]
fn a_run_leaves_the_files_of_the_contract() {
    let ran = ran(warm_and_steady(operations(100)), &Fake::new(|_| Reply::Ok));
    let outcome = ran.result.as_ref().expect("runs");
    assert!(outcome.has_valid_result() && !outcome.is_interrupted());
    assert_eq!(ran.files("."), ["plan.json", "record.json", "trials"]);
    assert_eq!(
        ran.files("trials/steady/01"),
        ["latency.hlog", "log.txt", "record.json", "series.csv"]
    );
    let trial = &outcome.trials[0];
    assert_eq!(ran.text("record.json"), pretty(&outcome.record));
    assert_eq!(ran.text("trials/steady/01/record.json"), pretty(trial));
    let _: (RunRecord, TrialRecord) = (
        ran.json("record.json"),
        ran.json("trials/steady/01/record.json"),
    );
    assert_eq!(trial.status, Status::Complete);
    // Exactly the operations of each group, and none of the warm-up.
    assert_eq!(trial.groups["readers"].operations["find"].ok, 100);
    let writers = &trial.groups["writers"].operations;
    assert_eq!(writers["find"].ok + writers["insert"].ok, 100);
    assert!(trial.client.cpu_us_per_op.is_some_and(|us| us > 0.0));
    let entry = &outcome.record.trials[0];
    assert_eq!(
        (&*entry.cell, entry.n, &*entry.path),
        ("steady", 1, "trials/steady/01")
    );
    assert_eq!((entry.summary.ok, entry.summary.concurrency), (200, 4));
    assert!(outcome.record.ended_at.is_some());
    let plan: PlanFile = ran.json("plan.json");
    assert_eq!(plan.hash, outcome.record.plan_hash);
}

#[test]
fn no_file_holds_the_password() {
    let ran = ran(warm_and_steady(operations(4)), &Fake::new(|_| Reply::Error));
    for file in [
        "plan.json",
        "record.json",
        "trials/steady/01/record.json",
        "trials/steady/01/series.csv",
        "trials/steady/01/latency.hlog",
        "trials/steady/01/log.txt",
    ] {
        assert!(!ran.text(file).contains("geheim"), "{file}");
    }
    assert!(ran.text("plan.json").contains("bob:***@"));
}

#[test]
fn warm_up_rows_stand_first_in_the_series_and_in_no_other_file() {
    let ran = ran(warm_and_steady(operations(100)), &Fake::new(|_| Reply::Ok));
    let series = ran.text("trials/steady/01/series.csv");
    let rows: Vec<Vec<&str>> = series
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect())
        .collect();
    let mut phases: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    phases.dedup();
    assert_eq!(phases, ["warm", "steady"]);
    let ok = |phase: &str| -> u64 {
        let of_phase = rows.iter().filter(|row| row[1] == phase);
        of_phase
            .map(|row| row[6].parse::<u64>().expect("a number"))
            .sum()
    };
    assert_eq!((ok("warm"), ok("steady")), (80, 200));
}

/// Counts by tag over all intervals.
fn logged(text: &str) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        let LogEntry::Interval(line) = entry.expect("a line of the format") else {
            continue;
        };
        let payload = STANDARD.decode(line.encoded_histogram()).expect("base64");
        let histogram: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut payload.as_slice())
            .expect("a histogram");
        let tag = line.tag().map_or("", |tag| tag.as_str());
        *counts.entry(tag.to_owned()).or_default() += histogram.len();
    }
    counts
}

#[test]
fn the_latency_log_holds_exactly_what_the_record_counts() {
    // One operation hangs, so that the drain passes and it is recorded at its age.
    let mut steps = warm_and_steady(milliseconds(300));
    steps[1].drain_ns = 100_000_000;
    let fake = Fake::new(|call| match call {
        100 => Reply::Hang,
        call if call % 7 == 0 => Reply::Error,
        _ => Reply::Ok,
    });
    let ran = ran(steps, &fake);
    let trial = &ran.result.as_ref().expect("runs").trials[0];
    let log = logged(&ran.text("trials/steady/01/latency.hlog"));
    let mut all = 0;
    let mut censored = 0;
    for (group, record) in &trial.groups {
        for (name, operation) in &record.operations {
            let service = operation.service_ns.count;
            assert_eq!(log[&format!("{group}.{name}.service")], service);
            assert_eq!(log[&format!("{group}.{name}.error")], operation.errors);
            assert_eq!(
                service,
                operation.ok + operation.not_found + operation.censored
            );
            all += service;
            censored += operation.censored;
        }
    }
    assert_eq!(log[""], all);
    assert_eq!(censored, 1);
    assert!(ran.text("trials/steady/01/series.csv").contains(",drain,"));
}

#[test]
fn the_log_tells_intervals_notes_events_and_first_errors() {
    let fake = Fake::new(|call| match call {
        100 => Reply::Election,
        call if call % 5 == 0 => Reply::Error,
        _ => Reply::Ok,
    });
    let ran = ran(warm_and_steady(operations(100)), &fake);
    let log = ran.text("trials/steady/01/log.txt");
    for part in [
        "docstone 0.1.0 (debug), plan `orders`\n",
        "note of the caller\n",
        "[warm] warm-up starts at ",
        "[steady] load starts at ",
        "operations ended, ",
        "first error 11000 of readers.find: duplicate key\n",
        "primary_lost: 127.0.0.1:1 is no longer primary\n",
    ] {
        assert!(log.contains(part), "{part} is not in:\n{log}");
    }
    let trial = &ran.result.as_ref().expect("runs").trials[0];
    assert_eq!(trial.events[0].kind, "primary_lost");
    let text = "127.0.0.1:1 is no longer primary".to_owned();
    assert!(ran.told.contains(&text), "{:?}", ran.told);
}
