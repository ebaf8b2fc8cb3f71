//! The cost of recording one operation: two readings of the clock, histogram, counters.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Instant;

use docstone_benchmarks::{argument, median};
use docstone_engine::RecorderProbe;

const LIMIT_NS: f64 = 100.0;

fn main() {
    let operations = argument(5_000_000);
    let mut probe = RecorderProbe::default();
    let mut rounds = Vec::new();
    let mut ended = 0;
    for round in 0..7 {
        let start = Instant::now();
        for number in 0..operations {
            probe.operate(usize::from(number % 4 == 0));
            if number % 1_000_000 == 0 {
                ended += probe.recycle();
            }
        }
        let each_ns = start.elapsed().as_secs_f64() * 1e9 / operations as f64;
        // The first round fills caches and the histograms' pages.
        if round > 0 {
            rounds.push(each_ns);
        }
        println!("round {round}: {each_ns:.1} ns per operation");
    }
    let each_ns = median(&rounds);
    println!("{operations} operations a round, {ended} handed on");
    println!("recording: {each_ns:.1} ns per operation (median of 6), limit {LIMIT_NS} ns");
    println!("ratio: {:.2}", each_ns / LIMIT_NS);
}
