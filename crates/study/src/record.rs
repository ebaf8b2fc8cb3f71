//! From what was measured to `docstone.trial/1`. Pure: reads no clock and no machine.

mod arrival_gaps;
mod client_limits;
mod drill;
mod environment;
mod misses;
mod operation;
mod precision;
mod steadiness;
mod validity;

use std::collections::BTreeMap;

use docstone_engine::{SlotData, TargetDescription, TrialResult, summarize};
use docstone_model::plan::Pacing;
use docstone_model::record::{
    ClientRecord, DataRecord, EventRecord, GroupRecord, OperationRecord, RunnerRecord, Status,
    TRIAL_FORMAT, ThreadRecord, TrialRecord, TrialSummary, Verdict,
};
use docstone_model::{Plan, StepPlan};
use docstone_telemetry::{ClientUse, ThreadUse};
use jiff::Timestamp;

use drill::drill_record;
pub(crate) use drill::{DrillFacts, Played};
pub(crate) use environment::{Surroundings, environment};
use operation::{by_name, merge, operation_record};
use validity::{Load, shortfalls, validity};

use crate::outstanding::OpenGroups;
use crate::pieces::Pieces;

/// What is known of a trial besides its counts.
pub(crate) struct TrialFacts<'a> {
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// Index of the load step.
    pub(crate) step: usize,
    /// Which trial of its cell, from 1.
    pub(crate) n: u32,
    /// Start of the load.
    pub(crate) started_at: Timestamp,
    /// How it ended.
    pub(crate) status: Status,
    /// The machine and this program.
    pub(crate) surroundings: Surroundings<'a>,
    /// The documents of collections with payloads.
    pub(crate) data: &'a BTreeMap<String, DataRecord>,
    /// The target.
    pub(crate) target: &'a TargetDescription,
    /// What the client used in the measured window.
    pub(crate) client_use: ClientUse,
    /// Operations that ended in the measured window, failed ones too.
    pub(crate) ended_in_window: u64,
    /// What the target noticed.
    pub(crate) events: Vec<EventRecord>,
    /// What became of the arrivals of open load.
    pub(crate) open_groups: OpenGroups,
    /// The window in pieces.
    pub(crate) pieces: Pieces,
    /// What was seen of the step's actions.
    pub(crate) drill: DrillFacts,
}

/// The record of a trial that has ended.
pub(crate) fn trial_record(facts: TrialFacts<'_>, result: &TrialResult) -> TrialRecord {
    let plan = facts.plan;
    let step = &plan.steps[facts.step];
    let window_s = seconds(result.window_ns);
    let client = client_record(&facts, result);
    let load = Load {
        plan,
        step,
        open_groups: &facts.open_groups,
        client: &client,
        colocation: facts.target.colocation,
    };
    let shortfalls = shortfalls(result, &load);
    let mut validity = validity(result, &load, &shortfalls, facts.status);
    // Of a rate that was not held the seconds say nothing but that.
    let held = matches!(validity.verdict, Verdict::Valid | Verdict::ClientLimited);
    let steadiness = held.then(|| steadiness::steadiness((plan, step), result, &facts.pieces));
    let warnings = steadiness.iter().flat_map(steadiness::warnings);
    validity.warnings.extend(warnings);
    let drill = drill_record(plan, &step.actions, &facts.drill, result);
    validity.warnings.extend(
        drill
            .iter()
            .flat_map(|of| drill::warnings(of, &step.actions)),
    );
    let mut groups = groups((plan, step), result);
    for group in shortfalls.grown_groups {
        let name = &plan.groups[group].name;
        if let Some(group) = groups.get_mut(name) {
            group.backlog_grew = true;
        }
    }
    validity.warnings.extend(arrival_gaps::warnings(&groups));
    validity.warnings.extend(misses::warnings(plan, result));
    TrialRecord {
        format: TRIAL_FORMAT.to_owned(),
        cell: step.name.clone(),
        n: facts.n,
        status: facts.status,
        validity,
        limited_by: None,
        seed: plan.seed,
        started_at: facts.started_at.to_string(),
        window_s,
        load: step.clone(),
        transport: facts.target.transport.to_owned(),
        events: events(facts.events, result),
        outages: result.outages.clone(),
        drill,
        groups,
        operations: operations(plan, result),
        steadiness,
        precision: held
            .then(|| precision::precision((plan, step), result, &facts.pieces))
            .flatten(),
        generators: vec![client.clone()],
        client,
        server: facts.target.server.clone(),
        environment: environment(facts.surroundings, facts.target),
        data: facts.data.clone(),
    }
}

/// The trial in short, over all operations and groups; of steps, over whole iterations.
pub(crate) fn trial_summary(record: &TrialRecord, result: &TrialResult) -> TrialSummary {
    let all = merge(result.arriving());
    let all = all.map(|all| operation_record(&all, result.window_ns));
    let all = all.unwrap_or_default();
    TrialSummary {
        concurrency: record
            .load
            .loads
            .iter()
            .map(|load| load.model.concurrency())
            .sum(),
        window_s: record.window_s,
        ok: all.ok,
        not_found: all.not_found,
        errors: all.errors,
        throughput_ops_per_s: all.throughput_ops_per_s,
        service_ns: all.service_ns,
        response_ns: all.response_ns,
        client_cpu_us_per_op: record.client.cpu_us_per_op,
    }
}

fn groups((plan, step): (&Plan, &StepPlan), result: &TrialResult) -> BTreeMap<String, GroupRecord> {
    let mut groups: BTreeMap<String, GroupRecord> = BTreeMap::new();
    for slot in &result.slots {
        let window_ns = group_window_ns(result, slot.key.group);
        let group = groups
            .entry(plan.groups[slot.key.group].name.clone())
            .or_insert_with(|| GroupRecord {
                window_s: seconds(window_ns),
                arrival_gaps: arrival_gaps::arrival_gaps((plan, step), result, slot.key.group),
                ..GroupRecord::default()
            });
        let name = slot.key.name(plan).to_owned();
        let _ = group
            .operations
            .insert(name, operation_record(slot, window_ns));
    }
    for slot in &result.iterations {
        let window_ns = group_window_ns(result, slot.key.group);
        let group = groups.get_mut(&plan.groups[slot.key.group].name);
        group.expect("it has operations").iterations = Some(operation_record(slot, window_ns));
    }
    groups
}

/// By name, merged over groups. Its window is the longest of the groups that sent it.
fn operations(plan: &Plan, result: &TrialResult) -> BTreeMap<String, OperationRecord> {
    let of = |(name, slots): (&str, Vec<&SlotData>)| {
        let merged = merge(slots.iter().copied())?;
        let windows = slots
            .iter()
            .map(|slot| group_window_ns(result, slot.key.group));
        Some((name.to_owned(), operation_record(&merged, windows.max()?)))
    };
    by_name(plan, result.slots.iter())
        .into_iter()
        .filter_map(of)
        .collect()
}

fn group_window_ns(result: &TrialResult, group: usize) -> u64 {
    let windows = &result.group_windows_ns;
    let of_group = windows.iter().find(|(index, _)| *index == group);
    of_group.map_or(result.window_ns, |(_, window_ns)| *window_ns)
}

fn client_record(facts: &TrialFacts<'_>, result: &TrialResult) -> ClientRecord {
    let used = &facts.client_use;
    let ended = facts.ended_in_window;
    let open = result.has_open_load();
    let pacing = open.then_some(facts.plan.pacing);
    ClientRecord {
        cpu_s: used.cpu_s,
        cpu_us_per_op: used
            .cpu_s
            .filter(|_| ended > 0 && pacing != Some(Pacing::Spin))
            .map(|cpu_s| cpu_s * 1e6 / ended as f64),
        cores: used.cores,
        cpu_share: used.cpu_share(),
        busiest_thread: most(&used.threads, |thread| thread.cpu_share),
        most_pressed_thread: most(
            used.threads.iter().filter(|thread| is_load(thread)),
            ThreadUse::demand,
        ),
        link_share: used.link_share,
        max_rss_bytes: used.max_rss_bytes,
        host_cpu_share: used.host_cpu_share,
        host_steal_share: used.host_steal_share,
        schedule_lag_ns: open.then(|| summarize(&result.waits.schedule_lag)),
        queue_wait_ns: open.then(|| summarize(&result.waits.queue)),
        connection_wait_ns: summarize(&result.waits.connection),
        connections: result.connections,
        threads: result.threads,
        pacing,
        runner: RunnerRecord {
            host: facts.surroundings.machine.host.clone(),
            location: None,
            arch: facts.surroundings.machine.arch.clone(),
            rtt_ns: facts.target.rtt_ns,
            colocated: facts.target.colocation.is_whole(),
        },
    }
}

/// The threads of the engine, by their names.
fn is_load(thread: &ThreadUse) -> bool {
    thread.name.starts_with("load-")
}

/// The thread with the most of something.
fn most<'a>(
    threads: impl IntoIterator<Item = &'a ThreadUse>,
    of: fn(&ThreadUse) -> f64,
) -> Option<ThreadRecord> {
    let threads = threads.into_iter();
    let most = threads.max_by(|a, b| of(a).total_cmp(&of(b)))?;
    Some(ThreadRecord {
        name: most.name.clone(),
        cpu_share: most.cpu_share,
        wait_share: most.wait_share,
        preempted_share: most.preempted_share,
    })
}

/// Events of the target, outages and the interruption on one time axis.
fn events(mut events: Vec<EventRecord>, result: &TrialResult) -> Vec<EventRecord> {
    for outage in &result.outages {
        events.push(EventRecord {
            t_s: seconds(outage.from_ns),
            kind: "outage".to_owned(),
            text: format!(
                "no operation succeeded from {:.3} s to {:.3} s; {} errors and {} retries in it",
                seconds(outage.from_ns),
                seconds(outage.to_ns),
                outage.errors,
                outage.retries
            ),
        });
    }
    if let Some(given_up) = result.given_up {
        events.push(EventRecord {
            t_s: seconds(given_up.at_ns),
            kind: "given_up".to_owned(),
            text: format!(
                "the load was ended: the oldest arrival that waited was due {:.1} s before, and \
                 the backlog grew",
                seconds(given_up.backlog_age_ns)
            ),
        });
    }
    if result.interrupted {
        events.push(EventRecord {
            t_s: seconds(result.window_ns),
            kind: "interrupted".to_owned(),
            text: "the load was stopped before its planned end".to_owned(),
        });
    }
    events.sort_by(|a, b| a.t_s.total_cmp(&b.t_s));
    events
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests;
