//! The measured window in pieces of equal length: what steadiness and precision are judged by.
//!
//! Owns keeping them in bounded memory. A piece is a second at first; when there are too many,
//! neighbours become one piece of twice the length. Latencies of a piece are counted in coarse
//! buckets, which only say how alike the operations of a piece are: no percentile is made of them.

use std::collections::BTreeMap;

use docstone_engine::{IntervalData, SlotData};
use docstone_model::Plan;
use docstone_stats::{Latencies, SecondAgainstQuantile};

/// The most pieces that are kept.
const PIECES_MAX: usize = 512;

/// Buckets per doubling of the latency.
const BUCKETS_PER_OCTAVE: f64 = 16.0;

/// An interval is a whole second if it is no shorter than this.
const WHOLE_NS: u64 = 999_000_000;

/// The pieces of a window, from its start on.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    pieces: Vec<Piece>,
    /// Seconds in a piece that is whole.
    seconds: usize,
}

/// One piece of the window.
#[derive(Clone, Debug, Default)]
struct Piece {
    /// Seconds in it.
    seconds: usize,
    to_ns: u64,
    completed: u64,
    /// By name: operations, steps and iterations.
    operations: BTreeMap<String, OfOperation>,
}

/// What stands under one name in one piece: response times in open load, service times in closed load.
#[derive(Clone, Debug, Default)]
struct OfOperation {
    count: u64,
    sum_ns: f64,
    /// The median of the last second of the piece.
    median_ns: Option<u64>,
    /// Counts by coarse bucket.
    buckets: BTreeMap<u16, u32>,
}

impl Default for Pieces {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            seconds: 1,
        }
    }
}

impl Pieces {
    /// Takes an interval of the window in, if it is a whole second.
    pub(crate) fn second(&mut self, plan: &Plan, data: &IntervalData) {
        if data.to_ns - data.from_ns < WHOLE_NS {
            return;
        }
        self.push(Piece::of(plan, data));
    }

    fn push(&mut self, second: Piece) {
        match self.pieces.last_mut() {
            Some(last) if last.seconds < self.seconds => last.append(second),
            _ => self.pieces.push(second),
        }
        if self.pieces.len() > PIECES_MAX {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let mut rest = std::mem::take(&mut self.pieces).into_iter();
        while let Some(mut piece) = rest.next() {
            if let Some(next) = rest.next() {
                piece.append(next);
            }
            self.pieces.push(piece);
        }
        self.seconds *= 2;
    }

    /// Length of a piece in seconds.
    pub(crate) fn piece_s(&self) -> f64 {
        self.seconds as f64
    }

    /// The whole pieces that had ended at a time.
    fn whole(&self, until_ns: u64) -> impl Iterator<Item = &Piece> {
        let whole = move |piece: &&Piece| piece.seconds == self.seconds && piece.to_ns <= until_ns;
        self.pieces.iter().filter(whole)
    }

    /// Successes per second, by piece: of all operations, of steps whole iterations.
    pub(crate) fn throughput_ops_per_s(&self, until_ns: u64) -> Vec<f64> {
        let rate = |piece: &Piece| piece.completed as f64 / piece.seconds as f64;
        self.whole(until_ns).map(rate).collect()
    }

    /// The median of an operation in each piece; `None` if a piece had none.
    pub(crate) fn medians_ns(&self, operation: &str, until_ns: u64) -> Option<Vec<f64>> {
        let median = |piece: &Piece| Some(piece.operations.get(operation)?.median_ns? as f64);
        self.whole(until_ns).map(median).collect()
    }

    /// Count and sum of the latencies of an operation, by piece.
    pub(crate) fn sums(&self, operation: &str) -> Vec<(f64, f64)> {
        let sum = |piece: &Piece| {
            let of = piece.operations.get(operation);
            of.map_or((0.0, 0.0), |of| (of.count as f64, of.sum_ns))
        };
        self.whole(u64::MAX).map(sum).collect()
    }

    /// How many operations of each piece were above a quantile of the whole window. The edge of
    /// the coarse buckets stands for it that splits all operations most nearly as `q` does.
    pub(crate) fn against(
        &self,
        operation: &str,
        q: f64,
        value_ns: u64,
    ) -> Vec<SecondAgainstQuantile> {
        let own = bucket(value_ns);
        let above = |edge: u16| -> Vec<SecondAgainstQuantile> {
            let of = self
                .pieces
                .iter()
                .filter_map(|piece| piece.operations.get(operation));
            let count = |of: &OfOperation| SecondAgainstQuantile {
                count: of.count,
                above: of
                    .buckets
                    .range(edge..)
                    .map(|(_, count)| u64::from(*count))
                    .sum(),
            };
            of.map(count).collect()
        };
        let distance = |pieces: &[SecondAgainstQuantile]| {
            let count: u64 = pieces.iter().map(|piece| piece.count).sum();
            let above: u64 = pieces.iter().map(|piece| piece.above).sum();
            if above == 0 || above == count {
                return f64::INFINITY;
            }
            (above as f64 / count as f64 - (1.0 - q)).abs()
        };
        let (below_own, above_own) = (above(own), above(own + 1));
        if distance(&below_own) < distance(&above_own) {
            below_own
        } else {
            above_own
        }
    }
}

impl Piece {
    fn of(plan: &Plan, data: &IntervalData) -> Self {
        let mut latencies: BTreeMap<&str, Latencies> = BTreeMap::new();
        for slot in data.slots.iter().chain(&data.iterations) {
            let of = latencies.entry(slot.key.name(plan)).or_default();
            of.add(times(slot));
        }
        let completed = data
            .arriving()
            .map(|slot| slot.counters.completed_in_window);
        Self {
            seconds: 1,
            to_ns: data.to_ns,
            completed: completed.sum(),
            operations: latencies
                .into_iter()
                .map(|(name, of)| (name.to_owned(), OfOperation::of(&of)))
                .collect(),
        }
    }

    fn append(&mut self, next: Self) {
        self.seconds += next.seconds;
        self.to_ns = next.to_ns;
        self.completed += next.completed;
        for (operation, of) in next.operations {
            self.operations.entry(operation).or_default().append(of);
        }
    }
}

impl OfOperation {
    fn of(latencies: &Latencies) -> Self {
        let count = latencies.count();
        let mut buckets = BTreeMap::new();
        for value in latencies.histogram().iter_recorded() {
            let count = u32::try_from(value.count_at_value()).unwrap_or(u32::MAX);
            *buckets
                .entry(bucket(value.value_iterated_to()))
                .or_default() += count;
        }
        Self {
            count,
            sum_ns: latencies.mean_ns().unwrap_or(0.0) * count as f64,
            median_ns: latencies.quantile_ns(0.5),
            buckets,
        }
    }

    fn append(&mut self, next: Self) {
        self.count += next.count;
        self.sum_ns += next.sum_ns;
        self.median_ns = next.median_ns;
        for (bucket, count) in next.buckets {
            let of = self.buckets.entry(bucket).or_default();
            *of = of.saturating_add(count);
        }
    }
}

/// The times that are judged of a slot.
pub(crate) fn times(slot: &SlotData) -> &Latencies {
    if slot.key.open {
        &slot.response
    } else {
        &slot.service
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "64 doublings of 16 buckets are 1,024"
)]
fn bucket(latency_ns: u64) -> u16 {
    ((latency_ns.max(1) as f64).log2() * BUCKETS_PER_OCTAVE) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, interval, iterations, slot};

    fn plan() -> Plan {
        fixture::plan(Vec::new())
    }

    fn pieces(seconds: u64, latency_ns: impl Fn(u64) -> u64) -> Pieces {
        let mut pieces = Pieces::default();
        for n in 0..seconds {
            let of = vec![latency_ns(n); 10];
            pieces.second(&plan(), &interval(n, vec![slot(0, 0, &of, &[])]));
        }
        pieces
    }

    #[test]
    fn a_day_takes_no_more_pieces_than_ten_minutes_and_none_is_lost() {
        let mut day = Pieces::default();
        for _ in 0..86_400 {
            day.push(Piece {
                seconds: 1,
                completed: 10,
                ..Piece::default()
            });
        }
        assert!(day.pieces.len() <= PIECES_MAX, "{}", day.pieces.len());
        let all: u64 = day.pieces.iter().map(|piece| piece.completed).sum();
        assert_eq!(all, 864_000);
        let rates = day.throughput_ops_per_s(u64::MAX);
        assert!(rates.len() > PIECES_MAX / 4);
        assert!(rates.iter().all(|rate| (rate - 10.0).abs() < 1e-9));
    }

    #[test]
    fn only_whole_seconds_before_the_first_end_are_judged() {
        let mut pieces = pieces(20, |n| 1_000 + n);
        let mut short = interval(20, vec![slot(0, 0, &[1_000], &[])]);
        short.to_ns = short.from_ns + 400_000_000;
        pieces.second(&plan(), &short);
        assert_eq!(pieces.throughput_ops_per_s(u64::MAX).len(), 20);
        assert_eq!(pieces.throughput_ops_per_s(7_000_000_000).len(), 7);
        let medians = pieces.medians_ns("find", 3_000_000_000).expect("successes");
        assert_eq!(medians, [1_000.0, 1_001.0, 1_002.0]);
        assert_eq!(pieces.sums("find")[..1], [(10.0, 10_000.0)]);
    }

    #[test]
    fn a_piece_without_a_success_has_no_median() {
        let mut pieces = pieces(5, |_| 1_000);
        pieces.second(&plan(), &interval(5, vec![slot(0, 0, &[], &[1_000])]));
        assert_eq!(pieces.medians_ns("find", u64::MAX), None);
        assert_eq!(pieces.medians_ns("insert", u64::MAX), None);
    }

    #[test]
    fn seconds_that_are_alike_in_themselves_have_a_large_design_effect() {
        let alternating = pieces(100, |n| if n % 2 == 0 { 1_000_000 } else { 9_000_000 });
        let against = alternating.against("find", 0.5, 1_000_000);
        let all: u64 = against.iter().map(|piece| piece.above).sum();
        assert_eq!((against.len(), all), (100, 500));
        let effect = docstone_stats::design_effect(&against);
        assert!(
            (effect - 10.0).abs() < 1e-9,
            "ten operations are as one: {effect}"
        );
    }

    #[test]
    fn iterations_have_a_name_of_their_own_and_are_what_the_throughput_counts() {
        let mut pieces = Pieces::default();
        let mut second = interval(0, vec![slot(0, 0, &[1_000; 30], &[])]);
        second.iterations = vec![iterations(0, &[5_000; 10])];
        pieces.second(&plan(), &second);
        assert_eq!(pieces.sums("find"), [(30.0, 30_000.0)]);
        assert_eq!(pieces.sums("iterations"), [(10.0, 50_000.0)]);
        assert_eq!(pieces.throughput_ops_per_s(u64::MAX), [10.0]);
    }
}
