//! From a plan to its summary: the way that all commands with a load take.

mod connect;
mod output;
pub(crate) mod pacing;
mod patience;
mod request;
mod server;

use std::path::Path;

use docstone_engine::{Interrupt, TargetErrorKind};
use docstone_model::Plan;
use docstone_model::record::Status;
use docstone_mongo::{MongoTarget, SetupProgress, SetupStage, check_open_files};
use docstone_report::idealo::StatsCsv;
use docstone_report::units;
use docstone_study::{RunError, RunOutcome, RunRequest, Store, StoreError};
use docstone_telemetry::Machine;
use docstone_workload::Preparation;

use crate::exit::{Exit, Failure};
use crate::{signals, terminal};
use output::Output;
pub(crate) use request::{Launch, Style, WORKER_BYTES};
use server::Server;
pub(crate) use server::started;

/// Runs a plan: output folder, private server, connection, data, load, summary. In this order,
/// since what can fail without touching the target shall fail first.
pub(crate) fn launch(mut launch: Launch) -> Result<Exit, Failure> {
    let machine = Machine::read();
    launch
        .notes
        .extend(pacing::check(&launch.plan, machine.cores)?);
    launch.notes.extend(check_open_files(&launch.plan)?);
    let prepared = docstone_mongo::prepare(&launch.plan)?;
    let interrupt = Interrupt::new();
    let signals = signals::install(&interrupt)?;
    let store = Store::create(launch.out.as_deref(), &launch.plan.name)
        .map_err(|error| store_failure(&error))?;
    signals.keep_in_order(store.abandon());
    let stats = match &launch.style {
        Style::Idealo(folder) => Some(check_stats(folder, &launch.plan)?),
        Style::Run => None,
    };
    let Some(server) = Server::start(&mut launch.plan, &mut launch.notes, &interrupt)? else {
        return Ok(interrupted());
    };
    let mut output = Output::new(&launch, stats);
    let run = Run {
        launch: &launch,
        machine: &machine,
        prepared: &prepared,
    };
    let ran = on_target(run, &server, store, &mut output, &interrupt);
    if ran.is_err() || !output.has_begun() {
        server.say_kept();
    }
    drop(server);
    ran
}

fn check_stats(folder: &Path, plan: &Plan) -> Result<StatsCsv, Failure> {
    StatsCsv::new(folder, plan).map_err(|error| Failure::usage(format!("error: {error}")))
}

/// What is run, and with what.
#[derive(Clone, Copy)]
struct Run<'a> {
    launch: &'a Launch,
    machine: &'a Machine,
    prepared: &'a Preparation,
}

fn on_target(
    run: Run<'_>,
    server: &Server,
    store: Store,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<Exit, Failure> {
    let Run {
        launch,
        machine,
        prepared,
    } = run;
    let target = match connect::connect(&launch.plan, interrupt) {
        Ok(Some(target)) => target,
        Ok(None) => return Ok(interrupted()),
        Err(error) => {
            // What was left out of the command line may be why.
            for note in &launch.notes {
                terminal::say(&format!("note: {note}"));
            }
            return Err(error.into());
        }
    };
    let target = target
        .stopped_by(interrupt)
        .with_own_server(server.own())
        .with_payloads(prepared.payloads.clone());
    if let Err(error) = set_up(&target, launch.quiet, interrupt) {
        if error.kind == TargetErrorKind::Setup && interrupt.is_triggered() {
            return Ok(interrupted());
        }
        return Err(error.into());
    }
    let request = RunRequest {
        plan: target.plan(),
        notes: launch.notes.clone(),
        machine: machine.clone(),
        data: prepared.data(),
        version: env!("CARGO_PKG_VERSION"),
        build: build(),
    };
    let ran = docstone_study::run(&request, store, &target, interrupt, &mut |event| {
        output.event(event)
    });
    // An interrupt that comes from here on has not ended the run.
    let stopped = interrupt.is_triggered() && !output.has_begun();
    let finished = target.finish();
    let outcome = match ran {
        Err(RunError::Target(_)) if stopped => return Ok(interrupted()),
        ran => ran.map_err(run_failure)?,
    };
    output.summary(&outcome)?;
    if let Err(error) = finished {
        terminal::say(&format!("note: the end of the run is not marked: {error}"));
    }
    Ok(exit_of(&outcome))
}

fn interrupted() -> Exit {
    terminal::say("interrupted before the load: nothing was measured");
    Exit::Interrupted
}

fn set_up(
    target: &MongoTarget,
    quiet: bool,
    interrupt: &Interrupt,
) -> Result<(), docstone_engine::TargetError> {
    let mut shown_s = f64::NEG_INFINITY;
    let mut progress = |progress: SetupProgress| {
        let done = progress.stage != SetupStage::Load;
        if !quiet && (done || progress.elapsed_s >= shown_s + 1.0) {
            shown_s = if done {
                f64::NEG_INFINITY
            } else {
                progress.elapsed_s
            };
            terminal::say(&set_up_line(&progress));
        }
    };
    target.set_up(&mut progress, &|| interrupt.is_triggered())
}

/// One line about the set-up of a collection: how far, how fast, how long still.
fn set_up_line(progress: &SetupProgress) -> String {
    let SetupProgress {
        collection,
        stage,
        loaded,
        total,
        elapsed_s,
    } = progress;
    let (loaded_text, documents) = (units::count(*loaded), units::plural(*total, "document"));
    match stage {
        SetupStage::Load if *loaded == 0 => format!("loading {collection}: {documents}"),
        SetupStage::Load => {
            let rate = *loaded as f64 / elapsed_s.max(1e-3);
            let left = units::span(total.saturating_sub(*loaded) as f64 / rate);
            format!("loading {collection}: {loaded_text} of {documents}, {rate:.0}/s, {left} left")
        }
        SetupStage::Index => format!("building the indexes of {collection}"),
        SetupStage::Done => format!("{collection} is ready: {documents}"),
    }
}

fn exit_of(outcome: &RunOutcome) -> Exit {
    match outcome.record.status {
        Status::Interrupted => Exit::Interrupted,
        _ if !outcome.has_valid_result() => Exit::NoResult,
        _ => Exit::Done,
    }
}

fn build() -> &'static str {
    if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    }
}

fn store_failure(error: &StoreError) -> Failure {
    let help = error
        .help()
        .map(|help| format!("\nhelp: {help}"))
        .unwrap_or_default();
    let exit = if error.is_refusal() {
        Exit::Usage
    } else {
        Exit::Internal
    };
    Failure {
        exit,
        message: format!("error: {error}{help}"),
    }
}

fn run_failure(error: RunError) -> Failure {
    match error {
        RunError::Store(error) => store_failure(&error),
        RunError::Target(error) => error.into(),
        RunError::Workload(error) => Failure::usage(format!("error: {error}")),
        error => Failure::internal(format!("error: {error}")),
    }
}
