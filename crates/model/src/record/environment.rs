//! What a record says of the client, the server and the machines.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::latency::LatencySummary;
use crate::plan::Pacing;

/// Connections of the measured pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionCounts {
    /// Opened and ready, warm-up included.
    pub opened: u64,
    /// Closed before the end of the trial.
    pub closed: u64,
    /// Could not be opened.
    pub failed: u64,
}

impl ConnectionCounts {
    /// Adds the counts of another pool or thread.
    pub fn add(&mut self, other: Self) {
        self.opened += other.opened;
        self.closed += other.closed;
        self.failed += other.failed;
    }
}

/// Where the load came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunnerRecord {
    /// Host name.
    pub host: String,
    /// A label for the place, where one was given.
    pub location: Option<String>,
    /// CPU architecture, such as `x86_64` or `aarch64`.
    pub arch: String,
    /// Median round trip of a `ping` before the load, in nanoseconds.
    pub rtt_ns: Option<u64>,
    /// All members of the target run on this machine, as far as addresses tell.
    #[serde(default)]
    pub colocated: bool,
}

/// What one thread of the load generator used in the measured window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadRecord {
    /// Its name: `load-0` and so on for those that send.
    pub name: String,
    /// The share of the time that it ran, 0 to 1.
    pub cpu_share: f64,
    /// The share of the time that it waited for a core, 0 to 1; null where the kernel does not
    /// tell.
    pub wait_share: Option<f64>,
    /// Of the times that it left a core, the share at which it had to, for other threads, and did
    /// not go to sleep by itself; null where the kernel does not tell.
    pub preempted_share: Option<f64>,
}

/// The load generator itself, over the measured window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClientRecord {
    /// CPU time of the process in the window, in seconds.
    pub cpu_s: Option<f64>,
    /// CPU time per ended operation, in microseconds; null where load threads spin, which is no cost
    /// of operations.
    pub cpu_us_per_op: Option<f64>,
    /// Cores that the process may use, by affinity and by the quota of its control group.
    #[serde(default)]
    pub cores: Option<f64>,
    /// CPU time of the process as a share of those cores, 0 to 1.
    #[serde(default)]
    pub cpu_share: Option<f64>,
    /// The thread that ran for most of the window; null for a window of less than a second.
    #[serde(default)]
    pub busiest_thread: Option<ThreadRecord>,
    /// The load thread that had work for most of the window: it ran, or waited for a core.
    #[serde(default)]
    pub most_pressed_thread: Option<ThreadRecord>,
    /// Use of the busiest network link in its busier direction, as a share of its speed, by all
    /// programs; null where no link tells its speed.
    #[serde(default)]
    pub link_share: Option<f64>,
    /// Largest resident memory of the process so far, in bytes.
    pub max_rss_bytes: Option<u64>,
    /// Busy share of all cores of this machine in the window, 0 to 1.
    pub host_cpu_share: Option<f64>,
    /// Share of time stolen by the hypervisor in the window, 0 to 1.
    pub host_steal_share: Option<f64>,
    /// Lateness of the generator; null in closed load.
    pub schedule_lag_ns: Option<LatencySummary>,
    /// Wait for a free slot of the concurrency cap; null in closed load.
    pub queue_wait_ns: Option<LatencySummary>,
    /// Wait for a connection of the pool.
    pub connection_wait_ns: LatencySummary,
    /// Connections of the measured pools.
    pub connections: ConnectionCounts,
    /// Engine threads.
    pub threads: u32,
    /// How they waited for arrivals; null in closed load.
    #[serde(default)]
    pub pacing: Option<Pacing>,
    /// Where the load came from.
    pub runner: RunnerRecord,
}

/// The deployment under test. What could not be read is null, and `unavailable` says why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerRecord {
    /// Server version, such as `6.0.5`.
    pub version: Option<String>,
    /// `standalone`, `replica set NAME`, or `sharded`.
    pub topology: Option<String>,
    /// By host and port: its role.
    pub members: BTreeMap<String, serde_json::Value>,
    /// CPU time of the server per operation, in microseconds.
    pub cpu_us_per_op: Option<f64>,
    /// Network counters over the window.
    pub network: Option<serde_json::Value>,
    /// Wire compression.
    pub compression: Option<serde_json::Value>,
    /// Disk figures.
    pub disk: Option<serde_json::Value>,
    /// What could not be read, and why.
    pub unavailable: BTreeMap<String, String>,
}

/// What the numbers depend on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentRecord {
    /// docstone's version.
    pub docstone_version: String,
    /// `debug` or `release`.
    pub docstone_build: String,
    /// Host name of the client.
    pub host: String,
    /// CPU model of the client.
    pub cpu_model: Option<String>,
    /// Cores that this process may use.
    pub cores: u32,
    /// CPU architecture of the client.
    pub arch: String,
    /// Memory of the client, in bytes.
    pub memory_bytes: Option<u64>,
    /// Memory page size of the client, in bytes.
    pub page_size_bytes: u64,
    /// Kernel of the client.
    pub kernel: Option<String>,
    /// Write concern in force and where it comes from, such as `majority (server default)`.
    pub write_concern: Option<String>,
    /// Read concern in force and where it comes from.
    pub read_concern: Option<String>,
    /// Read preference in force.
    pub read_preference: Option<String>,
    /// The driver repeats failed writes once.
    pub retry_writes: Option<bool>,
    /// The driver repeats failed reads once.
    pub retry_reads: Option<bool>,
    /// Compressor asked for, as in files.
    pub compressor: Option<String>,
    /// TLS: `off`, `verified` or `insecure`.
    pub tls: Option<String>,
    /// Storage engine cache of the server, in bytes.
    pub cache_size_bytes: Option<u64>,
    /// Data of the collections of the plan, in bytes.
    pub data_size_bytes: Option<u64>,
    /// Indexes of the collections of the plan, in bytes.
    pub index_size_bytes: Option<u64>,
}
