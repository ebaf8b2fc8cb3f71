//! The highest rate of open load at which arrivals are noticed in time.
//!
//! A short search: the rate that is asked for first, then by halves between the highest rate that
//! was held and the lowest that was not. A rate counts as held where one of two trials held it:
//! what is sought is what the machine can do, and its stalls are told apart.

use std::time::{Duration, Instant};

use docstone_engine::{Target, summarize};
use docstone_model::record::OpenRecord;
use docstone_model::{Counters, LatencySummary, Plan};

use super::plans::at_rate;
use super::trial::{Bench, Interrupted, Ran, total};

/// 99 of 100 arrivals are to be noticed within this.
const LAG_LIMIT_NS: u64 = 1_000_000;

/// Rates that are tried, besides the one that is asked for.
const HALVINGS: u32 = 4;

/// Trials of the search at most.
pub(super) const TRIALS: u64 = 2 * (HALVINGS as u64 + 1);

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub struct OpenSearch<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The step whose operations are sent.
    pub step: usize,
    /// The rate of closed load, above which there is nothing to find.
    pub limit_per_s: f64,
    /// The rate that is asked for; 0 where none is.
    pub asked_per_s: f64,
    /// Time for all trials. On a machine that is busy, opening connections takes more: after twice
    /// the time no other rate is tried.
    pub duration_ns: u64,
}

/// Searches it.
///
/// # Errors
/// If the stub cannot be used or the user does not wait.
pub fn find_open_rate<T: Target>(
    bench: Bench<'_>,
    search: OpenSearch<'_>,
    target: &T,
) -> Result<OpenRecord, Interrupted> {
    let mut found = OpenRecord {
        rate_ops_per_s: None,
        lag_limit_ns: LAG_LIMIT_NS,
        schedule_lag_ns: LatencySummary::default(),
        tried_ops_per_s: Vec::new(),
    };
    let (mut held, mut not_held) = (0.0, search.limit_per_s);
    let mut next = if search.asked_per_s > 0.0 && search.asked_per_s < not_held {
        search.asked_per_s
    } else {
        not_held / 2.0
    };
    let until = Instant::now() + 2 * Duration::from_nanos(search.duration_ns);
    for _ in 0..=HALVINGS {
        if !found.tried_ops_per_s.is_empty() && Instant::now() >= until {
            break;
        }
        found.tried_ops_per_s.push(next);
        match trial(bench, search, next, target)? {
            Some(lag) => {
                held = next;
                found.rate_ops_per_s = Some(held);
                found.schedule_lag_ns = lag;
            }
            None => not_held = next,
        }
        next = f64::midpoint(held, not_held);
    }
    Ok(found)
}

/// How late arrivals were at a rate that was held; `None` for one that was not.
fn trial<T: Target>(
    bench: Bench<'_>,
    search: OpenSearch<'_>,
    rate_per_s: f64,
    target: &T,
) -> Result<Option<LatencySummary>, Interrupted> {
    let duration_ns = search.duration_ns / TRIALS;
    let plan = at_rate(search.plan, search.step, rate_per_s, duration_ns);
    for _ in 0..2 {
        let ran = bench.run(&plan, target, &Vec::new)?;
        if is_held(&ran) {
            return Ok(Some(summarize(&ran.result.waits.schedule_lag)));
        }
    }
    Ok(None)
}

/// All but one in a hundred arrivals were noticed in time and were sent in the window.
fn is_held(ran: &Ran) -> bool {
    let intended = total(&ran.result, |counters| counters.intended);
    let started = total(&ran.result, |counters| counters.started);
    let errors = total(&ran.result, |counters| counters.errors);
    let ended = total(&ran.result, Counters::ended);
    // One of few arrivals that is late tells nothing of the rate.
    let few = (intended / 100).max(2);
    let late = ran.result.waits.schedule_lag.count_above(LAG_LIMIT_NS);
    errors < ended.max(1) && late <= few && intended - started.min(intended) <= few
}
