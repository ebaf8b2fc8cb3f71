//! The pacer's timer: sleeps until an instant of the trial's clock, to some tens of microseconds.
//!
//! A `timerfd` with an absolute time. The runtime's own timer has a grain of a millisecond, which
//! is as much as an operation takes.

use std::os::fd::OwnedFd;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use crate::clock::Clock;

/// With [`Pacing::Spin`] the thread does not sleep for the last part before an arrival.
const SPIN_NS: u64 = 60_000;

/// How a load thread waits for the next arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// By the timer alone.
    Timer,
    /// By the timer up to 60 us before, then by looking at the clock over and over, which costs
    /// up to a core per thread.
    Spin,
    /// By the runtime's own timer: in tests, where time is virtual.
    #[cfg(test)]
    Virtual,
}

impl From<docstone_model::plan::Pacing> for Pacing {
    fn from(planned: docstone_model::plan::Pacing) -> Self {
        match planned {
            docstone_model::plan::Pacing::Timer => Self::Timer,
            docstone_model::plan::Pacing::Spin => Self::Spin,
        }
    }
}

/// A timer of one thread that is not set yet.
#[derive(Debug)]
pub(crate) struct TimerFile {
    pacing: Pacing,
    fd: AsyncFd<OwnedFd>,
}

impl TimerFile {
    /// Opens a timer on the present runtime.
    ///
    /// # Errors
    /// If the system has no descriptor left for it.
    #[expect(
        deprecated,
        reason = "its successor is unsafe, for descriptors that close early; this one is owned"
    )]
    pub(crate) fn open(pacing: Pacing) -> std::io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let fd = AsyncFd::new(timerfd_create(TimerfdClockId::Monotonic, flags)?)?;
        Ok(Self { pacing, fd })
    }

    /// The timer on a trial's clock.
    pub(crate) fn start(self, clock: Clock) -> Timer {
        Timer {
            file: self,
            clock,
            zero_ns: clock.zero_monotonic_ns(),
        }
    }
}

/// A timer of one thread.
#[derive(Debug)]
pub(crate) struct Timer {
    file: TimerFile,
    clock: Clock,
    /// What `CLOCK_MONOTONIC` reads at the clock's zero.
    zero_ns: u64,
}

impl Timer {
    /// Sleeps until the clock reads `ns`.
    pub(crate) async fn until(&self, ns: u64) {
        match self.file.pacing {
            Pacing::Timer => self.sleep(ns).await,
            Pacing::Spin => {
                if self.clock.now_ns() + SPIN_NS < ns {
                    self.sleep(ns - SPIN_NS).await;
                }
                while self.clock.now_ns() < ns {
                    tokio::task::yield_now().await;
                }
            }
            #[cfg(test)]
            Pacing::Virtual => {
                tokio::time::sleep_until(self.clock.instant(ns)).await;
            }
        }
    }

    async fn sleep(&self, ns: u64) {
        let fd = &self.file.fd;
        let at_ns = self.zero_ns + ns;
        let zero = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let at = Timespec {
            tv_sec: i64::try_from(at_ns / 1_000_000_000).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(at_ns % 1_000_000_000).unwrap_or(0),
        };
        let once = Itimerspec {
            it_interval: zero,
            it_value: at,
        };
        let set = timerfd_settime(fd.get_ref(), TimerfdTimerFlags::ABSTIME, &once);
        let _ = set.expect("the timer is open and the time is valid");
        loop {
            let ready = fd.readable().await;
            let mut ready = ready.expect("the runtime lives as long as the timer");
            let mut count = [0; 8];
            // Would block where an earlier setting was still marked ready.
            if ready
                .try_io(|fd| Ok(rustix::io::read(fd, &mut count)?))
                .is_ok()
            {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::crew::build_runtime;

    #[test]
    fn both_ways_to_wait_end_at_or_after_their_time_and_not_a_millisecond_late_every_time() {
        for pacing in [Pacing::Timer, Pacing::Spin] {
            let runtime = build_runtime().expect("a runtime");
            let late_ns = runtime.block_on(async {
                let clock = Clock::starting_in(Duration::ZERO);
                let file = TimerFile::open(pacing).expect("a descriptor is left");
                let timer = file.start(clock);
                let mut late_ns = Vec::new();
                for wake in 1..=50 {
                    let at_ns = wake * 1_300_000;
                    timer.until(at_ns).await;
                    let now_ns = clock.now_ns();
                    assert!(
                        now_ns >= at_ns,
                        "{pacing:?} woke {} ns early",
                        at_ns - now_ns
                    );
                    late_ns.push(now_ns - at_ns);
                }
                late_ns
            });
            let least = late_ns.iter().min().expect("fifty");
            assert!(*least < 800_000, "{pacing:?}: {late_ns:?}");
        }
    }

    #[test]
    fn a_time_that_has_passed_is_no_wait() {
        let runtime = build_runtime().expect("a runtime");
        runtime.block_on(async {
            let clock = Clock::starting_in(Duration::ZERO);
            std::thread::sleep(Duration::from_millis(2));
            let file = TimerFile::open(Pacing::Timer).expect("a descriptor is left");
            file.start(clock).until(1).await;
        });
    }
}
