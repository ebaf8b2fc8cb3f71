//! CPU time of the threads of this process, one by one, and how long they waited for a core: a
//! thread that has no more to give limits the load while other cores are idle.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use procfs::process::{Process, Task};

/// A share of less time than this says little: the kernel counts up to a tick late.
const MIN_ELAPSED: Duration = Duration::from_secs(1);

/// What one thread used in a window.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadUse {
    /// Its name.
    pub name: String,
    /// The share of the time that it ran, 0 to 1.
    pub cpu_share: f64,
    /// The share of the time that it could have run and waited for a core, 0 to 1; `None` where
    /// the kernel does not tell.
    pub wait_share: Option<f64>,
    /// Of the times that it left a core, the share at which it had to, for others, and did not
    /// go to sleep by itself; 0 to 1, `None` where the kernel does not tell.
    pub preempted_share: Option<f64>,
}

impl ThreadUse {
    /// The share of the time that it had work: it ran, or waited for a core.
    pub fn demand(&self) -> f64 {
        (self.cpu_share + self.wait_share.unwrap_or(0.0)).min(1.0)
    }
}

/// Follows the threads of this process. One that has ended counts up to where it was seen last.
#[derive(Clone, Debug)]
pub(crate) struct Threads {
    seen: BTreeMap<i32, Seen>,
}

#[derive(Clone, Debug)]
struct Seen {
    name: String,
    first: Spent,
    last: Spent,
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    at: Instant,
    cpu_s: f64,
    wait_s: Option<f64>,
    /// Times that it left a core: by itself, and for others.
    left: Option<(u64, u64)>,
}

impl Threads {
    pub(crate) fn start() -> Self {
        let mut threads = Self {
            seen: BTreeMap::new(),
        };
        threads.look();
        threads
    }

    /// Looks at the threads that there are now.
    pub(crate) fn look(&mut self) {
        let tasks = Process::myself().and_then(|process| process.tasks());
        for task in tasks.into_iter().flatten().flatten() {
            // A thread may end between the list and the look.
            let Some((name, now)) = spent(&task) else {
                continue;
            };
            let seen = self.seen.entry(task.tid).or_insert_with(|| Seen {
                name: String::new(),
                first: now,
                last: now,
            });
            // A thread takes its name only once it runs.
            seen.name = name;
            seen.last = now;
        }
    }

    /// The use of each thread that was watched for a second or more.
    pub(crate) fn used(&self) -> Vec<ThreadUse> {
        let used = |Seen { name, first, last }: &Seen| {
            let elapsed = last.at.duration_since(first.at);
            let share =
                |from_s: f64, to_s: f64| ((to_s - from_s) / elapsed.as_secs_f64()).clamp(0.0, 1.0);
            (elapsed >= MIN_ELAPSED).then(|| ThreadUse {
                name: name.clone(),
                cpu_share: share(first.cpu_s, last.cpu_s),
                wait_share: first.wait_s.zip(last.wait_s).map(|(a, b)| share(a, b)),
                preempted_share: first.left.zip(last.left).map(preempted_share),
            })
        };
        self.seen.values().filter_map(used).collect()
    }
}

/// 1 for a thread that never left its core.
fn preempted_share(((slept_0, had_to_0), (slept_1, had_to_1)): ((u64, u64), (u64, u64))) -> f64 {
    let had_to = had_to_1.saturating_sub(had_to_0);
    let all = slept_1.saturating_sub(slept_0) + had_to;
    if all == 0 {
        1.0
    } else {
        had_to as f64 / all as f64
    }
}

/// From `schedstat`, whose grain is nanoseconds, or else from `stat`, whose grain is 10 ms and
/// which knows no waits.
fn spent(task: &Task) -> Option<(String, Spent)> {
    let stat = task.stat().ok()?;
    let times = task.schedstat().ok();
    let of_stat = (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64;
    let of_times = times
        .as_ref()
        .map(|times| times.sum_exec_runtime as f64 / 1e9);
    let status = task.status().ok();
    let left = status.and_then(|status| {
        let slept = status.voluntary_ctxt_switches?;
        Some((slept, status.nonvoluntary_ctxt_switches?))
    });
    let spent = Spent {
        at: Instant::now(),
        cpu_s: of_times.unwrap_or(of_stat),
        wait_s: times.map(|times| times.run_delay as f64 / 1e9),
        left,
    };
    Some((stat.comm, spent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_thread_that_works_has_work_all_the_time_and_one_that_sleeps_has_none() {
        static STOP: AtomicBool = AtomicBool::new(false);
        let start = |name: &str, work: fn()| {
            let thread = std::thread::Builder::new().name(name.to_owned());
            thread.spawn(work).expect("a thread")
        };
        let works = start("works", || {
            while !STOP.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        let sleeps = start("sleeps", || {
            while !STOP.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let mut threads = Threads::start();
        assert_eq!(threads.used(), [], "no time has passed");
        std::thread::sleep(Duration::from_millis(1_500));
        threads.look();
        STOP.store(true, Ordering::Relaxed);
        works.join().expect("no panic");
        sleeps.join().expect("no panic");
        // Those that have ended count as they were seen last.
        threads.look();
        let used = threads.used();
        let of = |name: &str| used.iter().find(|thread| thread.name == name);
        let (works, sleeps) = (of("works").expect("seen"), of("sleeps").expect("seen"));
        assert!(works.demand() > sleeps.demand(), "{used:?}");
        assert!(works.cpu_share > 0.0, "{used:?}");
        if works.wait_share.is_some() {
            assert!(works.demand() > 0.7, "it always had work: {used:?}");
        }
        let (works, sleeps) = (works.preempted_share, sleeps.preempted_share);
        assert!(works > Some(0.5) && sleeps < Some(0.5), "{used:?}");
    }
}
