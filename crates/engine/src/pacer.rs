//! The pacer of one thread: wakes when arrivals are due and hands all of them on.

use std::cell::RefCell;
use std::rc::Rc;

use crate::clock::Clock;
use crate::open_queue::OpenQueue;
use crate::recorder::Recorder;
use crate::timer::Timer;

/// The least time between two wakes: above 20,000 arrivals a second on a thread, those of 50 us
/// are handed on together.
const WAKE_EVERY_NS: u64 = 50_000;

/// Hands arrivals on until none will be due any more.
pub(crate) async fn pace(
    queues: Vec<Rc<RefCell<OpenQueue>>>,
    recorder: Rc<RefCell<Recorder>>,
    clock: Clock,
    timer: Timer,
) {
    loop {
        let now_ns = clock.now_ns();
        let notice = |queue: &Rc<RefCell<OpenQueue>>| {
            queue
                .borrow_mut()
                .notice(now_ns, &mut recorder.borrow_mut())
        };
        let Some(next_ns) = queues.iter().filter_map(notice).min() else {
            return;
        };
        timer.until(next_ns.max(now_ns + WAKE_EVERY_NS)).await;
    }
}
