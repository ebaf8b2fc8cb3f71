//! Realistic plans, records and intervals for tests.

use std::collections::BTreeMap;

use docstone_model::plan::{ClosedLoad, Limits, MixEntry, Scenario, SetupMode};
use docstone_model::record::{
    ClientRecord, ConnectionCounts, EnvironmentRecord, GroupRecord, OperationRecord, RUN_FORMAT,
    RunRecord, RunnerRecord, ServerRecord, Status, TRIAL_FORMAT, TrialEntry, TrialRecord,
    TrialSummary, Validity, Verdict,
};
use docstone_model::{
    Counters, GroupLoad, GroupPlan, Interval, IntervalRow, LatencySummary, LoadModel, MongoUri,
    OperationKind, OperationPlan, Plan, StepPlan, Stop, TargetPlan, Template,
};

/// 2026-11-30T22:36:00.300Z.
pub(crate) const START_UNIX_S: f64 = 1_796_078_160.3;

/// Latencies whose percentiles are simple multiples of their median.
pub(crate) fn latencies(count: u64, p50_ns: u64) -> LatencySummary {
    if count == 0 {
        return LatencySummary::default();
    }
    LatencySummary {
        count,
        min: Some(p50_ns / 4),
        mean: Some(p50_ns as f64 * 1.234),
        stddev: Some(p50_ns as f64 * 0.5),
        p50: Some(p50_ns),
        p75: Some(p50_ns * 5 / 4),
        p90: Some(p50_ns * 2),
        p95: Some(p50_ns * 3),
        p98: Some(p50_ns * 4),
        p99: Some(p50_ns * 5),
        p99_9: Some(p50_ns * 12),
        p99_99: Some(p50_ns * 20),
        max: Some(p50_ns * 40),
    }
}

/// A row of an interval with `ok` successes.
pub(crate) fn row(group: &str, operation: &str, ok: u64, p50_ns: u64) -> IntervalRow {
    IntervalRow {
        group: group.to_owned(),
        operation: operation.to_owned(),
        counters: Counters {
            intended: ok,
            started: ok,
            ok,
            documents: ok,
            completed_in_window: ok,
            ..Counters::default()
        },
        in_flight: 64,
        service: latencies(ok, p50_ns),
        ..IntervalRow::default()
    }
}

/// The interval of one second that ends at `t_s`, in the step `steady` of 30 s.
pub(crate) fn interval(t_s: f64, rows: Vec<IntervalRow>) -> Interval {
    Interval {
        t_s,
        length_s: 1.0,
        phase: "steady".to_owned(),
        planned_s: Some(30.0),
        rows,
        ..Interval::default()
    }
}

/// A plan with these groups, each with one operation of the same name in lower case.
pub(crate) fn plan(groups: &[&str], steps: Vec<StepPlan>) -> Plan {
    let operation = |name: &&str| OperationPlan {
        name: name.to_lowercase(),
        collection: "perf".to_owned(),
        kind: OperationKind::FindOne {
            filter: Template::Document(Vec::new()),
            options: Limits::default(),
        },
        timeout_ns: 30_000_000_000,
        options: docstone_model::plan::CallOptions::default(),
    };
    let group = |(index, name): (usize, &&str)| GroupPlan {
        name: (*name).to_owned(),
        scenario: Scenario::Mix(vec![MixEntry {
            operation: index,
            weight: 1.0,
        }]),
        connections: None,
    };
    Plan {
        seed: 42,
        setup: SetupMode::AsIs,
        operations: groups.iter().map(operation).collect(),
        groups: groups.iter().enumerate().map(group).collect(),
        steps,
        ..Plan::new(
            "orders",
            TargetPlan::new(
                MongoUri::new("mongodb://bob:geheim@127.0.0.1:27017"),
                "test",
            ),
        )
    }
}

/// A step in which each of `groups` groups has `concurrency` workers.
pub(crate) fn step(name: &str, groups: usize, concurrency: u32, stop: Stop) -> StepPlan {
    let load = |group| GroupLoad {
        group,
        model: LoadModel::Closed(ClosedLoad::steady(concurrency)),
        stop,
    };
    StepPlan {
        name: name.to_owned(),
        warmup: false,
        loads: (0..groups).map(load).collect(),
        drain_ns: 10_000_000_000,
        actions: Vec::new(),
    }
}

/// Stops after so many seconds.
pub(crate) fn for_s(seconds: u64) -> Stop {
    Stop {
        duration_ns: Some(seconds * 1_000_000_000),
        operations: None,
    }
}

/// An operation with `ok` successes in 30 s.
pub(crate) fn operation(ok: u64, p50_ns: u64) -> OperationRecord {
    OperationRecord {
        intended: ok,
        started: ok,
        ok,
        documents: Some(ok),
        bytes_out: ok * 42,
        bytes_in: ok * 300,
        completed_in_window: ok,
        throughput_ops_per_s: (ok > 0).then(|| ok as f64 / 30.0),
        service_ns: latencies(ok, p50_ns),
        ..OperationRecord::default()
    }
}

/// A valid trial of 30 s with one group `main`.
pub(crate) fn trial(cell: &str, operations: &[(&str, OperationRecord)]) -> TrialRecord {
    let by_name: BTreeMap<String, OperationRecord> = operations
        .iter()
        .map(|(name, record)| ((*name).to_owned(), record.clone()))
        .collect();
    let group = GroupRecord {
        window_s: 30.0,
        operations: by_name.clone(),
        ..GroupRecord::default()
    };
    TrialRecord {
        format: TRIAL_FORMAT.to_owned(),
        cell: cell.to_owned(),
        n: 1,
        status: Status::Complete,
        validity: Validity {
            verdict: Verdict::Valid,
            reasons: Vec::new(),
            warnings: Vec::new(),
        },
        limited_by: None,
        seed: 42,
        started_at: "2026-11-30T22:36:00Z".to_owned(),
        window_s: 30.0,
        load: step(cell, 1, 64, for_s(30)),
        transport: "driver".to_owned(),
        events: Vec::new(),
        outages: Vec::new(),
        drill: None,
        groups: BTreeMap::from([("main".to_owned(), group)]),
        operations: by_name,
        steadiness: None,
        precision: None,
        client: client(),
        generators: vec![client()],
        server: ServerRecord {
            version: Some("6.0.5".to_owned()),
            topology: Some("replica set rs0".to_owned()),
            ..ServerRecord::default()
        },
        environment: environment(),
        data: std::collections::BTreeMap::new(),
    }
}

fn client() -> ClientRecord {
    ClientRecord {
        cpu_s: Some(29.4),
        cpu_us_per_op: Some(42.1),
        max_rss_bytes: Some(31_457_280),
        host_cpu_share: Some(0.853),
        connection_wait_ns: latencies(100_000, 8_000),
        connections: ConnectionCounts {
            opened: 64,
            ..ConnectionCounts::default()
        },
        threads: 2,
        runner: RunnerRecord {
            rtt_ns: Some(210_000),
            ..RunnerRecord::default()
        },
        ..ClientRecord::default()
    }
}

fn environment() -> EnvironmentRecord {
    EnvironmentRecord {
        docstone_version: "0.1.0".to_owned(),
        docstone_build: "release x86_64".to_owned(),
        write_concern: Some("majority (server default)".to_owned()),
        read_concern: Some("local (server default)".to_owned()),
        read_preference: Some("primary".to_owned()),
        retry_writes: Some(true),
        retry_reads: Some(true),
        ..EnvironmentRecord::default()
    }
}

/// The record of a run of these trials, whose entries are summed up from them.
pub(crate) fn run(trials: &[TrialRecord]) -> RunRecord {
    RunRecord {
        format: RUN_FORMAT.to_owned(),
        name: "orders".to_owned(),
        started_at: "2026-11-30T22:35:58Z".to_owned(),
        ended_at: Some("2026-11-30T22:36:31Z".to_owned()),
        status: Status::Complete,
        seed: 42,
        plan_hash: "0".repeat(64),
        environment: environment(),
        trials: trials.iter().map(entry).collect(),
        verdicts: Vec::new(),
        warnings: Vec::new(),
    }
}

fn entry(trial: &TrialRecord) -> TrialEntry {
    let all = || {
        trial
            .groups
            .values()
            .flat_map(|group| group.operations.values())
    };
    let sum = |of: fn(&OperationRecord) -> u64| all().map(of).sum::<u64>();
    let rates: Vec<f64> = all()
        .filter_map(|record| record.throughput_ops_per_s)
        .collect();
    let latency = all()
        .map(|record| record.service_ns)
        .max_by_key(|summary| summary.count);
    TrialEntry {
        cell: trial.cell.clone(),
        n: trial.n,
        path: format!("trials/{}/{:02}", trial.cell, trial.n),
        status: trial.status,
        validity: trial.validity.clone(),
        summary: TrialSummary {
            concurrency: trial
                .load
                .loads
                .iter()
                .map(|load| load.model.concurrency())
                .sum(),
            window_s: trial.window_s,
            ok: sum(|record| record.ok),
            not_found: sum(|record| record.not_found),
            errors: sum(|record| record.errors),
            throughput_ops_per_s: (!rates.is_empty()).then(|| rates.iter().sum()),
            service_ns: latency.unwrap_or_default(),
            response_ns: all().find_map(|record| record.response_ns),
            client_cpu_us_per_op: trial.client.cpu_us_per_op,
        },
    }
}
