//! A small plan and measurements made by hand, for the tests of this crate.

use std::collections::BTreeMap;

use docstone_engine::{IntervalData, SlotData, SlotKey, SlotOf, TrialResult, Waits};
use docstone_model::plan::{
    Arrivals, ClosedLoad, Limits, MixEntry, OpenLoad, Rate, RateStage, Scenario, SchedulePlan,
    WhenFull, WorkerStage,
};
use docstone_model::record::{ConnectionCounts, EnvironmentRecord, RUN_FORMAT, RunRecord, Status};
use docstone_model::template::Context;
use docstone_model::{
    Counters, ErrorClass, GroupLoad, GroupPlan, LoadModel, MongoUri, OperationKind, OperationPlan,
    Plan, StepPlan, Stop, TargetPlan, Template,
};
use docstone_stats::Latencies;
use docstone_telemetry::Machine;
use serde_json::json;

/// Two groups, `readers` with `find` and `writers` with `find` and `insert`, and these steps.
pub(crate) fn plan(steps: Vec<StepPlan>) -> Plan {
    let operation = |name: &str, kind: OperationKind| OperationPlan {
        name: name.to_owned(),
        collection: "orders".to_owned(),
        kind,
        timeout_ns: 1_000_000_000,
        options: docstone_model::plan::CallOptions::default(),
    };
    let template = |json| Template::from_json(&json, Context::Any).expect("a template");
    let find = OperationKind::FindOne {
        filter: template(json!({"_id": 1})),
        options: Limits::default(),
    };
    let insert = OperationKind::InsertOne {
        document: template(json!({"_id": {"$sequence": {}}})),
    };
    let group = |name: &str, operations: &[usize]| GroupPlan {
        name: name.to_owned(),
        scenario: Scenario::Mix(
            operations
                .iter()
                .map(|operation| MixEntry {
                    operation: *operation,
                    weight: 1.0,
                })
                .collect(),
        ),
        connections: None,
    };
    Plan {
        seed: 7,
        operations: vec![operation("find", find), operation("insert", insert)],
        groups: vec![group("readers", &[0]), group("writers", &[0, 1])],
        steps,
        threads: Some(2),
        ..Plan::new(
            "orders",
            TargetPlan::new(
                MongoUri::new("mongodb://bob:geheim@127.0.0.1:27017"),
                "shop",
            ),
        )
    }
}

/// A step of both groups, each with two workers, that ends after `stop`.
pub(crate) fn step(name: &str, warmup: bool, stop: Stop) -> StepPlan {
    let load = |group| GroupLoad {
        group,
        model: LoadModel::Closed(ClosedLoad::steady(2)),
        stop,
    };
    StepPlan {
        name: name.to_owned(),
        warmup,
        loads: vec![load(0), load(1)],
        drain_ns: 1_000_000_000,
        actions: Vec::new(),
    }
}

/// A step of one group for 10 s, whose arrivals come at one rate and wait where too many are in flight.
pub(crate) fn open_step(rate_per_s: f64, arrivals: Arrivals) -> StepPlan {
    let mut step = step("steady", false, milliseconds(10_000));
    step.loads.truncate(1);
    let stage = RateStage {
        duration_ns: 10_000_000_000,
        rate: Rate::Linear {
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
        },
    };
    step.loads[0].model = LoadModel::Open(OpenLoad {
        schedule: SchedulePlan::Rates {
            stages: vec![stage],
            arrivals,
        },
        max_in_flight: None,
        settled_in_flight: None,
        when_full: WhenFull::Queue,
        give_up_after_ns: None,
    });
    step
}

/// A step of one group for 60 s, whose number of workers follows one line.
pub(crate) fn staged(from: u32, to: u32) -> StepPlan {
    let mut staged = step("staged", false, milliseconds(60_000));
    staged.loads.truncate(1);
    let stage = WorkerStage {
        duration_ns: 60_000_000_000,
        from,
        to,
    };
    staged.loads[0].model = LoadModel::Closed(ClosedLoad {
        stages: vec![stage],
        ..ClosedLoad::steady(from.max(to))
    });
    staged
}

/// Ends after so many operations of each group.
pub(crate) fn operations(operations: u64) -> Stop {
    Stop {
        duration_ns: None,
        operations: Some(operations),
    }
}

/// Ends after so many milliseconds.
pub(crate) fn milliseconds(milliseconds: u64) -> Stop {
    Stop {
        duration_ns: Some(milliseconds * 1_000_000),
        operations: None,
    }
}

/// A slot in which these latencies succeeded and these failed, in nanoseconds.
pub(crate) fn slot(group: usize, operation: usize, ok_ns: &[u64], failed_ns: &[u64]) -> SlotData {
    let (mut service, mut error) = (Latencies::new(), Latencies::new());
    for ns in ok_ns {
        service.record(*ns);
    }
    for ns in failed_ns {
        error.record(*ns);
    }
    let (ok, errors) = (ok_ns.len() as u64, failed_ns.len() as u64);
    let mut counters = Counters {
        intended: ok + errors,
        started: ok + errors,
        ok,
        errors,
        documents: ok,
        completed_in_window: ok,
        ..Counters::default()
    };
    let mut error_messages = BTreeMap::new();
    if errors > 0 {
        counters
            .errors_by_class
            .insert(ErrorClass::Server(11000), errors);
        error_messages.insert("11000".to_owned(), "duplicate key".to_owned());
    }
    SlotData {
        key: SlotKey {
            group,
            of: SlotOf::Operation {
                position: if group == 0 { 0 } else { operation },
                operation,
            },
            open: false,
        },
        counters,
        in_flight: 0,
        backlog: 0,
        in_flight_at_end: 0,
        censored: 0,
        service,
        response: Latencies::new(),
        error,
        error_messages,
    }
}

/// The slot of a group's iterations, of which these latencies succeeded, in nanoseconds.
pub(crate) fn iterations(group: usize, ok_ns: &[u64]) -> SlotData {
    let mut slot = slot(group, 0, ok_ns, &[]);
    slot.key.of = SlotOf::Iteration;
    slot
}

/// The interval of second `n`, from 0.
pub(crate) fn interval(n: u64, slots: Vec<SlotData>) -> IntervalData {
    IntervalData {
        from_ns: n * 1_000_000_000,
        to_ns: (n + 1) * 1_000_000_000,
        drain: false,
        slots,
        iterations: Vec::new(),
        schedule_lag: Latencies::new(),
        backlog_age_ns: None,
        outage: None,
    }
}

/// A result with these totals over a window of 10 s.
pub(crate) fn result(slots: Vec<SlotData>) -> TrialResult {
    TrialResult {
        window_ns: 10_000_000_000,
        group_windows_ns: vec![(0, 10_000_000_000), (1, 4_000_000_000)],
        slots,
        iterations: Vec::new(),
        waits: Waits::default(),
        drill: None,
        arrival_gaps_ns: Vec::new(),
        connections: ConnectionCounts {
            opened: 4,
            closed: 1,
            failed: 0,
        },
        outages: Vec::new(),
        interrupted: false,
        given_up: None,
        threads: 2,
    }
}

/// A machine that is none.
pub(crate) fn machine() -> Machine {
    Machine {
        host: "client-1".to_owned(),
        arch: "aarch64".to_owned(),
        cpu_model: None,
        cores: 2,
        memory_bytes: Some(1 << 30),
        page_size_bytes: 65_536,
        kernel: Some("Linux 6.1".to_owned()),
    }
}

/// The record of a run of a plan that goes on.
pub(crate) fn run_record(plan: &Plan) -> RunRecord {
    RunRecord {
        format: RUN_FORMAT.to_owned(),
        name: plan.name.clone(),
        started_at: "2026-11-30T00:00:00Z".to_owned(),
        ended_at: None,
        status: Status::Running,
        seed: plan.seed,
        plan_hash: plan.hash(),
        environment: EnvironmentRecord::default(),
        trials: Vec::new(),
        verdicts: Vec::new(),
        warnings: Vec::new(),
    }
}
