//! Which of the documents that a step inserts are there for certain: those whose insert was
//! acknowledged.
//!
//! Owns the mark up to which all inserts of a collection have ended, and the holes below it. Inserts
//! end in another order than they begin, so what has ended beyond the mark is kept in a window until
//! the mark comes there. Nobody waits: one thread at a time moves the mark, and the others leave it
//! what to do. The memory is always the same: an insert that is still open when the window has gone
//! on is given up, and what is drawn no longer grows once too many have failed.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// How far inserts may end before one that began earlier: more than can be in flight. 1 MiB.
const WINDOW: u64 = 1 << 17;

/// How many failed inserts are remembered. 64 KiB.
const HOLES: usize = 1 << 13;

/// The inserts of one collection in one step.
#[derive(Debug)]
pub(crate) struct Inserted {
    /// The number of the first document.
    first: u64,
    /// All below have ended.
    mark: AtomicU64,
    /// Somebody moves the mark.
    moving: AtomicBool,
    /// By number modulo the window: the number of an insert that has ended, and whether it was
    /// acknowledged, as [`word`] has it.
    ended: Box<[AtomicU64]>,
    /// The numbers below the mark that were not acknowledged, rising.
    holes: Box<[AtomicU64]>,
    /// How many there are.
    holes_len: AtomicUsize,
}

impl Inserted {
    /// None of the documents from number `first` on has ended.
    pub(crate) fn new(first: u64) -> Self {
        Self {
            first,
            mark: AtomicU64::new(first),
            moving: AtomicBool::new(false),
            ended: (0..WINDOW).map(|_| AtomicU64::new(0)).collect(),
            holes: (0..HOLES).map(|_| AtomicU64::new(0)).collect(),
            holes_len: AtomicUsize::new(0),
        }
    }

    /// The insert of a document has ended.
    pub(crate) fn end(&self, number: u64, acknowledged: bool) {
        let mark = self.mark.load(Ordering::Acquire);
        if number < mark {
            return; // given up before
        }
        if number - mark >= WINDOW {
            self.advance(number);
        }
        // In one order with `moving`: either this is seen by who moves the mark now, or the mark is
        // moved by this thread.
        self.slot(number)
            .store(word(number, acknowledged), Ordering::SeqCst);
        self.advance(number);
    }

    /// Moves the mark over all that has ended, and over what is a window or more behind `number`.
    fn advance(&self, number: u64) {
        while !self.moving.swap(true, Ordering::SeqCst) {
            let before = self.mark.load(Ordering::Relaxed);
            let mut mark = before;
            while let Some(acknowledged) = self.ended(mark, number) {
                if !acknowledged && !self.add_hole(mark) {
                    break;
                }
                mark += 1;
            }
            self.mark.store(mark, Ordering::Release);
            self.moving.store(false, Ordering::SeqCst);
            // Something may have ended there between the last look and now.
            if mark == before || self.ended(mark, number).is_none() {
                return;
            }
        }
    }

    /// Whether an insert was acknowledged; `None` while it is open.
    fn ended(&self, mark: u64, number: u64) -> Option<bool> {
        let ended = self.slot(mark).load(Ordering::SeqCst);
        if ended == word(mark, true) {
            Some(true)
        } else if ended == word(mark, false) || number.saturating_sub(mark) >= WINDOW {
            Some(false)
        } else {
            None
        }
    }

    /// False if there is no room.
    fn add_hole(&self, number: u64) -> bool {
        let len = self.holes_len.load(Ordering::Relaxed);
        let Some(hole) = self.holes.get(len) else {
            return false;
        };
        hole.store(number, Ordering::Relaxed);
        self.holes_len.store(len + 1, Ordering::Release);
        true
    }

    fn slot(&self, number: u64) -> &AtomicU64 {
        let at = usize::try_from(number % WINDOW).expect("the window fits the memory");
        &self.ended[at]
    }

    /// How many documents there are to draw from, holes among them.
    pub(crate) fn len(&self) -> u64 {
        self.mark.load(Ordering::Acquire) - self.first
    }

    /// The number of the document at a position below `len`; of a hole, that of the last before it
    /// that is none. `None` where there is no such.
    pub(crate) fn number(&self, position: u64) -> Option<u64> {
        let mut number = self.first + position;
        let holes = &self.holes[..self.holes_len.load(Ordering::Acquire)];
        let mut at = holes.partition_point(|hole| hole.load(Ordering::Relaxed) <= number);
        while at > 0 && holes[at - 1].load(Ordering::Relaxed) == number {
            number = number.checked_sub(1).filter(|left| *left >= self.first)?;
            at -= 1;
        }
        Some(number)
    }
}

/// A number and whether its insert was acknowledged; never 0, which stands where nothing has ended.
fn word(number: u64, acknowledged: bool) -> u64 {
    (number + 1) << 1 | u64::from(acknowledged)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;

    fn drawable(inserted: &Inserted) -> Vec<Option<u64>> {
        (0..inserted.len()).map(|at| inserted.number(at)).collect()
    }

    #[test]
    fn only_what_has_ended_without_a_gap_before_it_is_drawn() {
        let inserted = Inserted::new(10);
        inserted.end(12, true);
        inserted.end(11, true);
        assert_eq!(inserted.len(), 0);
        inserted.end(10, true);
        assert_eq!(drawable(&inserted), [Some(10), Some(11), Some(12)]);
    }

    #[test]
    fn a_failed_insert_is_never_drawn_but_the_one_before_it() {
        let inserted = Inserted::new(5);
        for (number, acknowledged) in [(5, false), (6, true), (7, false), (8, false), (9, true)] {
            inserted.end(number, acknowledged);
        }
        assert_eq!(
            drawable(&inserted),
            [None, Some(6), Some(6), Some(6), Some(9)]
        );
    }

    #[test]
    fn an_insert_that_stays_open_is_given_up_and_holds_nobody_up() {
        let inserted = Inserted::new(0);
        for number in 1..=WINDOW + 5 {
            inserted.end(number, true);
        }
        assert_eq!(inserted.len(), WINDOW + 6);
        assert_eq!((inserted.number(0), inserted.number(1)), (None, Some(1)));
        inserted.end(0, true);
        assert_eq!(inserted.number(0), None, "it came too late");
    }

    #[test]
    fn too_many_failures_end_the_growth_and_nothing_else() {
        let inserted = Inserted::new(0);
        inserted.end(0, true);
        for number in 1..3 * HOLES as u64 {
            inserted.end(number, false);
        }
        inserted.end(3 * HOLES as u64, true);
        assert_eq!(inserted.len(), HOLES as u64 + 1);
        assert!(drawable(&inserted).iter().all(|number| *number == Some(0)));
    }

    #[test]
    fn inserts_that_end_on_several_threads_are_all_there_at_the_end() {
        let inserted = Arc::new(Inserted::new(0));
        // Together less than the window, so that a thread that is held up gives nothing up.
        let each = 30_000;
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let inserted = Arc::clone(&inserted);
                let _ = scope.spawn(move || {
                    for number in 0..each {
                        let number = number * 4 + thread;
                        inserted.end(number, number % 1_000 != 0);
                    }
                });
            }
        });
        assert_eq!(inserted.len(), 4 * each);
        for position in 0..inserted.len() {
            let expected = match position {
                0 => None,
                hole if hole % 1_000 == 0 => Some(hole - 1),
                number => Some(number),
            };
            assert_eq!(inserted.number(position), expected);
        }
    }

    proptest! {
        #[test]
        fn whatever_the_order_what_is_drawn_was_acknowledged(
            order in Just((0..60_u64).collect::<Vec<_>>()).prop_shuffle(),
            failed in prop::collection::btree_set(0..60_u64, 0..30),
            ended in 0..=60_usize,
        ) {
            let inserted = Inserted::new(0);
            for number in &order[..ended] {
                inserted.end(*number, !failed.contains(number));
            }
            let open = order[ended..].iter().min().copied().unwrap_or(60);
            prop_assert_eq!(inserted.len(), open);
            for (position, number) in (0..).zip(drawable(&inserted)) {
                let last = (0..=position).rev().find(|number| !failed.contains(number));
                prop_assert_eq!(number, last);
            }
        }
    }
}
