//! Tests of whole runs against a scripted target.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use docstone_model::StepPlan;
use docstone_model::record::Verdict;
use serde::de::DeserializeOwned;

use super::*;
use crate::fixture::{machine, milliseconds, operations, plan, step};
use crate::run::fake::{Fake, Reply};
use crate::store::StoreError;

mod disks;
mod files;

/// A run below a folder of its own, and what was told of it.
struct Ran {
    base: tempfile::TempDir,
    told: Vec<String>,
    result: Result<RunOutcome, RunError>,
}

impl Ran {
    fn out(&self) -> PathBuf {
        self.base.path().join("out")
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.out().join(relative)
    }

    fn text(&self, relative: &str) -> String {
        let path = self.path(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn json<R: DeserializeOwned>(&self, relative: &str) -> R {
        serde_json::from_str(&self.text(relative)).expect("the file is whole")
    }

    fn files(&self, relative: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(relative)).expect("a folder");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }
}

fn word(event: &RunEvent<'_>) -> String {
    match event {
        RunEvent::RunStarted { notes, .. } => format!("run {}", notes.len()),
        RunEvent::StepStarted { index, .. } => format!("step {index}"),
        RunEvent::Interval(interval) => format!("interval {}", interval.phase),
        RunEvent::Note { text } => (*text).to_owned(),
        RunEvent::StepEnded { index, record, .. } => format!("ended {index} {}", record.is_some()),
        RunEvent::RunEnded { record } => format!("end {:?}", record.status),
    }
}

/// Runs steps; `on_event` listens too.
fn ran_with(
    steps: Vec<StepPlan>,
    fake: &Fake,
    on_event: &mut dyn FnMut(&RunEvent<'_>, &Path) -> io::Result<()>,
) -> Ran {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("out");
    let plan = plan(steps);
    let request = RunRequest {
        plan: &plan,
        notes: vec!["note of the caller".to_owned()],
        machine: machine(),
        data: std::collections::BTreeMap::new(),
        version: "0.1.0",
        build: "debug",
    };
    let mut told: Vec<String> = Vec::new();
    let mut listener = |event: &RunEvent<'_>| {
        let word = word(event);
        // How many intervals there are depends on the machine.
        if told.last() != Some(&word) {
            told.push(word);
        }
        on_event(event, &out)
    };
    let store = Store::create(Some(&out), "orders").expect("created");
    let result = run(&request, store, fake, &fake.interrupt, &mut listener);
    Ran { base, told, result }
}

fn ran(steps: Vec<StepPlan>, fake: &Fake) -> Ran {
    ran_with(steps, fake, &mut |_, _| Ok(()))
}

fn pretty<R: serde::Serialize>(record: &R) -> String {
    serde_json::to_string_pretty(record).expect("plain data") + "\n"
}

fn warm_and_steady(stop: docstone_model::Stop) -> Vec<StepPlan> {
    vec![
        step("warm", true, operations(40)),
        step("steady", false, stop),
    ]
}

#[test]
fn events_come_in_order_and_notes_of_the_target_once() {
    let ran = ran(warm_and_steady(operations(40)), &Fake::new(|_| Reply::Ok));
    assert_eq!(
        ran.told,
        [
            "run 3",
            "step 0",
            "interval warm",
            "ended 0 false",
            "note 2",
            "step 1",
            "interval steady",
            "ended 1 true",
            "end Complete",
        ]
    );
    let record = &ran.result.expect("runs").record;
    assert_eq!(
        record.warnings,
        ["note of the caller", "note 0", "note 1", "note 2"]
    );
}

#[test]
fn an_interrupted_trial_is_recorded_and_later_steps_do_not_start() {
    let fake = Fake::new(|call| match call {
        50 => Reply::Interrupt,
        _ => Reply::Ok,
    });
    let mut steps = vec![step("first", false, milliseconds(60_000))];
    steps.push(step("second", false, operations(10)));
    let ran = ran(steps, &fake);
    let outcome = ran.result.as_ref().expect("an interruption is no error");
    assert!(outcome.is_interrupted() && outcome.has_valid_result());
    assert_eq!(fake.prepared(), ["first"]);
    assert_eq!(ran.files("trials"), ["first"]);
    let trial: TrialRecord = ran.json("trials/first/01/record.json");
    assert_eq!(trial.status, Status::Interrupted);
    assert_eq!(trial.events.last().expect("one").kind, "interrupted");
    assert!(trial.window_s < 30.0, "{}", trial.window_s);
    // The CPU time of the window is divided by what ended in it, and not by what ended later.
    let divided_by = trial.client.cpu_s.expect("known") * 1e6
        / trial.client.cpu_us_per_op.expect("operations have ended");
    let of_window = trial.operations.values().map(|operation| {
        let rate_per_s = operation.throughput_ops_per_s.unwrap_or(0.0);
        rate_per_s * trial.window_s
    });
    let of_window: f64 = of_window.sum();
    assert!(
        (divided_by - of_window).abs() < 0.5,
        "{divided_by} {of_window}"
    );
    let rows = ran.text("trials/first/01/series.csv");
    assert!(
        rows.contains(",drain,"),
        "what ended later has rows of its own: {rows}"
    );
    let record: RunRecord = ran.json("record.json");
    assert_eq!(
        (record.status, record.trials[0].status),
        (Status::Interrupted, Status::Interrupted)
    );
    assert_eq!(ran.told.last().expect("told"), "end Interrupted");
}

#[test]
fn a_warm_up_that_is_interrupted_claims_no_trial() {
    let fake = Fake::new(|call| match call {
        50 => Reply::Interrupt,
        _ => Reply::Ok,
    });
    let steps = vec![
        step("warm", true, milliseconds(60_000)),
        step("steady", false, operations(10)),
    ];
    let ran = ran(steps, &fake);
    let outcome = ran.result.as_ref().expect("an interruption is no error");
    assert!(outcome.is_interrupted() && !outcome.has_valid_result());
    assert_eq!(ran.files("trials/steady/01"), ["log.txt", "series.csv"]);
    assert!(ran.json::<RunRecord>("record.json").trials.is_empty());
}

#[test]
fn an_interrupt_before_the_load_starts_nothing() {
    let fake = Fake::new(|_| Reply::Ok);
    fake.interrupt.trigger();
    let ran = ran(warm_and_steady(operations(10)), &fake);
    assert!(ran.result.as_ref().expect("no error").is_interrupted());
    assert!(fake.prepared().is_empty());
    assert_eq!(ran.files("."), ["plan.json", "record.json"]);
}

#[test]
fn a_step_that_fails_keeps_the_trials_before_it() {
    let fake = Fake {
        unprepared: Some("second"),
        ..Fake::new(|_| Reply::Ok)
    };
    let steps = vec![
        step("first", false, operations(10)),
        step("second", false, operations(10)),
    ];
    let ran = ran(steps, &fake);
    let error = ran.result.as_ref().expect_err("the second step fails");
    assert!(matches!(error, RunError::Target(_)), "{error}");
    let record: RunRecord = ran.json("record.json");
    assert_eq!((record.status, record.trials.len()), (Status::Failed, 1));
    assert_eq!(
        record.warnings.last().expect("why"),
        "the run failed: the index cannot be made"
    );
    assert_eq!(
        ran.json::<TrialRecord>("trials/first/01/record.json")
            .status,
        Status::Complete
    );
    assert_eq!(ran.told.last().expect("told"), "end Failed");
}

#[test]
fn a_first_step_that_cannot_be_prepared_leaves_no_folder() {
    let base = tempfile::tempdir().expect("a folder");
    let out = base.path().join("out");
    let plan = plan(vec![step("steady", false, operations(10))]);
    let request = RunRequest {
        plan: &plan,
        notes: Vec::new(),
        machine: machine(),
        data: std::collections::BTreeMap::new(),
        version: "0.1.0",
        build: "debug",
    };
    let fake = Fake {
        unprepared: Some("steady"),
        ..Fake::new(|_| Reply::Ok)
    };
    let store = Store::create(Some(&out), "orders").expect("created");
    let error = run(&request, store, &fake, &Interrupt::new(), &mut |_| {
        panic!("nothing is told of a run that does not start")
    });
    assert_eq!(
        error.expect_err("unprepared").to_string(),
        "the index cannot be made"
    );
    assert!(!out.exists());
}

#[test]
fn connections_that_are_refused_claim_no_trial() {
    let fake = Fake {
        refuse: true,
        ..Fake::new(|_| Reply::Ok)
    };
    let ran = ran(vec![step("steady", false, operations(10))], &fake);
    let error = ran.result.as_ref().expect_err("refused");
    assert_eq!(error.to_string(), "nobody home");
    assert_eq!(ran.files("trials/steady/01"), ["log.txt", "series.csv"]);
    assert_eq!(ran.json::<RunRecord>("record.json").status, Status::Failed);
    assert_eq!(ran.told, ["run 3", "end Failed"]);
}

#[test]
fn a_run_whose_operations_all_failed_has_no_valid_result() {
    let ran = ran(
        vec![step("steady", false, operations(10))],
        &Fake::new(|_| Reply::Error),
    );
    let outcome = ran.result.as_ref().expect("failed operations are results");
    assert!(!outcome.has_valid_result());
    let entry = &outcome.record.trials[0];
    assert_eq!(
        (entry.validity.verdict, entry.status),
        (Verdict::Failed, Status::Complete)
    );
    assert_eq!(
        (entry.summary.errors, entry.summary.throughput_ops_per_s),
        (20, None)
    );
}

#[test]
fn documents_are_numbered_through_all_steps() {
    let fake = Fake::new(|_| Reply::Ok);
    let steps = vec![
        step("first", true, operations(50)),
        step("second", false, operations(50)),
    ];
    ran(steps, &fake).result.expect("runs");
    let inserted = fake.inserted();
    let expected: Vec<i64> = (0..).take(inserted.len()).collect();
    assert!(inserted.len() > 10);
    assert_eq!(inserted, expected);
}

#[test]
fn intervals_tell_what_was_planned_and_steps_their_totals() {
    let fake = Fake::new(|_| Reply::Ok);
    let (mut planned, mut totals) = (Vec::new(), Vec::new());
    let steps = vec![
        step("counted", false, operations(30)),
        step("timed", false, milliseconds(200)),
    ];
    let ran = ran_with(steps, &fake, &mut |event, _| {
        match event {
            RunEvent::Interval(interval) => {
                planned.push((interval.planned_s, interval.planned_operations));
            }
            RunEvent::StepEnded { totals: of, .. } => {
                let ok: u64 = of.rows.iter().map(|row| row.counters.ok).sum();
                totals.push((of.phase.clone(), of.rows.len(), ok));
            }
            _ => {}
        }
        Ok(())
    });
    planned.dedup();
    assert_eq!(planned, [(None, Some(60)), (Some(0.2), None)]);
    let trials = &ran.result.expect("runs").trials;
    let ok = |trial: &TrialRecord| {
        trial
            .operations
            .values()
            .map(|operation| operation.ok)
            .sum()
    };
    assert_eq!(totals[0], ("counted".to_owned(), 3, 60));
    assert_eq!(totals[1], ("timed".to_owned(), 3, ok(&trials[1])));
}
