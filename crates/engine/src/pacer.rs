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

/// The most arrivals of a group that are handed on at one wake. Where they come faster than the
/// thread can notice them, what is due grows with the time that noticing takes; without a bound the
/// workers would get a turn ever more seldom, and no operation would end.
const NOTICED_MAX: usize = 256;

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
                .notice_some(now_ns, NOTICED_MAX, &mut recorder.borrow_mut())
        };
        let Some(next_ns) = queues.iter().filter_map(notice).min() else {
            return;
        };
        let wake_ns = next_ns.max(now_ns + WAKE_EVERY_NS);
        if clock.now_ns() < wake_ns {
            timer.until(wake_ns).await;
        } else {
            // A timer whose time has passed ends at once, without a turn for the workers.
            tokio::task::yield_now().await;
        }
    }
}
