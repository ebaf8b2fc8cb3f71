//! Work before the load that may take long, for as long as the user waits for it.

use std::time::{Duration, Instant};

use docstone_engine::Interrupt;

/// How often the interrupt is looked for.
const POLL: Duration = Duration::from_millis(10);

/// Does the work on a thread of its own. After an interrupt it may go on for `grace`; then the
/// thread is left alone, and `None` returned: a name look-up that hangs, say, cannot be ended.
pub(super) fn unless_interrupted<T: Send + 'static>(
    interrupt: &Interrupt,
    grace: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let working = std::thread::spawn(work);
    let mut interrupted: Option<Instant> = None;
    while !working.is_finished() {
        if interrupt.is_triggered()
            && interrupted.get_or_insert_with(Instant::now).elapsed() >= grace
        {
            return None;
        }
        std::thread::sleep(POLL);
    }
    match working.join() {
        Ok(done) => Some(done),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
