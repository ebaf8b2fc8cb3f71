//! The rules about the load generator, each at both sides of its limit.

use docstone_engine::{SlotData, SlotOf};

use super::*;
use crate::fixture;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

/// A result of open load with so many response times and schedule lags of one length each.
fn open(count: usize, response_ns: u64, lag_ns: u64) -> TrialResult {
    let mut slot: SlotData = fixture::slot(0, 0, &[], &[]);
    slot.key.open = true;
    let mut result = fixture::result(Vec::new());
    for _ in 0..count {
        slot.response.record(response_ns);
        result.waits.schedule_lag.record(lag_ns);
    }
    result.slots.push(slot);
    result
}

fn look(result: &TrialResult, client: &ClientRecord, colocation: (u32, u32)) -> Findings {
    let (members, here) = colocation;
    let plan = fixture::plan(Vec::new());
    client_limits(&plan, result, client, Colocation { members, here })
}

/// Numbers of reasons and of warnings.
fn found(findings: &Findings) -> (usize, usize) {
    (findings.reasons.len(), findings.warnings.len())
}

fn thread(name: &str, cpu_share: f64, wait_share: f64, preempted_share: f64) -> ThreadRecord {
    ThreadRecord {
        name: name.to_owned(),
        cpu_share,
        wait_share: Some(wait_share),
        preempted_share: Some(preempted_share),
    }
}

#[test]
fn a_lag_of_more_than_a_tenth_of_the_median_is_the_generators_and_half_of_it_warns() {
    let lag = |lag_ns| {
        look(
            &open(100, 10 * MS, lag_ns),
            &ClientRecord::default(),
            (1, 0),
        )
    };
    assert_eq!(found(&lag(400 * US)), (0, 0));
    let half = lag(600 * US);
    assert_eq!(found(&half), (0, 1));
    assert_eq!(half.warnings[0].kind, WarningKind::ScheduleLag);
    let over = lag(2 * MS);
    assert_eq!(found(&over), (1, 0));
    let reason = &over.reasons[0];
    assert!(
        reason.contains("p50 is 20 %") && reason.contains("find"),
        "{reason}"
    );
}

#[test]
fn of_steps_the_iteration_is_compared_with_the_lag_since_later_steps_do_not_hold_it() {
    let mut result = open(100, 400 * US, 400 * US);
    let mut iterations: SlotData = fixture::slot(0, 0, &[], &[]);
    iterations.key.of = SlotOf::Iteration;
    iterations.key.open = true;
    for _ in 0..100 {
        iterations.response.record(30 * MS);
    }
    assert_eq!(found(&look(&result, &ClientRecord::default(), (1, 0))).0, 1);
    result.iterations.push(iterations);
    assert_eq!(
        found(&look(&result, &ClientRecord::default(), (1, 0))),
        (0, 0)
    );
}

#[test]
fn a_lag_within_the_grain_of_the_timer_warns_only() {
    let within = look(
        &open(100, 300 * US, 90 * US),
        &ClientRecord::default(),
        (1, 0),
    );
    assert_eq!(found(&within), (0, 1));
    let text = &within.warnings[0].text;
    assert!(text.contains("30 %") && text.contains("grain"), "{text}");
}

#[test]
fn too_few_operations_have_no_quantile_to_compare() {
    let few = look(&open(19, 10 * MS, 9 * MS), &ClientRecord::default(), (1, 0));
    assert_eq!(found(&few), (0, 0));
}

#[test]
fn a_lag_at_the_99th_percentile_alone_warns_since_nothing_is_judged_by_it() {
    let mut result = open(2_000, 10 * MS, 10 * US);
    for _ in 0..100 {
        result.slots[0].response.record(30 * MS);
        result.waits.schedule_lag.record(15 * MS);
    }
    let findings = look(&result, &ClientRecord::default(), (1, 0));
    assert_eq!(found(&findings), (0, 1));
    assert!(
        findings.warnings[0].text.contains("p99 is 50 %"),
        "{:?}",
        findings.warnings
    );
}

#[test]
fn cpu_above_its_limits_decides_and_half_of_them_warns() {
    let client = |cpu: f64, busiest: f64| ClientRecord {
        cores: Some(2.0),
        cpu_share: Some(cpu),
        busiest_thread: Some(thread("load-1", busiest, 0.0, 0.0)),
        ..ClientRecord::default()
    };
    let closed = fixture::result(vec![fixture::slot(0, 0, &[MS; 10], &[])]);
    let of = |cpu, busiest| found(&look(&closed, &client(cpu, busiest), (1, 0)));
    assert_eq!(of(0.39, 0.44), (0, 0));
    assert_eq!(of(0.41, 0.46), (0, 2));
    assert_eq!(of(0.81, 0.46), (1, 1));
    assert_eq!(of(0.41, 0.91), (1, 1));
    let reasons = look(&closed, &client(0.93, 0.95), (1, 0)).reasons;
    assert!(reasons[0].contains("93 % of the 2 cores"), "{reasons:?}");
    assert!(
        reasons[1].contains("load-1") && reasons[1].contains("95 %"),
        "{reasons:?}"
    );
}

#[test]
fn with_the_target_on_the_same_machine_a_busy_machine_is_a_warning() {
    let client = ClientRecord {
        cores: Some(1.5),
        cpu_share: Some(0.97),
        busiest_thread: Some(thread("load-0", 0.97, 0.0, 1.0)),
        host_steal_share: Some(0.07),
        ..ClientRecord::default()
    };
    let closed = fixture::result(vec![fixture::slot(0, 0, &[MS; 10], &[])]);
    let here = look(&closed, &client, (1, 1));
    assert_eq!(found(&here), (0, 4));
    assert_eq!(here.warnings[0].kind, WarningKind::Colocated);
    assert!(
        here.warnings[1].text.contains("1.5 cores"),
        "{:?}",
        here.warnings
    );
    // A set of which a part is elsewhere gets no such leave.
    let part = look(&closed, &client, (3, 1));
    assert_eq!(found(&part), (3, 1));
    assert!(
        part.warnings[0].text.contains("1 of the 3 members"),
        "{:?}",
        part.warnings
    );
}

#[test]
fn steal_and_a_full_link_decide() {
    let closed = fixture::result(vec![fixture::slot(0, 0, &[MS; 10], &[])]);
    let of = |steal, link| {
        let client = ClientRecord {
            host_steal_share: Some(steal),
            link_share: Some(link),
            ..ClientRecord::default()
        };
        found(&look(&closed, &client, (1, 0)))
    };
    assert_eq!(of(0.02, 0.39), (0, 0));
    assert_eq!(of(0.03, 0.41), (0, 2));
    assert_eq!(of(0.06, 0.81), (2, 0));
}

#[test]
fn what_could_not_be_read_and_what_is_too_short_is_not_judged() {
    let client = ClientRecord {
        cpu_share: Some(1.0),
        ..ClientRecord::default()
    };
    let mut short = fixture::result(vec![fixture::slot(0, 0, &[MS; 10], &[])]);
    short.window_ns = 900 * MS;
    assert_eq!(found(&look(&short, &client, (1, 0))), (0, 0));
    assert_eq!(
        found(&look(&short, &ClientRecord::default(), (1, 0))),
        (0, 0)
    );
}

#[test]
fn a_thread_that_never_rests_is_told_from_one_that_waits_for_its_turn_on_a_busy_machine() {
    let of = |cpu, wait, preempted| {
        let client = ClientRecord {
            most_pressed_thread: Some(thread("load-0", cpu, wait, preempted)),
            ..ClientRecord::default()
        };
        without_rest(&client)
    };
    let saturated = of(0.35, 0.63, 0.97).expect("no rest");
    assert!(
        saturated.contains("98 %") && saturated.contains("35 %"),
        "{saturated}"
    );
    assert!(of(0.99, 0.0, 1.0).is_some());
    assert!(of(0.93, 0.05, 0.3).is_some(), "it hardly slept");
    // It goes to sleep by itself each time: all that was there to do had been done.
    assert_eq!(of(0.12, 0.83, 0.02), None);
    assert_eq!(of(0.40, 0.20, 0.90), None);
    assert_eq!(without_rest(&ClientRecord::default()), None);
}

#[test]
fn threads_that_spin_are_busy_whatever_they_do_and_are_no_limit_for_that() {
    let spins = ClientRecord {
        cores: Some(2.0),
        cpu_share: Some(0.97),
        busiest_thread: Some(thread("load-0", 0.99, 0.01, 1.0)),
        most_pressed_thread: Some(thread("load-0", 0.99, 0.01, 1.0)),
        host_steal_share: Some(0.06),
        pacing: Some(Pacing::Spin),
        ..ClientRecord::default()
    };
    // What the hypervisor takes, and a lag, decide as ever.
    let findings = look(&open(100, 10 * MS, 10 * US), &spins, (1, 0));
    assert_eq!(found(&findings), (1, 0), "{findings:?}");
    assert!(findings.reasons[0].contains("hypervisor"));
    assert_eq!(without_rest(&spins), None);
    let late = look(&open(100, 10 * MS, 2 * MS), &spins, (1, 0));
    assert_eq!(found(&late), (2, 0), "{late:?}");
    let by_timer = ClientRecord {
        pacing: Some(Pacing::Timer),
        ..spins
    };
    assert!(without_rest(&by_timer).is_some());
    assert_eq!(
        found(&look(&open(100, 10 * MS, 10 * US), &by_timer, (1, 0))),
        (3, 0)
    );
}
