//! A thread that sleeps for a millisecond over and over and notes how late it wakes: what the
//! system, other programs and a hypervisor take from whoever wants to be on time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use docstone_stats::Latencies;

const SLEEP: Duration = Duration::from_millis(1);

/// Sleeps until it is asked what it saw.
pub(super) struct Sleeper {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Latencies>,
}

impl Sleeper {
    /// Starts the thread.
    pub(super) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut late = Latencies::new();
            while !seen.load(Ordering::Relaxed) {
                let before = Instant::now();
                std::thread::sleep(SLEEP);
                let over = before.elapsed().saturating_sub(SLEEP);
                late.record(u64::try_from(over.as_nanos()).unwrap_or(u64::MAX));
            }
            late
        });
        Self { stop, thread }
    }

    /// Ends it; how late it woke.
    pub(super) fn end(self) -> Latencies {
        self.stop.store(true, Ordering::Relaxed);
        match self.thread.join() {
            Ok(late) => late,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
