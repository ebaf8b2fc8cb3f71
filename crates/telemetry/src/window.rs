//! What the client used between two points in time.

use crate::host::HostSample;
use crate::process::{ProcessClock, ProcessSample};

/// A window that has begun.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    process: ProcessSample,
    host: Option<HostSample>,
}

/// What the client and its host used in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClientUse {
    /// CPU time of this process, in seconds.
    pub cpu_s: Option<f64>,
    /// Busy share of all cores of the machine, 0 to 1.
    pub host_cpu_share: Option<f64>,
    /// Share of time that the hypervisor took, 0 to 1.
    pub host_steal_share: Option<f64>,
    /// Largest resident memory of this process since it started, in bytes.
    pub max_rss_bytes: Option<u64>,
}

impl Window {
    /// Begins a window now.
    pub fn start() -> Self {
        Self {
            process: ProcessClock::now(),
            host: HostSample::now(),
        }
    }

    /// What was used from the start to now.
    pub fn end(&self) -> ClientUse {
        let process = ProcessClock::now();
        let host = HostSample::now();
        let both = self.host.as_ref().zip(host.as_ref());
        ClientUse {
            cpu_s: Some(process.cpu_s - self.process.cpu_s),
            host_cpu_share: both.and_then(|(before, after)| after.busy_share_since(before)),
            host_steal_share: both.and_then(|(before, after)| after.steal_share_since(before)),
            max_rss_bytes: process.max_rss_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_window_shows_cpu_and_a_busy_host() {
        let window = Window::start();
        let mut used = window.end();
        while used.cpu_s.expect("the process has a CPU clock") < 0.1 {
            used = window.end();
        }
        let share = used.host_cpu_share.expect("ticks have passed");
        assert!(share > 0.0 && share <= 1.0, "{share}");
        let steal = used.host_steal_share.unwrap_or(0.0);
        assert!((0.0..=1.0).contains(&steal), "{steal}");
        assert!(used.max_rss_bytes.expect("Linux tells VmHWM") > 0);
    }
}
