//! What a step with actions measures besides: when each action was, the first success after it,
//! the failures that followed it, and which inserts were acknowledged.
//!
//! Knows of an action only its times; what is done, and by whom, is the caller's. Steps without
//! actions have none of this.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use docstone_model::ErrorClass;
use docstone_workload::Inserts;

use crate::acknowledged::Acknowledged;
use crate::ended::Ended;
use crate::target::OperationResult;

/// The times of a step's actions, on the clock of the trial. Written by who acts, read by all
/// threads of the load.
#[derive(Debug)]
pub struct Marks {
    /// How many actions, in order, have started.
    started: AtomicUsize,
    /// How many have been done.
    done: AtomicUsize,
    /// By action: when it had been done; `u64::MAX` before.
    done_ns: Vec<AtomicU64>,
}

impl Marks {
    /// The marks of so many actions.
    pub fn new(actions: usize) -> Self {
        Self {
            started: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            done_ns: (0..actions).map(|_| AtomicU64::new(u64::MAX)).collect(),
        }
    }

    /// An action starts now: failures count to it from here on.
    pub fn start(&self, action: usize) {
        let _ = self.started.fetch_max(action + 1, Ordering::Relaxed);
    }

    /// An action had been done at this time, in nanoseconds since the step began.
    pub fn done(&self, action: usize, at_ns: u64) {
        self.done_ns[action].store(at_ns, Ordering::Relaxed);
        // The time stands before the count says that it is there.
        let _ = self.done.fetch_add(1, Ordering::Release);
    }

    fn actions(&self) -> usize {
        self.done_ns.len()
    }
}

/// What one action meant for one slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AfterAction {
    /// The end of the first operation that was sent after the action had been done and succeeded,
    /// in nanoseconds since the step began.
    pub first_success_ns: Option<u64>,
    /// Failures from its start to the start of the next action, by class.
    pub errors: BTreeMap<ErrorClass, u64>,
    /// Of these, operations that passed their own limit.
    pub timeouts: u64,
}

impl AfterAction {
    fn merge(&mut self, other: Self) {
        let first = [self.first_success_ns, other.first_success_ns];
        self.first_success_ns = first.into_iter().flatten().min();
        for (class, count) in other.errors {
            *self.errors.entry(class).or_default() += count;
        }
        self.timeouts += other.timeouts;
    }
}

/// What a step with actions has measured besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrillResult {
    /// By action, then by slot.
    pub after: Vec<Vec<AfterAction>>,
    /// By slot: the numbers of the documents whose insert was acknowledged. None for operations
    /// that insert nothing.
    pub acknowledged: Vec<Acknowledged>,
}

impl DrillResult {
    fn new(actions: usize, slots: usize) -> Self {
        Self {
            after: vec![vec![AfterAction::default(); slots]; actions],
            acknowledged: vec![Acknowledged::default(); slots],
        }
    }

    /// Adds what another thread has measured.
    pub(crate) fn merge(&mut self, other: Self) {
        for (mine, theirs) in self.after.iter_mut().zip(other.after) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.merge(theirs);
            }
        }
        for (mine, theirs) in self.acknowledged.iter_mut().zip(other.acknowledged) {
            mine.merge(theirs);
        }
    }
}

/// An operation that ends, as a drill sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrilledOperation {
    pub(crate) slot: usize,
    /// The documents that it inserts.
    pub(crate) inserts: Option<Inserts>,
    pub(crate) started_ns: u64,
}

/// One thread's part of a drill.
#[derive(Debug)]
pub(crate) struct ThreadDrill {
    marks: Arc<Marks>,
    /// By slot: of how many actions the first success is known.
    known: Vec<usize>,
    result: DrillResult,
}

impl ThreadDrill {
    pub(crate) fn new(marks: &Arc<Marks>, slots: usize) -> Self {
        Self {
            marks: Arc::clone(marks),
            known: vec![0; slots],
            result: DrillResult::new(marks.actions(), slots),
        }
    }

    /// An operation has ended.
    pub(crate) fn ended(&mut self, operation: DrilledOperation, ended: &Ended, now_ns: u64) {
        let slot = operation.slot;
        let outcome = match ended {
            Ended::Outcome(outcome) => outcome,
            Ended::TimedOut { .. } => {
                if let Some(after) = self.present(slot) {
                    after.timeouts += 1;
                    *after.errors.entry(ErrorClass::Timeout).or_default() += 1;
                }
                return;
            }
        };
        for (position, number) in operation.inserts.into_iter().flat_map(Inserts::numbers) {
            if ended.acknowledged(position) {
                self.result.acknowledged[slot].add(number);
            }
        }
        match &outcome.result {
            OperationResult::Error(error) => {
                if let Some(after) = self.present(slot) {
                    *after.errors.entry(error.class).or_default() += 1;
                }
                return;
            }
            OperationResult::Ok | OperationResult::NotFound => {}
        }
        let done = self.marks.done.load(Ordering::Acquire);
        if self.known[slot] < done {
            self.succeeded(operation, now_ns);
        }
    }

    fn succeeded(&mut self, operation: DrilledOperation, now_ns: u64) {
        let DrilledOperation {
            slot, started_ns, ..
        } = operation;
        for (after, done_ns) in self.result.after.iter_mut().zip(&self.marks.done_ns) {
            let first = &mut after[slot].first_success_ns;
            if first.is_none() && done_ns.load(Ordering::Relaxed) <= started_ns {
                *first = Some(now_ns);
                self.known[slot] += 1;
            }
        }
    }

    /// What counts to the action that started last.
    fn present(&mut self, slot: usize) -> Option<&mut AfterAction> {
        let started = self.marks.started.load(Ordering::Relaxed);
        Some(&mut self.result.after[started.checked_sub(1)?][slot])
    }

    pub(crate) fn into_result(self) -> DrillResult {
        self.result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{OperationError, Outcome};

    fn outcome(result: OperationResult, documents: Option<u64>) -> Ended {
        Ended::Outcome(Outcome {
            document: None,
            result,
            documents,
            bytes_out: 0,
            bytes_in: 0,
            retries: 0,
            connection_wait_ns: 0,
            inserted: None,
        })
    }

    fn ok() -> Ended {
        outcome(OperationResult::Ok, Some(1))
    }

    fn failed(class: ErrorClass) -> Ended {
        let message = String::new();
        outcome(
            OperationResult::Error(Box::new(OperationError { class, message })),
            None,
        )
    }

    fn sent(started_ns: u64) -> DrilledOperation {
        DrilledOperation {
            slot: 0,
            inserts: None,
            started_ns,
        }
    }

    #[test]
    fn the_first_success_is_of_an_operation_that_was_sent_after_the_action_had_been_done() {
        let marks = Arc::new(Marks::new(2));
        let mut drill = ThreadDrill::new(&marks, 1);
        drill.ended(sent(0), &ok(), 5);
        marks.start(0);
        drill.ended(sent(90), &ok(), 105);
        marks.done(0, 110);
        // Sent before: it may have been answered by what the action has ended.
        drill.ended(sent(100), &ok(), 120);
        drill.ended(sent(111), &failed(ErrorClass::Network), 130);
        drill.ended(sent(131), &ok(), 140);
        drill.ended(sent(141), &ok(), 150);
        marks.start(1);
        marks.done(1, 160);
        drill.ended(sent(161), &outcome(OperationResult::NotFound, Some(0)), 170);
        let first = |action: usize| drill.result.after[action][0].first_success_ns;
        assert_eq!((first(0), first(1)), (Some(140), Some(170)));
    }

    #[test]
    fn failures_count_to_the_action_before_them() {
        let marks = Arc::new(Marks::new(2));
        let mut drill = ThreadDrill::new(&marks, 1);
        let timeout = || Ended::TimedOut {
            limit_ns: 1,
            bytes_out: 0,
        };
        drill.ended(sent(0), &failed(ErrorClass::Network), 1);
        marks.start(0);
        drill.ended(sent(0), &failed(ErrorClass::Server(10107)), 2);
        drill.ended(sent(0), &timeout(), 3);
        marks.start(1);
        drill.ended(sent(0), &failed(ErrorClass::Network), 4);
        let after = |action: usize| &drill.result.after[action][0];
        let errors = [(ErrorClass::Server(10107), 1), (ErrorClass::Timeout, 1)];
        assert_eq!(after(0).errors, BTreeMap::from(errors));
        assert_eq!((after(0).timeouts, after(1).timeouts), (1, 0));
        assert_eq!(after(1).errors, BTreeMap::from([(ErrorClass::Network, 1)]));
    }

    #[test]
    fn of_a_batch_that_failed_in_part_what_was_acknowledged_is_kept() {
        let mut drill = ThreadDrill::new(&Arc::new(Marks::new(1)), 1);
        let mut part = failed(ErrorClass::Server(11000));
        if let Ended::Outcome(outcome) = &mut part {
            outcome.inserted = Some(Box::new([0, 2]));
        }
        let batch = DrilledOperation {
            slot: 0,
            inserts: Some(Inserts {
                collection: 0,
                first: 10,
                count: 4,
            }),
            started_ns: 0,
        };
        drill.ended(batch, &part, 1);
        let numbers: Vec<u64> = drill.into_result().acknowledged[0].numbers().collect();
        assert_eq!(numbers, [10, 12]);
    }

    #[test]
    fn only_acknowledged_inserts_are_kept_and_threads_are_merged() {
        let marks = Arc::new(Marks::new(1));
        let mut threads = [ThreadDrill::new(&marks, 1), ThreadDrill::new(&marks, 1)];
        let inserted = |number| DrilledOperation {
            slot: 0,
            inserts: Some(Inserts {
                collection: 0,
                first: number,
                count: 1,
            }),
            started_ns: 0,
        };
        threads[0].ended(inserted(1), &ok(), 1);
        threads[1].ended(inserted(0), &ok(), 1);
        threads[0].ended(inserted(2), &failed(ErrorClass::Network), 2);
        // Write concern 0: sent, but nobody said that it was taken.
        threads[1].ended(inserted(3), &outcome(OperationResult::Ok, None), 3);
        marks.start(0);
        marks.done(0, 4);
        threads[0].ended(inserted(4), &ok(), 9);
        threads[1].ended(sent(5), &ok(), 7);
        let [first, second] = threads.map(ThreadDrill::into_result);
        let mut merged = first;
        merged.merge(second);
        let numbers: Vec<u64> = merged.acknowledged[0].numbers().collect();
        assert_eq!(numbers, [0, 1, 4]);
        assert_eq!(merged.after[0][0].first_success_ns, Some(7));
    }
}
