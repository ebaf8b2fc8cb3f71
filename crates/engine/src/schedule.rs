//! Schedules: from the number of an arrival to its intended start, as pure functions.
//!
//! An intended start depends on plan, seed and number, and on nothing that happens while the load
//! runs. Nothing is added up that rounding could make drift. Each kind of arrivals is a file of
//! `schedule/`; a new one is a file there, its variant in the plan, and its line in [`Schedule`].

mod curve;
mod jittered;
mod poisson;
mod recorded;
mod uniform;

use docstone_model::plan::{Arrivals, SchedulePlan};
use docstone_workload::draw::StreamKey;

pub(crate) use curve::whole;

use curve::Curve;
use jittered::Jittered;
use poisson::Poisson;
use recorded::Recorded;
use uniform::Uniform;

/// An operation (or iteration) that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its number among all arrivals of the load, from 0.
    pub number: u64,
    /// When it is due, in nanoseconds since the start of the load.
    pub intended_ns: u64,
}

/// The arrivals of a load in the order of their numbers, which is that of their intended starts.
///
/// Cheap to clone, and of constant size: a backlog is two places in the same schedule.
#[derive(Clone, Debug)]
pub struct Schedule {
    kind: Kind,
    number: u64,
    duration_ns: u64,
    share: Share,
}

/// One of several threads (or machines) that share the arrivals of a load: number `first`, and
/// every `step`th after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// From 0, below `step`.
    pub first: u64,
    /// How many share; at least 1.
    pub step: u64,
}

#[derive(Clone, Debug)]
enum Kind {
    Uniform(Uniform),
    Poisson(Poisson),
    Jittered(Jittered),
    Recorded(Recorded),
}

impl Schedule {
    /// The schedule of a plan. `key` is what it is drawn from: the same key, the same schedule.
    pub fn new(plan: &SchedulePlan, key: StreamKey, share: Share) -> Self {
        let duration_ns = plan.duration_ns();
        let kind = match plan {
            SchedulePlan::Times { times_ns, .. } => Kind::Recorded(Recorded::new(times_ns)),
            SchedulePlan::Rates { stages, arrivals } => {
                let curve = Curve::new(stages, key.text("rate"));
                match *arrivals {
                    Arrivals::Uniform => Kind::Uniform(Uniform::new(curve)),
                    Arrivals::Poisson => {
                        Kind::Poisson(Poisson::new(curve, key.text("poisson").draw()))
                    }
                    Arrivals::Jittered { interval_ns } => Kind::Jittered(Jittered::new(
                        curve,
                        key.text("jittered"),
                        interval_ns,
                        duration_ns,
                    )),
                }
            }
        };
        Self {
            kind,
            number: 0,
            duration_ns,
            share,
        }
    }
}

impl Iterator for Schedule {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        loop {
            let intended_ns = match &mut self.kind {
                Kind::Uniform(kind) => kind.next_ns(),
                Kind::Poisson(kind) => kind.next_ns(),
                Kind::Jittered(kind) => kind.next_ns(),
                Kind::Recorded(kind) => kind.next_ns(),
            }?;
            if intended_ns >= self.duration_ns {
                return None;
            }
            let number = self.number;
            self.number += 1;
            // Each share walks along all arrivals: which they are must not depend on how many
            // share them, and a step of the walk takes nanoseconds.
            if number % self.share.step == self.share.first {
                return Some(Arrival {
                    number,
                    intended_ns,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests;
