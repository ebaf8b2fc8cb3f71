//! Times without a success, on one thread and over all: outages.
//!
//! A success is an operation that ended in `ok` or `not_found`. A thread is *silent* from one
//! success to the next; it *waits* while it is silent and has operations in flight or failing. An
//! outage is a second or more in which every thread was silent and at least one waited.

use docstone_model::Outage;
use docstone_model::outage::OUTAGE_MIN_NS;

/// A silent time of one thread that lasted a second or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Silence {
    /// From the last success before it.
    pub(crate) from_ns: u64,
    /// From when on operations waited; `None` if the thread was idle all the time.
    pub(crate) waiting_from_ns: Option<u64>,
    /// To the next success, or to the end of the step.
    pub(crate) to_ns: u64,
    /// Operations that failed in it.
    pub(crate) errors: u64,
    /// Attempts repeated by operations that were in flight during it.
    pub(crate) retries: u64,
}

impl Silence {
    /// The part of it in which operations waited, if that lasted a second or more.
    fn waiting(&self, end_ns: u64) -> Option<Self> {
        let from_ns = self.waiting_from_ns?.max(self.from_ns);
        let to_ns = self.to_ns.min(end_ns);
        let long = to_ns >= from_ns.saturating_add(OUTAGE_MIN_NS);
        long.then_some(Self {
            from_ns,
            to_ns,
            ..*self
        })
    }
}

/// Follows the successes of one thread.
///
/// ```text
/// success          sent                       success
///    |----- idle ----|------- waiting ----------|
///    from_ns         waiting_from_ns            to_ns
/// ```
#[derive(Debug, Default)]
pub(crate) struct SilenceTracker {
    last_success_ns: u64,
    waiting_from_ns: Option<u64>,
    in_flight: u64,
    failing: bool,
    errors: u64,
    retries: u64,
    silences: Vec<Silence>,
}

impl SilenceTracker {
    /// An operation was sent.
    pub(crate) fn started(&mut self, now_ns: u64) {
        if self.in_flight == 0 && !self.failing {
            self.waiting_from_ns = Some(now_ns);
        }
        self.in_flight += 1;
    }

    /// An operation that was sent at `started_ns` succeeded.
    pub(crate) fn succeeded(&mut self, started_ns: u64, now_ns: u64, retries: u32) {
        self.in_flight -= 1;
        self.retries += u64::from(retries);
        let silence = self.current(now_ns);
        if silence.to_ns - silence.from_ns >= OUTAGE_MIN_NS {
            self.silences.push(silence);
        } else if let Some(last) = self.silences.last_mut()
            && started_ns < last.to_ns
        {
            // Several operations hang in an outage; the first to come back ends it.
            last.retries += u64::from(retries);
        }
        self.last_success_ns = now_ns;
        self.waiting_from_ns = (self.in_flight > 0).then_some(now_ns);
        (self.failing, self.errors, self.retries) = (false, 0, 0);
    }

    /// An operation failed.
    pub(crate) fn failed(&mut self, retries: u32) {
        self.in_flight -= 1;
        self.failing = true;
        self.errors += 1;
        self.retries += u64::from(retries);
    }

    /// An operation was given up at the end of the step.
    pub(crate) fn abandoned(&mut self) {
        self.in_flight -= 1;
        self.failing = true;
    }

    /// The plan pauses the load: a failure before it is no reason to expect a success in it.
    pub(crate) fn rests(&mut self, now_ns: u64) {
        if self.in_flight > 0 || !self.failing {
            return;
        }
        let silence = self.current(now_ns);
        if silence.to_ns - silence.from_ns >= OUTAGE_MIN_NS {
            self.silences.push(silence);
        }
        self.last_success_ns = now_ns;
        self.waiting_from_ns = None;
        (self.failing, self.errors, self.retries) = (false, 0, 0);
    }

    /// The silent time that is going on, as if it ended now.
    pub(crate) fn current(&self, now_ns: u64) -> Silence {
        Silence {
            from_ns: self.last_success_ns,
            waiting_from_ns: self
                .waiting_from_ns
                .filter(|_| self.in_flight > 0 || self.failing),
            to_ns: now_ns.max(self.last_success_ns),
            errors: self.errors,
            retries: self.retries,
        }
    }

    /// All silent times of a second or more, the one that is going on included.
    pub(crate) fn finish(mut self, now_ns: u64) -> Vec<Silence> {
        // Without an end (an idle thread stays silent as long as the others run) the other
        // threads' outages could not be told from its idle time.
        let mut last = self.current(now_ns);
        last.to_ns = u64::MAX;
        self.silences.push(last);
        self.silences
    }
}

/// The outages of a step: what all threads' silences have in common, where one waited.
pub(crate) fn outages(threads: &[Vec<Silence>], end_ns: u64) -> Vec<Outage> {
    let mut found: Vec<Outage> = Vec::new();
    for (index, silences) in threads.iter().enumerate() {
        let mut common: Vec<Silence> = silences
            .iter()
            .filter_map(|silence| silence.waiting(end_ns))
            .collect();
        for (other, silences) in threads.iter().enumerate() {
            if other != index {
                common = intersect(&common, silences);
            }
        }
        found.extend(common.iter().map(|silence| Outage {
            from_ns: silence.from_ns,
            to_ns: silence.to_ns,
            errors: silence.errors,
            retries: silence.retries,
        }));
    }
    merge_overlapping(found)
}

/// The parts of `left` of a second or more that lie in one of `right`, with the counts of both.
/// Both lists are in order and without overlaps, as the silences of a thread are.
fn intersect(left: &[Silence], right: &[Silence]) -> Vec<Silence> {
    let mut parts = Vec::new();
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let (from_ns, to_ns) = (a.from_ns.max(b.from_ns), a.to_ns.min(b.to_ns));
        if to_ns >= from_ns.saturating_add(OUTAGE_MIN_NS) {
            let (errors, retries) = (a.errors + b.errors, a.retries + b.retries);
            parts.push(Silence {
                from_ns,
                to_ns,
                errors,
                retries,
                ..**a
            });
        }
        if a.to_ns <= b.to_ns {
            let _ = left.next();
        } else {
            let _ = right.next();
        }
    }
    parts
}

/// Two waiting threads find the same outage, one perhaps a little longer.
fn merge_overlapping(mut outages: Vec<Outage>) -> Vec<Outage> {
    outages.retain(|outage| outage.to_ns >= outage.from_ns.saturating_add(OUTAGE_MIN_NS));
    outages.sort_by_key(|outage| outage.from_ns);
    let mut merged: Vec<Outage> = Vec::new();
    for outage in outages {
        match merged.last_mut() {
            Some(last) if outage.from_ns < last.to_ns => {
                last.to_ns = last.to_ns.max(outage.to_ns);
                last.errors = last.errors.max(outage.errors);
                last.retries = last.retries.max(outage.retries);
            }
            _ => merged.push(outage),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn silence(from_s: u64, waiting_s: Option<u64>, to_s: u64) -> Silence {
        Silence {
            from_ns: from_s * S,
            waiting_from_ns: waiting_s.map(|s| s * S),
            to_ns: to_s.saturating_mul(S),
            errors: 1,
            retries: 2,
        }
    }

    #[test]
    fn a_hanging_operation_is_an_outage_and_its_retries_are_named() {
        let mut tracker = SilenceTracker::default();
        tracker.started(3 * S / 2);
        tracker.started(3 * S / 2 + 1);
        tracker.succeeded(3 * S / 2, 2 * S, 0);
        tracker.started(2 * S);
        tracker.succeeded(3 * S / 2 + 1, 5 * S, 1);
        tracker.succeeded(2 * S, 5 * S + 1_000, 1);
        let found = outages(&[tracker.finish(6 * S)], 6 * S);
        assert_eq!(
            found,
            [Outage {
                from_ns: 2 * S,
                to_ns: 5 * S,
                errors: 0,
                retries: 2
            }]
        );
    }

    #[test]
    fn think_time_is_no_outage() {
        let mut tracker = SilenceTracker::default();
        for second in [0, 5, 10] {
            tracker.started(second * S);
            tracker.succeeded(second * S, second * S + 1_000, 0);
        }
        assert_eq!(outages(&[tracker.finish(15 * S)], 15 * S), []);
    }

    #[test]
    fn a_pause_after_a_failure_is_no_outage_and_one_before_the_pause_ends_with_it() {
        let mut tracker = SilenceTracker::default();
        for second in [0, 2] {
            tracker.started(second * S);
            tracker.failed(0);
        }
        tracker.rests(3 * S);
        tracker.started(20 * S);
        tracker.succeeded(20 * S, 20 * S + 1_000, 0);
        let found = outages(&[tracker.finish(21 * S)], 21 * S);
        let times: Vec<_> = found.iter().map(|o| (o.from_ns, o.to_ns)).collect();
        assert_eq!(times, [(0, 3 * S)]);
    }

    #[test]
    fn fast_failures_are_an_outage() {
        let mut tracker = SilenceTracker::default();
        for step in 0..30 {
            tracker.started(step * S / 10);
            tracker.failed(0);
        }
        let found = outages(&[tracker.finish(3 * S)], 3 * S);
        assert_eq!(
            found,
            [Outage {
                from_ns: 0,
                to_ns: 3 * S,
                errors: 30,
                retries: 0
            }]
        );
    }

    #[test]
    fn successes_on_another_thread_break_an_outage() {
        let waiting = vec![silence(0, Some(0), 10)];
        let other = vec![silence(0, None, 4), silence(5, None, 8)];
        let found = outages(&[waiting, other], 20 * S);
        let times: Vec<(u64, u64)> = found.iter().map(|o| (o.from_ns / S, o.to_ns / S)).collect();
        assert_eq!(times, [(0, 4), (5, 8)]);
    }

    #[test]
    fn operations_given_up_at_the_end_are_an_outage_until_then() {
        let mut tracker = SilenceTracker::default();
        tracker.started(S);
        tracker.abandoned();
        let found = outages(&[tracker.finish(4 * S)], 4 * S);
        assert_eq!(
            found,
            [Outage {
                from_ns: S,
                to_ns: 4 * S,
                errors: 0,
                retries: 0
            }]
        );
    }

    #[test]
    fn threads_that_wait_together_name_one_outage() {
        let found = outages(
            &[vec![silence(3, Some(3), 7)], vec![silence(2, Some(2), 6)]],
            20 * S,
        );
        assert_eq!(
            found,
            [Outage {
                from_ns: 3 * S,
                to_ns: 6 * S,
                errors: 2,
                retries: 4
            }]
        );
    }
}
