//! Tests of records: known answers from measurements made by hand.

use docstone_engine::SlotData;
use docstone_model::record::{EnvironmentRecord, ServerRecord, Verdict};
use docstone_model::{ErrorClass, Outage};

use super::*;
use crate::fixture::{machine, operations as stop, plan, result, slot, step};

fn target() -> TargetDescription {
    TargetDescription {
        transport: "driver",
        server: ServerRecord {
            version: Some("6.0.5".to_owned()),
            ..ServerRecord::default()
        },
        environment: EnvironmentRecord {
            write_concern: Some("majority (server default)".to_owned()),
            host: "not the client's".to_owned(),
            ..EnvironmentRecord::default()
        },
        rtt_ns: Some(120_000),
        colocation: docstone_engine::Colocation::default(),
        notes: Vec::new(),
    }
}

fn record_of(result: &TrialResult, events: Vec<EventRecord>) -> TrialRecord {
    paced_record_of(result, events, Pacing::Timer)
}

fn paced_record_of(result: &TrialResult, events: Vec<EventRecord>, pacing: Pacing) -> TrialRecord {
    let mut plan = plan(vec![step("steady", false, stop(10))]);
    plan.pacing = pacing;
    let facts = TrialFacts {
        drill: DrillFacts::default(),
        plan: &plan,
        step: 0,
        n: 3,
        started_at: "2026-11-30T12:00:00.5Z".parse().expect("a time"),
        status: Status::Complete,
        surroundings: Surroundings {
            machine: &machine(),
            version: "0.1.0",
            build: "release, aarch64",
        },
        data: &std::collections::BTreeMap::new(),
        target: &target(),
        client_use: ClientUse {
            cpu_s: Some(0.5),
            ..ClientUse::default()
        },
        ended_in_window: 10_000,
        events,
        open_groups: OpenGroups::default(),
        pieces: Pieces::default(),
    };
    trial_record(facts, result)
}

fn record(slots: Vec<SlotData>) -> TrialRecord {
    record_of(&result(slots), Vec::new())
}

#[test]
fn operations_are_merged_over_groups_from_histograms() {
    // 99 fast finds in one group and one slow find in the other: no average of the two groups'
    // percentiles gives the 99th percentile of all.
    let fast: Vec<u64> = vec![1_000; 99];
    let record = record(vec![
        slot(0, 0, &fast, &[]),
        slot(1, 0, &[9_000], &[]),
        slot(1, 1, &[5_000], &[]),
    ]);
    let find = &record.operations["find"];
    assert_eq!((find.ok, find.service_ns.count), (100, 100));
    assert_eq!(find.service_ns.p99, Some(1_000));
    assert_eq!(
        (find.service_ns.min, find.service_ns.max),
        (Some(1_000), Some(9_000))
    );
    assert_eq!(record.groups["readers"].operations["find"].ok, 99);
    assert_eq!(record.groups["writers"].operations["find"].ok, 1);
    assert_eq!(record.groups["writers"].operations["insert"].ok, 1);
    assert!(!record.groups["readers"].operations.contains_key("insert"));
}

#[test]
fn throughput_counts_completions_in_the_window_of_the_group() {
    let mut reads = slot(0, 0, &[1_000; 50], &[]);
    reads.counters.completed_in_window = 40;
    reads.counters.ok = 30;
    reads.counters.not_found = 20;
    let record = record(vec![reads, slot(1, 1, &[1_000; 8], &[])]);
    // The window of the trial and of `readers` is 10 s, that of `writers` 4 s.
    let reads = &record.groups["readers"].operations["find"];
    assert_eq!(reads.throughput_ops_per_s, Some(4.0));
    assert_eq!(record.operations["find"].throughput_ops_per_s, Some(4.0));
    let writes = &record.groups["writers"].operations["insert"];
    assert_eq!(writes.throughput_ops_per_s, Some(2.0));
    assert!((record.window_s - 10.0).abs() < 1e-12);
}

#[test]
fn throughput_times_the_window_of_its_group_is_what_was_completed_in_it() {
    let result = TrialResult {
        iterations: vec![crate::fixture::iterations(1, &[9_000; 6])],
        ..result(vec![
            slot(0, 0, &[1_000; 50], &[]),
            slot(1, 0, &[1_000; 12], &[]),
            slot(1, 1, &[5_000; 6], &[]),
        ])
    };
    let record = record_of(&result, Vec::new());
    let windows = record
        .groups
        .iter()
        .map(|(name, of)| (name.as_str(), of.window_s));
    assert_eq!(
        windows.collect::<Vec<_>>(),
        [("readers", 10.0), ("writers", 4.0)]
    );
    let mut rates = Vec::new();
    for group in record.groups.values() {
        for of in group.operations.values().chain(&group.iterations) {
            let rate = of.throughput_ops_per_s.expect("a rate");
            let completed = of.completed_in_window as f64;
            assert!((rate * group.window_s - completed).abs() < 1e-9, "{of:?}");
            rates.push(rate);
        }
    }
    assert_eq!(rates, [5.0, 3.0, 1.5, 1.5]);
}

#[test]
fn where_all_operations_failed_no_throughput_is_claimed() {
    let record = record(vec![slot(0, 0, &[], &[2_000; 7])]);
    let find = &record.operations["find"];
    assert_eq!(
        (find.ok, find.errors, find.throughput_ops_per_s),
        (0, 7, None)
    );
    assert_eq!((find.service_ns.count, find.service_ns.p50), (0, None));
    assert_eq!(find.error_ns.count, 7);
    assert_eq!(find.errors_by_code["11000"], 7);
    assert_eq!(find.error_messages["11000"], "duplicate key");
    assert_eq!(record.validity.verdict, Verdict::Failed);
    assert_eq!(
        record.validity.reasons,
        ["all 7 operations that ended failed; 7 with 11000: duplicate key"]
    );
}

#[test]
fn a_trial_in_which_nothing_ended_has_no_samples() {
    let mut hung = slot(0, 0, &[], &[]);
    hung.counters.started = 2;
    hung.counters.intended = 2;
    hung.in_flight_at_end = 2;
    for slots in [vec![hung], Vec::new()] {
        assert_eq!(record(slots).validity.verdict, Verdict::NoSamples);
    }
}

#[test]
fn one_success_makes_a_trial_valid() {
    let record = record(vec![slot(0, 0, &[1_000], &[2_000; 99])]);
    assert_eq!(record.validity.verdict, Verdict::Valid);
    assert!(record.validity.reasons.is_empty());
}

#[test]
fn unknown_numbers_of_documents_are_null_and_not_zero() {
    let mut unknown = slot(1, 0, &[1_000], &[]);
    unknown.counters.documents = 0;
    unknown.counters.documents_unknown = 1;
    let record = record(vec![slot(0, 0, &[1_000; 3], &[]), unknown]);
    assert_eq!(
        record.groups["readers"].operations["find"].documents,
        Some(3)
    );
    assert_eq!(record.groups["writers"].operations["find"].documents, None);
    assert_eq!(record.operations["find"].documents, None);
}

#[test]
fn counts_that_were_dropped_or_left_add_up() {
    let mut open = slot(0, 0, &[1_000; 5], &[]);
    open.counters.intended = 20;
    open.counters.started = 7;
    open.counters.dropped = 3;
    open.in_flight_at_end = 2;
    let find = &record(vec![open]).operations["find"];
    assert_eq!(find.backlog_at_end, 10);
    assert_eq!(
        find.intended,
        find.started + find.dropped + find.backlog_at_end
    );
    assert_eq!(
        find.started,
        find.ok + find.not_found + find.errors + find.in_flight_at_end
    );
}

#[test]
fn client_and_environment_tell_the_machine_and_the_target_the_rest() {
    let record = record(vec![slot(0, 0, &[1_000], &[])]);
    assert_eq!(record.client.cpu_us_per_op, Some(50.0));
    assert_eq!(record.client.max_rss_bytes, None);
    assert_eq!(
        (record.client.threads, record.client.connections.opened),
        (2, 4)
    );
    assert_eq!(record.client.runner.host, "client-1");
    assert_eq!(record.client.runner.rtt_ns, Some(120_000));
    assert_eq!(record.generators, std::slice::from_ref(&record.client));
    let environment = &record.environment;
    assert_eq!(
        (&*environment.host, &*environment.arch),
        ("client-1", "aarch64")
    );
    assert_eq!(environment.page_size_bytes, 65_536);
    assert_eq!(
        environment.write_concern.as_deref(),
        Some("majority (server default)")
    );
    assert_eq!(environment.docstone_build, "release, aarch64");
    assert_eq!(record.server.version.as_deref(), Some("6.0.5"));
    assert_eq!(
        (record.n, &*record.started_at),
        (3, "2026-11-30T12:00:00.5Z")
    );
}

#[test]
fn where_threads_spin_the_record_says_so_and_claims_no_cpu_per_operation() {
    let client = |open: bool, pacing| {
        let mut slot = slot(0, 0, &[1_000], &[]);
        slot.key.open = open;
        paced_record_of(&result(vec![slot]), Vec::new(), pacing).client
    };
    let spins = client(true, Pacing::Spin);
    assert_eq!(
        (spins.pacing, spins.cpu_us_per_op),
        (Some(Pacing::Spin), None)
    );
    assert_eq!(spins.cpu_s, Some(0.5));
    let timer = client(true, Pacing::Timer);
    assert_eq!(
        (timer.pacing, timer.cpu_us_per_op),
        (Some(Pacing::Timer), Some(50.0))
    );
    // In closed load nobody waits for arrivals, so nobody spins.
    let closed = client(false, Pacing::Spin);
    assert_eq!((closed.pacing, closed.cpu_us_per_op), (None, Some(50.0)));
}

#[test]
fn outages_events_and_the_interruption_stand_on_one_time_axis() {
    let mut result = result(vec![slot(0, 0, &[1_000], &[])]);
    result.interrupted = true;
    result.outages = vec![Outage {
        from_ns: 2_500_000_000,
        to_ns: 4_750_000_000,
        errors: 3,
        retries: 8,
    }];
    let event = |t_s, kind: &str| EventRecord {
        t_s,
        kind: kind.to_owned(),
        text: String::new(),
    };
    let noticed = vec![event(2.7, "primary_lost"), event(4.2, "primary_found")];
    let record = record_of(&result, noticed);
    let kinds: Vec<&str> = record.events.iter().map(|event| &*event.kind).collect();
    assert_eq!(
        kinds,
        ["outage", "primary_lost", "primary_found", "interrupted"]
    );
    assert_eq!(
        record.events[0].text,
        "no operation succeeded from 2.500 s to 4.750 s; 3 errors and 8 retries in it"
    );
    assert_eq!(record.outages, result.outages);
}

#[test]
fn the_summary_is_over_all_operations_and_groups() {
    let mut other = slot(1, 1, &[3_000; 10], &[1_000; 2]);
    other.counters.errors_by_class = [(ErrorClass::Network, 2)].into();
    let result = result(vec![slot(0, 0, &[1_000; 30], &[]), other]);
    let summary = trial_summary(&record_of(&result, Vec::new()), &result);
    assert_eq!(
        (summary.ok, summary.errors, summary.concurrency),
        (40, 2, 4)
    );
    assert_eq!(summary.throughput_ops_per_s, Some(4.0));
    assert_eq!(summary.service_ns.p50, Some(1_000));
    assert_eq!(summary.service_ns.max, Some(3_000));
    assert_eq!(summary.client_cpu_us_per_op, Some(50.0));
}

#[test]
fn numbers_that_do_not_exist_are_null_in_json() {
    let json = serde_json::to_value(record(vec![slot(0, 0, &[], &[1_000])])).expect("JSON");
    let find = &json["operations"]["find"];
    for field in ["throughput_ops_per_s", "response_ns"] {
        assert!(find[field].is_null(), "{field}: {find}");
    }
    for field in ["min", "mean", "p50", "p99_99", "max"] {
        assert!(find["service_ns"][field].is_null(), "{field}: {find}");
    }
    assert!(json["limited_by"].is_null());
    assert!(json["client"]["schedule_lag_ns"].is_null());
    assert_eq!(json["format"], "docstone.trial/1");
}
