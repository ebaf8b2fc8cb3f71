//! When each worker of closed load works: the number of workers as a pure function of time.
//!
//! At any time as many workers work as the plan's line says, rounded to the next whole number:
//! worker 0 while the line is above 0.5, worker 1 while it is above 1.5, and so on. So each one's
//! times follow from its number and the plan alone, and the mean over a ramp is that of the line.

use docstone_model::plan::{ClosedLoad, WorkerStage};

/// A stretch of time in which a worker works, in nanoseconds since the start of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from_ns: u64,
    /// Not part of it.
    pub(crate) to_ns: u64,
}

/// The times at which the workers of one group work.
#[derive(Clone, Debug)]
pub(crate) struct Presence {
    /// With their starts; empty where all work throughout.
    stages: Vec<(u64, WorkerStage)>,
}

impl Presence {
    /// The times that a plan gives.
    pub(crate) fn new(closed: &ClosedLoad) -> Self {
        let mut start_ns: u64 = 0;
        let with_start = |stage: &WorkerStage| {
            let from_ns = start_ns;
            start_ns = start_ns.saturating_add(stage.duration_ns);
            (from_ns, *stage)
        };
        Self {
            stages: closed.stages.iter().map(with_start).collect(),
        }
    }

    /// The first span of a worker that ends after `now_ns`. `None` if its work is over.
    pub(crate) fn next(&self, worker: u32, now_ns: u64) -> Option<Span> {
        if self.stages.is_empty() {
            return Some(Span {
                from_ns: 0,
                to_ns: u64::MAX,
            });
        }
        let mut found: Option<Span> = None;
        for (start_ns, stage) in &self.stages {
            let here = span_in(worker, *start_ns, stage);
            found = match (found, here) {
                (None, Some(here)) if here.to_ns > now_ns => Some(here),
                // It goes on without a break.
                (Some(span), Some(here)) if here.from_ns == span.to_ns => Some(Span {
                    to_ns: here.to_ns,
                    ..span
                }),
                (Some(span), _) => return Some(span),
                (None, _) => None,
            };
        }
        found
    }

    /// True at a time at which nobody works.
    pub(crate) fn is_pause(&self, now_ns: u64) -> bool {
        self.next(0, now_ns)
            .is_none_or(|span| span.from_ns > now_ns)
    }
}

/// When a worker works within a stage.
fn span_in(worker: u32, start_ns: u64, stage: &WorkerStage) -> Option<Span> {
    let end_ns = start_ns.saturating_add(stage.duration_ns);
    let (from, to) = (stage.from, stage.to);
    let (from_ns, to_ns) = match (from > worker, to > worker) {
        (true, true) => (start_ns, end_ns),
        (false, false) => return None,
        (false, true) => (crossing_ns(worker, start_ns, stage), end_ns),
        (true, false) => (start_ns, crossing_ns(worker, start_ns, stage)),
    };
    (from_ns < to_ns).then_some(Span { from_ns, to_ns })
}

/// When the line of a stage passes half a worker above `worker`.
fn crossing_ns(worker: u32, start_ns: u64, stage: &WorkerStage) -> u64 {
    let halves = |workers: u32| 2 * u128::from(workers);
    let height = (halves(worker) + 1).abs_diff(halves(stage.from));
    let whole = halves(stage.to).abs_diff(halves(stage.from));
    let offset_ns = u128::from(stage.duration_ns) * height / whole;
    let offset_ns = u64::try_from(offset_ns).expect("it lies within the stage");
    start_ns.saturating_add(offset_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn presence(stages: &[(u64, u32, u32)]) -> Presence {
        let stage = |(seconds, from, to): &(u64, u32, u32)| WorkerStage {
            duration_ns: seconds * S,
            from: *from,
            to: *to,
        };
        Presence::new(&ClosedLoad {
            stages: stages.iter().map(stage).collect(),
            ..ClosedLoad::steady(8)
        })
    }

    /// The spans of a worker in tenths of seconds.
    fn spans(presence: &Presence, worker: u32) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        let mut now_ns = 0;
        while let Some(span) = presence.next(worker, now_ns) {
            found.push((span.from_ns * 10 / S, span.to_ns * 10 / S));
            now_ns = span.to_ns;
        }
        found
    }

    #[test]
    fn without_stages_all_work_throughout() {
        let span = presence(&[]).next(7, 5 * S).expect("it works");
        assert_eq!((span.from_ns, span.to_ns), (0, u64::MAX));
    }

    #[test]
    fn on_a_ramp_workers_come_one_after_the_other_and_the_last_come_go_first() {
        let up_and_down = presence(&[(4, 0, 4), (2, 4, 4), (4, 4, 0)]);
        let all: Vec<_> = (0..5).map(|worker| spans(&up_and_down, worker)).collect();
        assert_eq!(
            all,
            [
                vec![(5, 95)],
                vec![(15, 85)],
                vec![(25, 75)],
                vec![(35, 65)],
                vec![]
            ]
        );
    }

    #[test]
    fn in_a_pause_nobody_works_and_each_comes_again_where_it_has_work() {
        let paused = presence(&[(1, 2, 2), (3, 0, 0), (2, 1, 1), (1, 1, 2)]);
        assert_eq!(spans(&paused, 0), [(0, 10), (40, 70)]);
        assert_eq!(spans(&paused, 1), [(0, 10), (65, 70)]);
        for (at_s, expected) in [(0, false), (1, true), (3, true), (4, false), (7, true)] {
            assert_eq!(paused.is_pause(at_s * S), expected, "{at_s} s");
        }
    }

    #[test]
    fn a_jump_from_one_stage_to_the_next_is_no_ramp() {
        let steps = presence(&[(1, 1, 1), (1, 3, 3), (1, 2, 2)]);
        assert_eq!(spans(&steps, 0), [(0, 30)]);
        assert_eq!(spans(&steps, 1), [(10, 30)]);
        assert_eq!(spans(&steps, 2), [(10, 20)]);
    }

    #[test]
    fn the_workers_at_any_time_are_the_rounded_line_and_their_time_is_its_area() {
        for (from, to) in [(0, 64), (64, 0), (3, 50), (100_000, 99_990), (7, 7), (0, 1)] {
            let ramp = presence(&[(30, from, to)]);
            let workers = from.max(to);
            let spans: Vec<Span> = (0..workers)
                .filter_map(|worker| ramp.next(worker, 0))
                .collect();
            for tenth in 0..300 {
                let now_ns = tenth * S / 10 + 1;
                let works = |span: &&Span| span.from_ns <= now_ns && now_ns < span.to_ns;
                let working = spans.iter().filter(works).count() as f64;
                let part = now_ns as f64 / (30 * S) as f64;
                let line = f64::from(from) + (f64::from(to) - f64::from(from)) * part;
                assert!((working - line).abs() < 0.501, "{working} on {line}");
            }
            let time_ns: u64 = spans.iter().map(|span| span.to_ns - span.from_ns).sum();
            let area_ns = u64::from(from + to) * 15 * S;
            assert!(
                time_ns.abs_diff(area_ns) <= u64::from(workers),
                "{from} to {to}"
            );
        }
    }
}
