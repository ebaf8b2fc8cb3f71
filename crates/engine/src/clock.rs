//! The time base of a trial: nanoseconds since its load began.
//!
//! The only file of the engine that reads a clock. It reads tokio's, which is the system's
//! monotonic clock except in tests, where time is virtual.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::time::Instant;

/// Nanoseconds since the load of one trial began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    zero: Instant,
}

impl Clock {
    /// A clock that reads 0 after `delay`.
    pub(crate) fn starting_in(delay: Duration) -> Self {
        Self {
            zero: Instant::now() + delay,
        }
    }

    /// The instant at which it reads 0.
    pub(crate) fn zero(&self) -> Instant {
        self.zero
    }

    /// What the system's monotonic clock reads at zero, in nanoseconds.
    pub(crate) fn zero_monotonic_ns(&self) -> u64 {
        let now = clock_gettime(ClockId::Monotonic);
        let since = std::time::Instant::now();
        let zero = self.zero.into_std();
        let now_ns = u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000
            + u64::try_from(now.tv_nsec).unwrap_or(0);
        let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        match zero.checked_duration_since(since) {
            Some(ahead) => now_ns + ns(ahead),
            None => now_ns.saturating_sub(ns(since.duration_since(zero))),
        }
    }

    /// The time since the load began; 0 before.
    pub(crate) fn now_ns(&self) -> u64 {
        self.at_ns(Instant::now())
    }

    /// What it read at an instant; 0 before the load began.
    pub(crate) fn at_ns(&self, instant: Instant) -> u64 {
        let since = instant.saturating_duration_since(self.zero).as_nanos();
        u64::try_from(since).unwrap_or(u64::MAX)
    }

    /// The instant at which it reads `ns`.
    pub(crate) fn instant(&self, ns: u64) -> Instant {
        self.zero + Duration::from_nanos(ns)
    }
}
