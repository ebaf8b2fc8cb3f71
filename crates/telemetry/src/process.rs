//! CPU time and memory of this process.
//!
//! Owns reading them; differences over a window are in `window`.

use procfs::process::Process;
use rustix::time::{ClockId, clock_gettime};

/// Reads the process's own use of the machine.
#[derive(Clone, Copy, Debug)]
pub struct ProcessClock;

/// What this process has used so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessSample {
    /// CPU time of all its threads, user and system, in seconds. From the kernel's clock of the
    /// process, whose grain is nanoseconds where that of `/proc/self/stat` is 10 ms.
    pub cpu_s: f64,
    /// Largest resident memory so far, in bytes.
    pub max_rss_bytes: Option<u64>,
    /// Resident memory now, in bytes.
    pub rss_bytes: Option<u64>,
}

impl ProcessClock {
    /// The use of this process up to now.
    pub fn now() -> ProcessSample {
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        let status = Process::myself().and_then(|process| process.status()).ok();
        let bytes = |kib: Option<u64>| kib.map(|kib| kib * 1024);
        ProcessSample {
            cpu_s: cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9,
            max_rss_bytes: bytes(status.as_ref().and_then(|status| status.vmhwm)),
            rss_bytes: bytes(status.as_ref().and_then(|status| status.vmrss)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_seen_in_cpu_time() {
        let before = ProcessClock::now();
        let mut sum = 0_u64;
        while ProcessClock::now().cpu_s - before.cpu_s < 0.02 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let after = ProcessClock::now();
        assert!(after.cpu_s > before.cpu_s);
        assert!(after.cpu_s < 3600.0, "{}", after.cpu_s);
    }

    #[test]
    fn memory_that_was_given_back_stays_in_the_maximum() {
        let size_bytes = 64 << 20;
        let block = std::hint::black_box(vec![1_u8; size_bytes]);
        let with = ProcessClock::now();
        drop(block);
        let without = ProcessClock::now();
        let rss = |sample: ProcessSample| sample.rss_bytes.expect("Linux tells VmRSS");
        let max = |sample: ProcessSample| sample.max_rss_bytes.expect("Linux tells VmHWM");
        assert!(rss(with) >= size_bytes as u64);
        assert!(max(without) >= size_bytes as u64);
        assert!(max(without) >= rss(without));
    }
}
