//! `docstone demo`: a first look, on a mongod of its own.

use docstone_config::{Overrides, plan_from_text};

use super::run::{environment, plan_failure};
use crate::args::DemoArgs;
use crate::exit::{Exit, Failure};
use crate::launch::{Launch, launch};

const WORKLOAD: &str = include_str!("../../../../workloads/demo.yaml");

/// Runs the demo's workload on a private mongod.
pub(crate) fn run(args: DemoArgs) -> Result<Exit, Failure> {
    let durations = (1..=2).map(|step| format!("load.{step}.duration={}s", args.seconds));
    let overrides = Overrides {
        private: true,
        keep: args.keep,
        set: durations.collect(),
        ..Overrides::default()
    };
    let plan = plan_from_text("workloads/demo.yaml", WORKLOAD, &overrides, &without_target)
        .map_err(|faults| plan_failure(&faults))?;
    launch(Launch::of_run(plan, args.output))
}

/// The environment, less the target that it may name: the demo has its own.
fn without_target(name: &str) -> Option<String> {
    if name == "DOCSTONE_URI" {
        None
    } else {
        environment(name)
    }
}
