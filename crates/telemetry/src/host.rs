//! How busy the machine is, all processes together.
//!
//! Owns reading `/proc/stat` and the shares between two readings.

use procfs::{CpuTime, CurrentSI, KernelStats};

/// Time that all cores of the machine have spent since it started, in clock ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostSample {
    /// Spent working: user, nice, system and interrupts.
    pub busy_ticks: u64,
    /// Taken by the hypervisor for other machines; `None` where the kernel does not tell.
    pub steal_ticks: Option<u64>,
    /// All of it: busy, idle, waiting for I/O, and stolen.
    pub total_ticks: u64,
}

impl HostSample {
    /// The machine up to now; `None` where `/proc/stat` cannot be read.
    pub fn now() -> Option<Self> {
        KernelStats::current()
            .ok()
            .map(|stats| Self::of(&stats.total))
    }

    fn of(time: &CpuTime) -> Self {
        // Guest time is part of `user` and `nice` already.
        let busy_ticks =
            time.user + time.nice + time.system + time.irq.unwrap_or(0) + time.softirq.unwrap_or(0);
        let idle_ticks = time.idle + time.iowait.unwrap_or(0);
        Self {
            busy_ticks,
            steal_ticks: time.steal,
            total_ticks: busy_ticks + idle_ticks + time.steal.unwrap_or(0),
        }
    }

    /// The share of time that was busy since `earlier`, 0 to 1; `None` if no tick has passed.
    pub fn busy_share_since(&self, earlier: &Self) -> Option<f64> {
        share(
            self.busy_ticks.saturating_sub(earlier.busy_ticks),
            self.ticks_since(earlier),
        )
    }

    /// The share of time that was stolen since `earlier`, 0 to 1; `None` if no tick has passed or
    /// the kernel does not tell.
    pub fn steal_share_since(&self, earlier: &Self) -> Option<f64> {
        share(
            self.steal_ticks?.saturating_sub(earlier.steal_ticks?),
            self.ticks_since(earlier),
        )
    }

    fn ticks_since(&self, earlier: &Self) -> u64 {
        self.total_ticks.saturating_sub(earlier.total_ticks)
    }
}

/// Bounded by 1, since the kernel may count the wait for I/O backwards, which shortens the total.
fn share(part_ticks: u64, total_ticks: u64) -> Option<f64> {
    (total_ticks > 0).then(|| (part_ticks as f64 / total_ticks as f64).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use procfs::FromBufReadSI;

    fn sample(cpu: &str) -> HostSample {
        let text = format!("cpu  {cpu}\nctxt 1\nbtime 1\nprocesses 1\n");
        let stats = KernelStats::from_buf_read(text.as_bytes(), procfs::current_system_info())
            .expect("the text has the form of /proc/stat");
        HostSample::of(&stats.total)
    }

    #[test]
    fn shares_are_of_all_time_between_two_samples() {
        let before = sample("100 10 50 800 20 5 5 10 7 3");
        let after = sample("150 10 70 900 40 10 5 15 7 3");
        assert_eq!(before.total_ticks, 1000);
        assert_eq!(after.total_ticks, 1200);
        assert_eq!(after.busy_share_since(&before), Some(75.0 / 200.0));
        assert_eq!(after.steal_share_since(&before), Some(5.0 / 200.0));
    }

    #[test]
    fn a_window_without_a_tick_has_no_share() {
        let same = sample("100 10 50 800 20 5 5 10 0 0");
        assert_eq!(same.busy_share_since(&same), None);
        assert_eq!(same.steal_share_since(&same), None);
    }

    #[test]
    fn steal_that_the_kernel_does_not_tell_is_unknown_and_not_zero() {
        let before = sample("100 10 50 800");
        let after = sample("200 10 50 900");
        assert_eq!(after.steal_share_since(&before), None);
        assert_eq!(after.busy_share_since(&before), Some(0.5));
    }

    #[test]
    fn a_wait_for_io_that_runs_backwards_keeps_the_share_within_one() {
        let before = sample("100 0 0 800 200 0 0 0 0 0");
        let after = sample("200 0 0 800 150 0 0 0 0 0");
        assert_eq!(after.busy_share_since(&before), Some(1.0));
    }

    #[test]
    fn this_machine_can_be_read() {
        let sample = HostSample::now().expect("Linux has /proc/stat");
        assert!(sample.busy_ticks > 0 && sample.busy_ticks <= sample.total_ticks);
    }
}
