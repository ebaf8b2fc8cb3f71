//! Client CPU per operation: docstone against a bare loop over the same driver in the same kind of
//! runtime, in alternating rounds on the same mongod.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bson::{RawDocumentBuf, doc, rawdoc};
use docstone_benchmarks::{argument, median, plan, server};
use docstone_engine::workload::Workload;
use docstone_engine::{EngineEvent, Interrupt, Target, TrialRequest, run_trial};
use docstone_model::Plan;
use docstone_mongo::MongoTarget;
use docstone_telemetry::ProcessClock;
use mongodb::Client;
use mongodb::options::ClientOptions;
use tokio::runtime::{Builder, LocalOptions};

const LIMIT: f64 = 1.10;
const THREADS: u32 = 2;
const KEYS: i64 = 100_000;

/// Pairs that are counted. One before them warms caches.
const ROUNDS: u32 = 8;

/// What is compared: its name, its operation in a workload file, and the number of workers.
const CASES: [(&str, &str); 2] = [
    (
        "find",
        "find_one: {collection: perf, filter: {_id: {$key: {}}}}",
    ),
    (
        "insert",
        "insert_one: {collection: inserts, document: {_id: {$sequence: {start: 1}}, \
      worker: {$worker: {}}, rnd: {$int: {type: long}}, text: {$string: {length: 36}}, v: 1}}",
    ),
];

fn main() {
    let seconds = argument(5);
    let server = server();
    let uri = server.uri();
    let mut worst: f64 = 0.0;
    for (case, (name, operation)) in CASES.iter().enumerate() {
        for workers in [8_u32, 64] {
            let text = workload(operation, workers, seconds, case * 10 + workers as usize);
            let plan = plan(&text, uri.expose());
            let target = MongoTarget::connect(&plan).expect("the server answers");
            target
                .set_up(&mut |_| {}, &|| false)
                .expect("data is loaded");
            let mut ratios = Vec::new();
            for round in 0..=ROUNDS {
                let run_bare = || bare(uri.expose(), name, workers, seconds);
                let run_ours = || docstone(&plan, &target);
                // Each goes first in every other round: the machine may change within a pair.
                let (bare, ours) = if round % 2 == 0 {
                    let bare = run_bare();
                    (bare, run_ours())
                } else {
                    let ours = run_ours();
                    (run_bare(), ours)
                };
                if round > 0 {
                    ratios.push(ours / bare);
                }
                println!(
                    "{name}, {workers} workers, round {round}: bare {bare:.1} us, docstone \
                     {ours:.1} us, ratio {:.3}",
                    ours / bare
                );
            }
            let ratio = median(&ratios);
            println!("{name}, {workers} workers: median ratio {ratio:.3}, limit {LIMIT}");
            worst = worst.max(ratio);
        }
    }
    println!("ratio: {worst:.2}");
}

fn workload(operation: &str, workers: u32, seconds: u64, n: usize) -> String {
    let operation = operation.replace("inserts", &format!("inserts_{n}"));
    format!(
        "name: overhead
target: {{database: overhead}}
data:
  inserts_{n}: {{count: 0}}
  perf:
    count: {KEYS}
    document: {{fields: {{_id: {{$sequence: {{}}}}, rnd: {{$int: {{type: long}}}}, v: 1}}}}
operations: {{op: {{{operation}}}}}
load: [{{closed: {{concurrency: {workers}}}, duration: {seconds}s}}]
"
    )
}

/// Microseconds of client CPU per operation of docstone's engine on its target.
fn docstone(plan: &Plan, target: &MongoTarget) -> f64 {
    let facts = target.prepare(&plan.steps[0]).expect("the server answers");
    let workload = Arc::new(Workload::compile(plan, &facts).expect("the plan compiles"));
    let request = TrialRequest {
        marks: None,
        plan,
        step: 0,
        workload,
        threads: THREADS,
        pacing: docstone_engine::Pacing::Timer,
    };
    let (mut start_s, mut end_s) = (0.0, 0.0);
    let mut on_event = |event| match event {
        EngineEvent::Started { .. } => start_s = cpu_s(),
        EngineEvent::WindowEnded => end_s = cpu_s(),
        _ => {}
    };
    let result = run_trial(&request, target, &Interrupt::new(), &mut on_event).expect("it runs");
    let counters = &result.slots[0].counters;
    assert_eq!(
        (counters.errors, counters.not_found),
        (0, 0),
        "every operation succeeds"
    );
    (end_s - start_s) * 1e6 / counters.completed_in_window as f64
}

fn cpu_s() -> f64 {
    ProcessClock::now().cpu_s
}

static NEXT_ID: AtomicI64 = AtomicI64::new(1);

/// The same by a bare loop: one client and one current-thread runtime for each of the threads.
fn bare(uri: &str, name: &'static str, workers: u32, seconds: u64) -> f64 {
    let done = AtomicU64::new(0);
    // Everybody meets here twice: when the connections are open, and when the last operation ended.
    let gate = std::sync::Barrier::new(THREADS as usize + 1);
    let (mut start_s, mut end_s) = (0.0, 0.0);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (done, gate) = (&done, &gate);
            let _ = scope.spawn(move || {
                let runtime = Builder::new_current_thread()
                    .enable_all()
                    .event_interval(1)
                    .build_local(LocalOptions::default())
                    .expect("a runtime");
                runtime.block_on(bare_thread(
                    uri,
                    name,
                    (thread, workers / THREADS),
                    seconds,
                    gate,
                    done,
                ));
            });
        }
        let _ = gate.wait();
        start_s = cpu_s();
        let _ = gate.wait();
        end_s = cpu_s();
    });
    (end_s - start_s) * 1e6 / done.load(Ordering::Relaxed) as f64
}

async fn bare_thread(
    uri: &str,
    name: &'static str,
    (thread, workers): (u32, u32),
    seconds: u64,
    gate: &std::sync::Barrier,
    done: &AtomicU64,
) {
    let mut options = ClientOptions::parse(uri).await.expect("a valid URI");
    options.max_pool_size = Some(workers);
    options.min_pool_size = Some(workers);
    options.max_connecting = Some(workers);
    let client = Client::with_options(options).expect("valid options");
    let database = client.database("overhead");
    let _ = database
        .run_command(doc! {"ping": 1})
        .await
        .expect("the server answers");
    client.warm_connection_pool().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let _ = gate.wait();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut tasks = Vec::new();
    for worker in 0..workers {
        let database = database.clone();
        tasks.push(tokio::task::spawn_local(async move {
            let reads = database.collection::<RawDocumentBuf>("perf");
            let writes = database.collection::<RawDocumentBuf>("bare_inserts");
            let mut random =
                u64::from(thread * 1_000 + worker + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut count = 0;
            while Instant::now() < end {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                if name == "find" {
                    let key = (random >> 1).cast_signed() % KEYS;
                    let found = reads
                        .find_one(doc! {"_id": key})
                        .await
                        .expect("it succeeds");
                    assert!(found.is_some(), "every key is there");
                } else {
                    let document = rawdoc! {
                        "_id": NEXT_ID.fetch_add(1, Ordering::Relaxed), "worker": 1_i32,
                        "rnd": random.cast_signed(),
                        "text": "abcdefghijklmnopqrstuvwxyz0123456789", "v": 1_i32,
                    };
                    let _ = writes.insert_one(document).await.expect("it succeeds");
                }
                count += 1;
            }
            count
        }));
    }
    for task in tasks {
        let _ = done.fetch_add(task.await.expect("no panic"), Ordering::Relaxed);
    }
    let _ = gate.wait();
    client.shutdown().immediate(true).await;
}
