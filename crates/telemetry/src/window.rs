//! What the client used between two points in time.

use std::time::Instant;

use crate::cores::available_cores;
use crate::host::HostSample;
use crate::link::Links;
use crate::process::{ProcessClock, ProcessSample};
use crate::threads::{ThreadUse, Threads};

/// A window that has begun.
#[derive(Clone, Debug)]
pub struct Window {
    begun: Instant,
    process: ProcessSample,
    host: Option<HostSample>,
    links: Links,
    threads: Threads,
}

/// What the client and its host used in a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientUse {
    /// Length of the window in seconds.
    pub elapsed_s: f64,
    /// CPU time of this process, in seconds.
    pub cpu_s: Option<f64>,
    /// Cores that this process may use, by affinity and by quota, which need not be whole.
    pub cores: Option<f64>,
    /// The threads of this process; none for a window of less than a second.
    pub threads: Vec<ThreadUse>,
    /// Busy share of all cores of the machine, 0 to 1.
    pub host_cpu_share: Option<f64>,
    /// Share of time that the hypervisor took, 0 to 1.
    pub host_steal_share: Option<f64>,
    /// Use of the busiest network link in its busier direction, as a share of its speed.
    pub link_share: Option<f64>,
    /// Largest resident memory of this process since it started, in bytes.
    pub max_rss_bytes: Option<u64>,
}

impl ClientUse {
    /// CPU time of this process as a share of the cores that it may use.
    pub fn cpu_share(&self) -> Option<f64> {
        let could_s = self.cores? * self.elapsed_s;
        (could_s > 0.0).then_some(self.cpu_s? / could_s)
    }
}

impl Window {
    /// Begins a window now.
    pub fn start() -> Self {
        Self {
            begun: Instant::now(),
            process: ProcessClock::now(),
            host: HostSample::now(),
            links: Links::now(),
            threads: Threads::start(),
        }
    }

    /// Looks at the threads, some of which may end before the window does.
    pub fn look(&mut self) {
        self.threads.look();
    }

    /// What was used from the start to now.
    pub fn end(&mut self) -> ClientUse {
        let process = ProcessClock::now();
        let elapsed_s = self.begun.elapsed().as_secs_f64();
        let host = HostSample::now();
        let both = self.host.as_ref().zip(host.as_ref());
        self.threads.look();
        ClientUse {
            elapsed_s,
            cpu_s: Some(process.cpu_s - self.process.cpu_s),
            cores: available_cores(),
            threads: self.threads.used(),
            host_cpu_share: both.and_then(|(before, after)| after.busy_share_since(before)),
            host_steal_share: both.and_then(|(before, after)| after.steal_share_since(before)),
            link_share: Links::now().busiest_share_since(&self.links),
            max_rss_bytes: process.max_rss_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_window_shows_cpu_and_a_busy_host() {
        let mut window = Window::start();
        let mut used = window.end();
        while used.cpu_s.expect("the process has a CPU clock") < 0.1 {
            used = window.end();
        }
        let share = used.host_cpu_share.expect("ticks have passed");
        assert!(share > 0.0 && share <= 1.0, "{share}");
        let steal = used.host_steal_share.unwrap_or(0.0);
        assert!((0.0..=1.0).contains(&steal), "{steal}");
        let cores = used.cores.expect("Linux tells the affinity");
        let share = used.cpu_share().expect("time has passed");
        assert!(
            (share * cores * used.elapsed_s - used.cpu_s.unwrap_or(0.0)).abs() < 1e-9,
            "{share}"
        );
        assert!(used.max_rss_bytes.expect("Linux tells VmHWM") > 0);
    }
}
