//! What a self-test found: this machine as a load generator.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::latency::LatencySummary;
use crate::plan::Pacing;

/// The format's name and version.
pub const SELFTEST_FORMAT: &str = "docstone.selftest/1";

/// What this machine can do as a load generator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelftestRecord {
    /// [`SELFTEST_FORMAT`].
    pub format: String,
    /// docstone's version.
    pub version: String,
    /// The machine's name.
    pub host: String,
    /// CPU architecture.
    pub arch: String,
    /// CPU model, where it is known.
    pub cpu_model: Option<String>,
    /// Cores that docstone may use.
    pub cores: u32,
    /// Name and release of the kernel.
    pub kernel: Option<String>,
    /// Engine threads.
    pub threads: u32,
    /// How they waited for arrivals of open load.
    pub pacing: Pacing,
    /// How well it keeps time.
    pub timer: TimerRecord,
    /// The engine against a stub behind no driver: drawing and recording alone.
    pub engine: Vec<RateRecord>,
    /// The whole way, through driver and sockets, with small documents; not measured where a
    /// workload is given, whose steps take its place.
    pub driver: Vec<RateRecord>,
    /// The highest rate of open load on that way.
    pub open: Option<OpenRecord>,
    /// The same for the steps of a workload.
    pub workload: Option<WorkloadRecord>,
    /// What the reader must know, one line each.
    pub notes: Vec<String>,
}

/// How well a machine keeps time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimerRecord {
    /// Arrivals asked of each thread.
    pub rate_per_thread_ops_per_s: f64,
    /// How late the engine noticed arrivals.
    pub schedule_lag_ns: LatencySummary,
    /// How late a plain sleep of 1 ms on a thread of its own ended, at the same time: what the
    /// system, other programs and the hypervisor take.
    pub sleep_lag_ns: LatencySummary,
    /// Sleeps that ended more than 10 ms late.
    pub stalls: u64,
}

/// What closed load came to. Where the scenario has steps, an operation is a whole iteration here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateRecord {
    /// Engine threads.
    pub threads: u32,
    /// Workers.
    pub concurrency: u32,
    /// Operations that ended.
    pub operations: u64,
    /// Those of them that failed.
    pub errors: u64,
    /// Operations per second.
    pub rate_ops_per_s: f64,
    /// The client's CPU time per operation, that of the stub not counted.
    pub cpu_us_per_op: Option<f64>,
    /// The stub's CPU time per operation, spent on the same cores; null where it has no threads.
    pub stub_cpu_us_per_op: Option<f64>,
    /// The part of the time for which the stub's busiest thread was at work, 0 to 1.
    pub stub_busy_share: Option<f64>,
}

/// The highest rate of open load at which arrivals were noticed in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenRecord {
    /// That rate; null where none of those that were tried was held.
    pub rate_ops_per_s: Option<f64>,
    /// What counts as in time: 99 of 100 arrivals are noticed within this.
    pub lag_limit_ns: u64,
    /// How late they were at that rate.
    pub schedule_lag_ns: LatencySummary,
    /// Rates that were tried, in order.
    pub tried_ops_per_s: Vec<f64>,
}

/// What a workload asks of the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkloadRecord {
    /// Name of the plan.
    pub name: String,
    /// Its hash.
    pub plan_hash: String,
    /// Its measured load steps; those that mix open and closed load have two entries.
    pub steps: Vec<StepHeadroom>,
    /// Connections to the server that operations go to, those of monitoring included.
    pub connections: u64,
    /// Open files.
    pub files: u64,
    /// The most that this process may open; null is no limit.
    pub file_limit: Option<u64>,
}

/// One load step: what it asks for and what is possible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepHeadroom {
    /// Name of the step.
    pub step: String,
    /// `open` or `closed`.
    pub load: String,
    /// The groups whose load it is.
    pub groups: Vec<String>,
    /// The highest rate that the step asks for; null for closed load, which asks for none.
    pub asked_ops_per_s: Option<f64>,
    /// The step's operations as closed load, as fast as they go.
    pub closed: RateRecord,
    /// The step's operations as open load, at the highest rate; null for closed load.
    pub open: Option<OpenRecord>,
    /// The highest rate of open load over the rate asked for.
    pub headroom: Option<f64>,
    /// What that means; null for closed load.
    pub verdict: Option<Headroom>,
}

/// What a headroom means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Headroom {
    /// At least twice the rate that is asked for.
    Good,
    /// Between once and twice.
    Tight,
    /// Less than is asked for.
    NotEnough,
}

impl Headroom {
    /// The verdict on the highest possible rate over the rate asked for; none that was possible
    /// is not enough.
    pub fn of(headroom: Option<f64>) -> Self {
        match headroom {
            Some(headroom) if headroom >= 2.0 => Self::Good,
            Some(headroom) if headroom >= 1.0 => Self::Tight,
            _ => Self::NotEnough,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_is_good_once_is_tight_and_less_is_not_enough() {
        let of = |headroom| Headroom::of(Some(headroom));
        assert_eq!(of(2.0), Headroom::Good);
        assert_eq!(of(1.99), Headroom::Tight);
        assert_eq!(of(1.0), Headroom::Tight);
        assert_eq!(of(0.99), Headroom::NotEnough);
        assert_eq!(Headroom::of(None), Headroom::NotEnough);
    }
}
