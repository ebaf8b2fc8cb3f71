//! Which operation comes next: numbers from 0, each handed out once.

use std::sync::atomic::{AtomicU64, Ordering};

/// Hands out the operation numbers of one group, to all its workers on all threads. One relaxed
/// addition per operation is all that workers share; see
/// docs/decisions/operation-numbers.md.
#[derive(Debug)]
pub(crate) struct OperationNumbers {
    next: AtomicU64,
    limit: u64,
}

impl OperationNumbers {
    /// Numbers 0 to `limit` - 1, or without end.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self {
            next: AtomicU64::new(0),
            limit: limit.unwrap_or(u64::MAX),
        }
    }

    /// The next number; `None` when all are handed out.
    pub(crate) fn take(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.limit).then_some(number)
    }

    /// True when all are handed out.
    pub(crate) fn are_gone(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_thousand_asked_is_three_thousand_given_to_64_workers() {
        let numbers = OperationNumbers::new(Some(3_000));
        let taken: Vec<u64> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..64)
                .map(|_| scope.spawn(|| std::iter::from_fn(|| numbers.take()).collect::<Vec<_>>()))
                .collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().expect("no panic"))
                .collect()
        });
        let mut sorted = taken;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..3_000).collect::<Vec<_>>());
    }
}
