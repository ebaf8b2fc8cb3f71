//! What a workload file means: raw types to a plan, with every default filled in.
//!
//! Owns the rules that need more than one value: names that must be known, choices that exclude
//! each other, what may be left out. Records every mistake and goes on.

mod action;
mod captures;
mod closed;
mod collection_options;
mod data;
mod index;
mod inserted_keys;
mod interval;
mod limits;
mod load;
mod names;
mod needs;
mod open;
mod open_rate;
mod operation;
mod payload;
mod scenario;
mod schedule;
mod size;
mod sources;
mod stages;
mod step;
mod target;
mod template;
mod time_series;
mod trace;
mod workers;

use std::path::Path;

use docstone_model::Plan;
use docstone_model::plan::{PLAN_FORMAT, SetupMode};

use crate::defaults;
use crate::node::Place;
use crate::overrides::{Env, Overrides};
use crate::raw::Workload;
use crate::spot::Spot;

/// What is known of a workload file besides its text.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    /// Its name, the default of the plan's.
    pub(crate) name: &'a str,
    /// The folder from which the paths in it count.
    pub(crate) folder: &'a Path,
}

/// Resolves a file. `None` if a part could not be; the reasons are recorded.
pub(crate) fn resolve(
    raw: &Workload,
    spot: &Spot<'_>,
    source: Source<'_>,
    overrides: &Overrides,
    env: Env<'_>,
) -> Option<Plan> {
    sources::check(spot, overrides, env);
    let name = names::plan_name(raw.name.as_deref(), &spot.at("name"), source.name);
    let target = target::resolve(raw, spot, overrides, env);
    let data = data::resolve(raw, spot);
    let operations = operation::resolve(raw, spot, &data);
    captures::check(raw, &operations, &data, spot);
    inserted_keys::check(&operations, spot);
    time_series::check(&operations, &data, spot);
    let load = load::resolve(raw, spot, source.folder);
    let setup = setup(overrides, spot);
    let threads = threads(raw, spot, overrides);
    action::check(raw, target.as_ref(), overrides, spot);
    let operations = operations.into_iter().map(|(_, plan)| plan);
    let (groups, steps) = load?;
    Some(Plan {
        format: PLAN_FORMAT.to_owned(),
        name: name?,
        origin: "run".to_owned(),
        seed: overrides.seed.or(raw.seed).unwrap_or(defaults::SEED),
        target: target?,
        existing: data.existing(),
        data: data.into_plans()?,
        setup,
        operations: operations.collect::<Option<_>>()?,
        groups,
        steps,
        threads,
        pacing: overrides.pacing,
    })
}

fn setup(overrides: &Overrides, spot: &Spot<'_>) -> SetupMode {
    match (overrides.drop, overrides.reuse) {
        (true, true) => {
            spot.faults().add(
                Place::Nowhere,
                "`--drop` and `--reuse` exclude each other",
                Some("give one of them".to_owned()),
            );
            SetupMode::Guarded
        }
        (true, false) => SetupMode::Drop,
        (false, true) => SetupMode::Reuse,
        (false, false) => SetupMode::Guarded,
    }
}

fn threads(raw: &Workload, spot: &Spot<'_>, overrides: &Overrides) -> Option<u32> {
    let in_range = |threads: u32| (1..=1024).contains(&threads);
    let message = |what: &str, threads: u32| format!("{what} must be 1 to 1024, not {threads}");
    if let Some(threads) = raw.threads.filter(|threads| !in_range(*threads)) {
        spot.at("threads")
            .fault(message("`threads`", threads), None);
    }
    if let Some(threads) = overrides.threads.filter(|threads| !in_range(*threads)) {
        spot.faults()
            .add(Place::Nowhere, message("--threads", threads), None);
    }
    overrides.threads.or(raw.threads)
}
