//! How late open load is noticed, at 1,000/s and at 20,000/s against a target that answers in
//! process, beside the same by the runtime's own sleep.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::time::Duration;

use docstone_benchmarks::{argument, plan};
use docstone_engine::stub::Stub;
use docstone_engine::workload::{Facts, Workload};
use docstone_engine::{Interrupt, Pacing, TrialRequest, TrialResult, run_trial};
use tokio::runtime::Builder;
use tokio::time::Instant;

/// Rate, most microseconds at the median, and how many times better than sleep at least.
const CASES: [(f64, f64, f64); 2] = [(1_000.0, 50.0, 10.0), (20_000.0, 100.0, 1.0)];

fn main() {
    let seconds = argument(5);
    let mut worst: f64 = 0.0;
    for (rate_per_s, limit_us, times) in CASES {
        let result = run(rate_per_s, seconds, Duration::ZERO, 64, Pacing::Timer);
        let lag = &result.waits.schedule_lag;
        let us = |q| lag.quantile_ns(q).map_or(0.0, |ns| ns as f64 / 1e3);
        let (p50_us, p99_us) = (us(0.5).max(0.001), us(0.99));
        let spin = run(rate_per_s, seconds, Duration::ZERO, 64, Pacing::Spin);
        let spin_us = spin.waits.schedule_lag.quantile_ns(0.5).unwrap_or(0) as f64 / 1e3;
        let (sleep_us, sleep_p99_us) = sleep_lag_us(rate_per_s, seconds);
        println!(
            "{rate_per_s:.0}/s: lag p50 {p50_us:.1} us (limit {limit_us} us), p99 {p99_us:.1} us, \
             {} arrivals; spinning p50 {spin_us:.1} us; by sleep p50 {sleep_us:.1} us, p99 \
             {sleep_p99_us:.1} us: {:.1} times better (at least {times})",
            lag.count(),
            sleep_us / p50_us
        );
        worst = worst.max(p50_us / limit_us).max(times * p50_us / sleep_us);
    }
    // Ten thousand at once: each takes two seconds, 5,000 a second are due.
    let result = run(5_000.0, 6, Duration::from_secs(2), 12_000, Pacing::Timer);
    let counters = &result.slots[0].counters;
    let peak = docstone_telemetry::ProcessClock::now().max_rss_bytes;
    let memory = peak.expect("Linux tells VmHWM") as f64 / f64::from(1 << 20);
    println!(
        "5,000/s of two seconds each: {} due, {} ok, peak memory {memory:.0} MiB (limit 200 MiB)",
        counters.intended, counters.ok
    );
    assert_eq!(counters.intended, counters.ok, "nothing is lost");
    println!("ratio: {:.2}", worst.max(memory / 200.0));
}

fn run(
    rate_per_s: f64,
    seconds: u64,
    service: Duration,
    max_in_flight: u32,
    pacing: Pacing,
) -> TrialResult {
    let text = text(rate_per_s, seconds, max_in_flight);
    let plan = plan(&text, "mongodb://127.0.0.1");
    let workload = Workload::compile(&plan, &Facts::default()).expect("the plan compiles");
    let request = TrialRequest {
        marks: None,
        plan: &plan,
        step: 0,
        workload: Arc::new(workload),
        threads: 1,
        pacing,
    };
    run_trial(
        &request,
        &Stub::new(service),
        &Interrupt::new(),
        &mut |_| {},
    )
    .expect("the stub opens")
}

fn text(rate_per_s: f64, seconds: u64, max_in_flight: u32) -> String {
    format!(
        "name: pacing
data: {{c: {{existing: true}}}}
operations: {{find: {{find_one: {{collection: c, filter: {{_id: 1}}}}}}}}
load: [{{open: {{rate: {rate_per_s}/s, max_in_flight: {max_in_flight}}}, duration: {seconds}s}}]
"
    )
}

/// Median and 99th percentile of how late the runtime's sleep wakes, in microseconds.
fn sleep_lag_us(rate_per_s: f64, seconds: u64) -> (f64, f64) {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .event_interval(1)
        .build()
        .expect("a runtime");
    let count = rate_per_s * seconds as f64;
    let mut late_us: Vec<f64> = runtime.block_on(async {
        let zero = Instant::now();
        let mut late_us = Vec::new();
        let mut number = 0.0;
        while number < count {
            let due = zero + Duration::from_secs_f64(number / rate_per_s);
            tokio::time::sleep_until(due).await;
            late_us.push((Instant::now() - due).as_secs_f64() * 1e6);
            number += 1.0;
        }
        late_us
    });
    late_us.sort_by(f64::total_cmp);
    (
        late_us[late_us.len() / 2],
        late_us[late_us.len() * 99 / 100],
    )
}
