//! The pace at which connections are opened, for all threads of the process together.
//!
//! Some hosted tiers accept only a number of new connections a second. The pace holds for opening
//! before a step, monitoring connections included; connections that replace broken ones during a
//! step are opened when they are needed.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Connections are opened in small groups that are at least so far apart.
const STEP: Duration = Duration::from_millis(200);

/// Hands out times at which connections may be opened.
pub(crate) struct Pace {
    rate_per_s: Option<f64>,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    /// So many connections a second; `None` is without limit.
    pub(crate) fn new(rate_per_s: Option<f64>) -> Self {
        Self {
            rate_per_s: rate_per_s.filter(|rate| *rate > 0.0),
            next: Mutex::new(None),
        }
    }

    /// How many connections to open at a time.
    pub(crate) fn batch(&self) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number; one above the range saturates"
        )]
        self.rate_per_s
            .map_or(u32::MAX, |rate| ((rate * STEP.as_secs_f64()) as u32).max(1))
    }

    /// The time that opening so many connections takes by the pace alone.
    pub(crate) fn time_for(&self, connections: u64) -> Duration {
        self.rate_per_s.map_or(Duration::ZERO, |rate| {
            Duration::try_from_secs_f64(connections as f64 / rate).unwrap_or(Duration::MAX / 4)
        })
    }

    /// Waits until so many connections may be opened.
    pub(crate) async fn wait_for(&self, connections: u32) {
        if self.rate_per_s.is_none() {
            return;
        }
        let at = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let at = next.map_or(now, |next| next.max(now));
            *next = Some(at + self.time_for(u64::from(connections)));
            at
        };
        tokio::time::sleep_until(at).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_rate_nothing_waits() {
        let pace = Pace::new(None);
        assert_eq!(
            (pace.batch(), pace.time_for(1000)),
            (u32::MAX, Duration::ZERO)
        );
    }

    #[test]
    fn groups_are_small_and_never_empty() {
        assert_eq!(Pace::new(Some(15.0)).batch(), 3);
        assert_eq!(Pace::new(Some(0.5)).batch(), 1);
        assert_eq!(Pace::new(Some(15.0)).time_for(30), Duration::from_secs(2));
    }

    #[test]
    fn slots_of_all_threads_add_up_to_the_rate() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("runtime");
        runtime.block_on(async {
            let pace = Pace::new(Some(10.0));
            let start = Instant::now();
            for _ in 0..5 {
                pace.wait_for(2).await;
            }
            // The fifth pair may go 4 x 0.2 s after the first.
            assert_eq!(start.elapsed().as_millis() / 10, 80);
        });
    }
}
