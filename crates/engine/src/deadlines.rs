//! The limit of each operation's time, kept for all places of one thread by one look.
//!
//! A timer of the runtime for each operation would be registered and cancelled with every one of
//! them, though next to none ever fires. Here each place notes the deadline of what is in flight
//! there, and the thread looks at all of them when the earliest is due.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Poll, Waker};

/// No operation is in flight.
const NONE: u64 = u64::MAX;

/// The deadlines of the places of one thread.
#[derive(Debug)]
pub(crate) struct Deadlines {
    places: Vec<Watched>,
}

/// One place's deadline.
#[derive(Debug)]
struct Watched {
    deadline_ns: Cell<u64>,
    passed: Cell<bool>,
    /// Wakes the worker's task; the same for as long as the task lives.
    waker: RefCell<Waker>,
}

impl Deadlines {
    /// Deadlines for so many places.
    pub(crate) fn new(places: usize) -> Self {
        let watched = || Watched {
            deadline_ns: Cell::new(NONE),
            passed: Cell::new(false),
            waker: RefCell::new(Waker::noop().clone()),
        };
        Self {
            places: std::iter::repeat_with(watched).take(places).collect(),
        }
    }

    /// Runs the operation of a place; `None` if [`Deadlines::expire`] came upon its deadline before it
    /// ended. An operation that has ended counts as ended, however late. It comes pinned, since a
    /// driver's operation is kilobytes of state, which would be copied here and kept twice.
    pub(crate) async fn within<T>(
        &self,
        place: usize,
        deadline_ns: u64,
        mut operation: Pin<&mut impl Future<Output = T>>,
    ) -> Option<T> {
        let watched = &self.places[place];
        watched.passed.set(false);
        watched.deadline_ns.set(deadline_ns);
        let ended = poll_fn(|context| match operation.as_mut().poll(context) {
            Poll::Ready(ended) => Poll::Ready(Some(ended)),
            Poll::Pending if watched.passed.get() => Poll::Ready(None),
            Poll::Pending => {
                watched.waker.borrow_mut().clone_from(context.waker());
                Poll::Pending
            }
        })
        .await;
        watched.deadline_ns.set(NONE);
        ended
    }

    /// Ends the operations whose deadline has passed, and returns the earliest of the others;
    /// `u64::MAX` where nothing is in flight.
    pub(crate) fn expire(&self, now_ns: u64) -> u64 {
        let mut earliest_ns = NONE;
        for watched in &self.places {
            let deadline_ns = watched.deadline_ns.get();
            if deadline_ns > now_ns {
                earliest_ns = earliest_ns.min(deadline_ns);
                continue;
            }
            watched.deadline_ns.set(NONE);
            watched.passed.set(true);
            watched.waker.borrow().wake_by_ref();
        }
        earliest_ns
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::pin::pin;
    use std::task::Context;

    use super::*;

    #[test]
    fn an_operation_that_has_ended_is_returned_however_late() {
        let deadlines = Deadlines::new(1);
        let late = pin!(async {
            deadlines.expire(1_000);
            7
        });
        let mut operation = pin!(deadlines.within(0, 5, late));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(operation.as_mut().poll(&mut context), Poll::Ready(Some(7)));
    }

    #[test]
    fn an_operation_is_ended_by_the_first_look_at_its_deadline_and_not_before() {
        let deadlines = Deadlines::new(2);
        let hung = pin!(pending::<()>());
        let mut operation = pin!(deadlines.within(1, 5, hung));
        let mut context = Context::from_waker(Waker::noop());
        assert!(operation.as_mut().poll(&mut context).is_pending());
        assert_eq!(deadlines.expire(4), 5, "the look after this one");
        assert!(operation.as_mut().poll(&mut context).is_pending());
        assert_eq!(deadlines.expire(5), u64::MAX);
        assert_eq!(operation.as_mut().poll(&mut context), Poll::Ready(None));
    }

    #[test]
    fn a_deadline_that_passed_does_not_touch_the_next_operation() {
        let deadlines = Deadlines::new(1);
        let mut context = Context::from_waker(Waker::noop());
        {
            let hung = pin!(pending::<()>());
            let mut late = pin!(deadlines.within(0, 5, hung));
            assert!(late.as_mut().poll(&mut context).is_pending());
            deadlines.expire(9);
        }
        let hung = pin!(pending::<()>());
        let mut next = pin!(deadlines.within(0, 20, hung));
        assert!(next.as_mut().poll(&mut context).is_pending());
        assert_eq!(deadlines.expire(10), 20);
        let at_once = pin!(ready(()));
        let mut done = pin!(deadlines.within(0, 30, at_once));
        assert_eq!(done.as_mut().poll(&mut context), Poll::Ready(Some(())));
        assert_eq!(deadlines.expire(100), u64::MAX, "nothing is in flight");
    }
}
