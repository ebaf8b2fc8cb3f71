//! The cost of a schedule: from one arrival to the next, for each kind of arrivals.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Instant;

use docstone_benchmarks::argument;
use docstone_engine::schedule::{Schedule, Share};
use docstone_model::plan::{Arrivals, Rate, RateStage, SchedulePlan};
use docstone_workload::draw::StreamKey;

const LIMIT_NS: f64 = 1_000.0;

fn main() {
    let seconds = argument(5);
    let mut worst: f64 = 0.0;
    let jittered = Arrivals::Jittered {
        interval_ns: 1_000_000_000,
    };
    for (name, arrivals) in [
        ("uniform", Arrivals::Uniform),
        ("poisson", Arrivals::Poisson),
        ("jittered", jittered),
    ] {
        for (from_per_s, to_per_s) in [(1e6, 1e6), (0.0, 2e6)] {
            let plan = SchedulePlan::Rates {
                stages: vec![RateStage {
                    duration_ns: seconds * 1_000_000_000,
                    rate: Rate::Linear {
                        from_per_s,
                        to_per_s,
                    },
                }],
                arrivals,
            };
            let share = Share { first: 0, step: 1 };
            let start = Instant::now();
            let schedule = Schedule::new(&plan, StreamKey::new(1), share);
            let arrivals = schedule.fold(0_u64, |count, _| count + 1);
            let each_ns = start.elapsed().as_secs_f64() * 1e9 / arrivals as f64;
            worst = worst.max(each_ns);
            println!(
                "{name}, {from_per_s:.0}/s to {to_per_s:.0}/s: {arrivals} arrivals, {each_ns:.1} \
                 ns each"
            );
        }
    }
    println!("worst {worst:.1} ns per arrival, limit {LIMIT_NS} ns");
    println!("ratio: {:.2}", worst / LIMIT_NS);
}
