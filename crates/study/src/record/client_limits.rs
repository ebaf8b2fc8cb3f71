//! What speaks for the load generator, and not the target, as the limit of a trial.
//!
//! Owns the rules about schedule lag, CPU, steal and the network. With the target on this machine,
//! those about CPU and steal warn only: it shares the cores, and both are busy together. Threads that
//! spin are busy whatever they have to do: their CPU time says nothing.

use docstone_engine::{Colocation, SlotData, TrialResult};
use docstone_model::plan::Pacing;
use docstone_model::record::{ThreadRecord, Warning, WarningKind};
use docstone_model::{Plan, record::ClientRecord};
use docstone_stats::{Latencies, quantile_is_supported};

use super::operation::{by_name, merge};

/// The largest schedule lag, as a share of the response time at the same quantile.
const LAG_LIMIT: f64 = 0.10;

/// A lag below this is no verdict: the pacer hands arrivals on no more often than each 50 us, and
/// its timer wakes some tens of microseconds late.
const LAG_GRAIN_NS: u64 = 100_000;

/// The largest share of the cores, and of one core by one thread.
const PROCESS_LIMIT: f64 = 0.80;
const THREAD_LIMIT: f64 = 0.90;

/// The largest share of time that the hypervisor may take, and of a link's speed.
const STEAL_LIMIT: f64 = 0.05;
const LINK_LIMIT: f64 = 0.80;

/// Warnings begin at this part of a limit.
const WARN_AT: f64 = 0.5;

/// Shares of CPU time of a shorter window say nothing.
const MIN_WINDOW_S: f64 = 1.0;

/// A quantile of the response times whose schedule lag is looked at.
struct Looked {
    q: f64,
    name: &'static str,
    /// A number is judged or gated by it, so that a lag that is too long decides. In a run without
    /// thresholds that is the median; the 99th percentile is what it is on a busy machine, and a
    /// lag in it is said.
    judged: bool,
}

const LOOKED: [Looked; 2] = [
    Looked {
        q: 0.5,
        name: "p50",
        judged: true,
    },
    Looked {
        q: 0.99,
        name: "p99",
        judged: false,
    },
];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Why the load generator was the limit.
    pub(super) reasons: Vec<String>,
    /// What does not decide.
    pub(super) warnings: Vec<Warning>,
}

impl Findings {
    fn add(&mut self, decides: bool, kind: WarningKind, text: String) {
        if decides {
            self.reasons.push(text);
        } else {
            self.warnings.push(Warning { kind, text });
        }
    }
}

/// Looks at a trial for what the load generator did to its numbers.
pub(super) fn client_limits(
    plan: &Plan,
    result: &TrialResult,
    client: &ClientRecord,
    colocation: Colocation,
) -> Findings {
    let mut findings = Findings::default();
    findings.warnings.extend(colocated(colocation));
    for looked in &LOOKED {
        lag(plan, result, looked, &mut findings);
    }
    if result.window_ns as f64 / 1e9 >= MIN_WINDOW_S {
        cpu(client, colocation.is_whole(), &mut findings);
        network(client, &mut findings);
    }
    findings
}

fn colocated(colocation: Colocation) -> Option<Warning> {
    let Colocation { members, here } = colocation;
    let text = match (members, here) {
        (_, 0) => return None,
        (1, _) => {
            "the target runs on this machine and shares its cores with the load: the numbers \
                   hold for the two together"
                .to_owned()
        }
        (members, here) => format!(
            "{here} of the {members} members of the target run on this machine and share its cores \
             with the load"
        ),
    };
    Some(Warning {
        kind: WarningKind::Colocated,
        text,
    })
}

/// The schedule lag at a quantile, and the times of what arrives at the same, of what was fastest.
struct LagBeside {
    lag_ns: u64,
    name: String,
    time_ns: u64,
}

impl LagBeside {
    /// `None` where too little arrived for this quantile.
    fn at(
        q: f64,
        plan: &Plan,
        result: &TrialResult,
        time: fn(SlotData) -> Latencies,
    ) -> Option<Self> {
        let at_q = |latencies: &Latencies| {
            let at_q = latencies.quantile_ns(q);
            at_q.filter(|_| quantile_is_supported(latencies.count(), q))
        };
        let lag_ns = at_q(&result.waits.schedule_lag)?;
        // Of steps only the iteration has the lag in its response time: each step after the first
        // counts from the end of the one before.
        let arriving = result.arriving().filter(|slot| slot.key.open);
        let of = |(name, slots): (&'_ str, Vec<&SlotData>)| {
            let time_ns = at_q(&time(merge(slots.into_iter())?))?;
            Some((name.to_owned(), time_ns))
        };
        let times = by_name(plan, arriving).into_iter().filter_map(of);
        let (name, time_ns) = times.min_by_key(|(_, time_ns)| *time_ns)?;
        Some(Self {
            lag_ns,
            name,
            time_ns,
        })
    }

    fn share(&self) -> f64 {
        self.lag_ns as f64 / self.time_ns.max(1) as f64
    }

    /// Both figures, of a time named so.
    fn text(&self, quantile: &str, time: &str) -> String {
        format!(
            "arrivals were noticed late: the schedule lag of {:.3} ms at {quantile} is {:.0} % of the \
             {time} of {} at {quantile}, {:.3} ms",
            self.lag_ns as f64 / 1e6,
            self.share() * 100.0,
            self.name,
            self.time_ns as f64 / 1e6,
        )
    }
}

/// Compares the schedule lag with the response times of what arrives, and says the worst.
fn lag(plan: &Plan, result: &TrialResult, looked: &Looked, findings: &mut Findings) {
    let Some(lag) = LagBeside::at(looked.q, plan, result, |slot| slot.response) else {
        return;
    };
    let share = lag.share();
    if share <= WARN_AT * LAG_LIMIT {
        return;
    }
    let over = share > LAG_LIMIT;
    let limit = match (over, lag.lag_ns > LAG_GRAIN_NS) {
        (true, true) => "more than 10 %",
        (true, false) => "more than 10 %, but within the grain of the timer",
        (false, _) => "the limit is 10 %",
    };
    let text = format!("{} ({limit})", lag.text(looked.name, "response time"));
    let decides = over && looked.judged && lag.lag_ns > LAG_GRAIN_NS;
    findings.add(decides, WarningKind::ScheduleLag, text);
}

/// Why a rate that was not held says nothing about the target: arrivals were noticed late, measured
/// by the service time. The response time is mostly backlog then, of which any lag is a small part.
/// With a target that is slow the lag stays small, also where it shares all cores with the load:
/// the thread that notices arrivals sleeps most of the time.
pub(super) fn late_notice(plan: &Plan, result: &TrialResult) -> Option<String> {
    let lag = LagBeside::at(0.5, plan, result, |slot| slot.service)?;
    let late = lag.share() > LAG_LIMIT && lag.lag_ns > LAG_GRAIN_NS;
    late.then(|| {
        format!(
            "{} (more than 10 %; the response time is mostly backlog)",
            lag.text("p50", "service time")
        )
    })
}

/// Shares of CPU time. What is on the machine of the target decides nothing.
fn cpu(client: &ClientRecord, colocated: bool, findings: &mut Findings) {
    let cores = client.cores.unwrap_or(0.0);
    let mut look = |share: Option<f64>, limit: f64, kind, text: &dyn Fn(f64) -> String| {
        let Some(share) = share else { return };
        let from = if colocated { limit } else { WARN_AT * limit };
        if share > from {
            let text = format!(
                "{} (the limit is {:.0} %)",
                text(share * 100.0),
                limit * 100.0
            );
            findings.add(share > limit && !colocated, kind, text);
        }
    };
    let busiest = client.busiest_thread.as_ref().filter(|_| !spins(client));
    look(
        client.cpu_share.filter(|_| !spins(client)),
        PROCESS_LIMIT,
        WarningKind::ProcessCpu,
        &|percent| {
            let cores = (cores * 100.0).round() / 100.0;
            format!("docstone used {percent:.0} % of the {cores} cores that it may use")
        },
    );
    look(
        busiest.map(|thread| thread.cpu_share),
        THREAD_LIMIT,
        WarningKind::ThreadCpu,
        &|percent| {
            let name = busiest.map_or("", |thread| &thread.name);
            format!("thread {name} of docstone used {percent:.0} % of a core")
        },
    );
    look(
        client.host_steal_share,
        STEAL_LIMIT,
        WarningKind::Steal,
        &|percent| format!("the hypervisor took {percent:.1} % of the time of this machine"),
    );
}

fn spins(client: &ClientRecord) -> bool {
    client.pacing == Some(Pacing::Spin)
}

fn network(client: &ClientRecord, findings: &mut Findings) {
    let Some(share) = client
        .link_share
        .filter(|share| *share > WARN_AT * LINK_LIMIT)
    else {
        return;
    };
    let text = format!(
        "a network link of this machine was used to {:.0} % of its speed (the limit is 80 %)",
        share * 100.0
    );
    findings.add(share > LINK_LIMIT, WarningKind::Network, text);
}

/// Why a rate that was not held says nothing about the target: a load thread had work all the
/// time, and ran for nearly all of it or left its core when it had to and not to wait for the
/// target. Such a thread sends no more, whatever the target does. Of a thread that spins it is not
/// known.
pub(super) fn without_rest(client: &ClientRecord) -> Option<String> {
    if spins(client) {
        return None;
    }
    let ThreadRecord {
        name,
        cpu_share,
        wait_share,
        preempted_share,
    } = client.most_pressed_thread.as_ref()?;
    let demand = cpu_share + wait_share.unwrap_or(0.0);
    let rested = preempted_share.is_some_and(|share| share <= 0.5);
    if demand <= THREAD_LIMIT || (rested && *cpu_share <= THREAD_LIMIT) {
        return None;
    }
    Some(format!(
        "thread {name} of docstone had work for {:.0} % of the time and never caught up: it ran for \
         {:.0} %, and waited for a core for {:.0} %",
        demand.min(1.0) * 100.0,
        cpu_share * 100.0,
        wait_share.unwrap_or(0.0) * 100.0
    ))
}

#[cfg(test)]
mod tests;
