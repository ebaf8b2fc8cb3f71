//! `docstone selftest [FILE]`: what this machine can do as a load generator.

mod measure;

use std::time::Duration;

use docstone_config::{Overrides, duration_ns, plan_from_file, plan_from_text};
use docstone_engine::Interrupt;
use docstone_model::Plan;
use docstone_model::plan::Pacing;
use docstone_model::record::{SELFTEST_FORMAT, SelftestRecord};
use docstone_mongo::check_open_files;
use docstone_study::selftest::Interrupted;
use docstone_telemetry::Machine;

use super::run::{environment, overrides, plan_failure};
use crate::args::SelftestArgs;
use crate::exit::{Exit, Failure};
use crate::launch::pacing::leaves_a_core;
use crate::{signals, terminal};
use measure::{Measure, measured};

const STANDARD: &str = include_str!("../../../../workloads/first.yaml");

/// The shortest and the longest self-test.
const DURATIONS: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_hours(1);

/// Measures and prints.
pub(crate) fn run(args: &SelftestArgs) -> Result<Exit, Failure> {
    let workload = workload(args)?;
    let steps = workload.as_ref().map_or(0, |plan| measured(plan).len());
    let duration = duration(args, workload.as_ref().map(|_| steps))?;
    let standard = standard(args)?;
    // What the measured plan would need is part of the result.
    let _ = check_open_files(&standard)?;
    let interrupt = Interrupt::new();
    let _signals = signals::install(&interrupt)?;
    let machine = Machine::read();
    let of_plan = workload.as_ref().unwrap_or(&standard);
    let threads = threads(of_plan, machine.cores)?;
    let prepared = docstone_mongo::prepare(of_plan)?;
    let measure = Measure {
        threads,
        stub_threads: (machine.cores / 4).max(1) as usize,
        interrupt: &interrupt,
        payloads: &prepared.payloads,
        quiet: args.quiet,
    };
    let measured = match &workload {
        None => measure.machine(&standard, duration),
        Some(plan) => measure.workload(&standard, plan, duration),
    };
    let measured = match measured {
        Ok(measured) => measured,
        Err(Interrupted::ByUser) => {
            terminal::say("interrupted: a self-test that is not complete says nothing");
            return Ok(Exit::Interrupted);
        }
        Err(Interrupted::Target(error)) => return Err(error.into()),
    };
    let record = SelftestRecord {
        format: SELFTEST_FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        host: machine.host,
        arch: machine.arch,
        cpu_model: machine.cpu_model,
        cores: machine.cores,
        kernel: machine.kernel,
        threads,
        pacing: of_plan.pacing,
        timer: measured.timer,
        engine: measured.engine,
        driver: measured.driver,
        open: measured.open,
        workload: measured.workload,
        notes: measured.notes,
    };
    let text = if args.json {
        let json = serde_json::to_value(&record).expect("a record is plain data");
        format!("{json:#}\n")
    } else {
        docstone_report::selftest(&record, terminal::color(&std::io::stdout()))
    };
    terminal::print(&text)?;
    Ok(Exit::Done)
}

/// The plan of the file, as `docstone plan` resolves it.
fn workload(args: &SelftestArgs) -> Result<Option<Plan>, Failure> {
    let Some(file) = &args.file else {
        return match args.plan_option() {
            Some(option) => Err(Failure::usage(format!(
                "error: {option} changes the plan of a workload file, and none is given\n\
                 help: name the file: docstone selftest FILE {option} ..."
            ))),
            None => Ok(None),
        };
    };
    let overrides = overrides(&args.target)?;
    plan_from_file(file, &overrides, &environment)
        .map(Some)
        .map_err(|faults| plan_failure(&faults))
}

/// Small documents, found, inserted and updated: what is sent where no file says otherwise.
fn standard(args: &SelftestArgs) -> Result<Plan, Failure> {
    let overrides = Overrides {
        private: true,
        threads: args.target.threads,
        pacing: args.target.pacing.into(),
        ..Overrides::default()
    };
    plan_from_text("workloads/first.yaml", STANDARD, &overrides, &|_| None)
        .map_err(|faults| plan_failure(&faults))
}

/// Engine threads. Here open load is tried in any case, so that they may spin.
fn threads(plan: &Plan, cores: u32) -> Result<u32, Failure> {
    let spins = plan.pacing == Pacing::Spin;
    let free = u32::from(spins);
    let threads = plan.threads.unwrap_or(cores.saturating_sub(free)).max(1);
    if spins {
        leaves_a_core(threads, cores)?;
    }
    Ok(threads)
}

/// How long it takes in all; `steps` is the number of load steps of a file.
fn duration(args: &SelftestArgs, steps: Option<usize>) -> Result<Duration, Failure> {
    let Some(text) = &args.duration else {
        let steps = steps.map(|steps| u32::try_from(steps).unwrap_or(u32::MAX));
        return Ok(steps.map_or(Duration::from_secs(10), |steps| {
            Duration::from_secs(5) * steps.saturating_add(1)
        }));
    };
    let wrong = |message: String| Failure::usage(format!("error: --duration: {message}"));
    let duration = Duration::from_nanos(duration_ns(text).map_err(wrong)?);
    if DURATIONS.contains(&duration) {
        Ok(duration)
    } else {
        Err(wrong(format!("it must be 1s to 1h, not `{text}`")))
    }
}
