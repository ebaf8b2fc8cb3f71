//! The facade: a plan, run step by step, with its records and events.
//!
//! Owns the order of things and what happens when one of them fails: what was written stays, the
//! record of the run says how it ended, and the first error is returned.

mod acting;
mod api;
mod clock;
mod drill;
mod error;
#[cfg(test)]
mod fake;
mod follow;
mod totals;

use std::sync::Arc;

use docstone_engine::workload::{Facts, Workload};
use docstone_engine::{Interrupt, Target, TargetDescription, TrialRequest, TrialResult};
use docstone_model::plan::PlanFile;
use docstone_model::record::{
    AcknowledgedRecord, RUN_FORMAT, RunRecord, Status, TrialEntry, TrialRecord,
};
use docstone_model::{Plan, RunEvent};

use crate::record::{Surroundings, TrialFacts, environment, trial_record, trial_summary};
use crate::store::{Store, StoreError, TrialFolder};

use acting::run_step;
pub use api::{Listener, RunOutcome, RunRequest};
use clock::now;
use drill::look_up;
pub use error::RunError;
use follow::{Followed, StepFollower};
use totals::totals;

/// Runs a plan against a target that answers: prepares and runs each step, and writes each trial's
/// files into the store as it goes. Blocks until all has ended or `interrupt` is set. Should a
/// file or the listener fail, `interrupt` is set here to end the load.
///
/// # Errors
/// If the target fails outside of operations, a file cannot be written, or the listener fails.
/// What was written before stays, and `record.json` says `failed`; a first step that cannot be
/// prepared leaves nothing.
pub fn run<T: Target>(
    request: &RunRequest<'_>,
    store: Store,
    target: &T,
    interrupt: &Interrupt,
    listener: &mut Listener<'_>,
) -> Result<RunOutcome, RunError> {
    let first = request
        .plan
        .steps
        .first()
        .filter(|_| !interrupt.is_triggered());
    let prepared = first.map(|step| target.prepare(step)).transpose()?;
    store.write_plan(&PlanFile::from(request.plan))?;
    let mut run = Run::new(request, target, interrupt, listener, store);
    run.prepared = prepared;
    run.store.write_run(&run.record)?;
    let done = run.begin().and_then(|()| run.steps());
    run.end(done)
}

struct Run<'a, 'l, T> {
    request: &'a RunRequest<'a>,
    target: &'a T,
    interrupt: &'a Interrupt,
    listener: &'a mut Listener<'l>,
    store: Store,
    record: RunRecord,
    trials: Vec<TrialRecord>,
    /// Of the trial that is going on or that the present warm-up leads to.
    folder: Option<TrialFolder>,
    /// Of the step before.
    workload: Option<Arc<Workload>>,
    /// What the target said of itself before the present step.
    description: TargetDescription,
    /// Of the first step, until it begins.
    prepared: Option<Facts>,
}

impl<'a, 'l, T: Target> Run<'a, 'l, T> {
    fn new(
        request: &'a RunRequest<'a>,
        target: &'a T,
        interrupt: &'a Interrupt,
        listener: &'a mut Listener<'l>,
        store: Store,
    ) -> Self {
        let plan = request.plan;
        let description = target.describe();
        let mut notes = request.notes.clone();
        notes.extend(description.notes.clone());
        let record = RunRecord {
            format: RUN_FORMAT.to_owned(),
            name: plan.name.clone(),
            started_at: now().to_string(),
            ended_at: None,
            status: Status::Running,
            seed: plan.seed,
            plan_hash: plan.hash(),
            environment: environment(surroundings(request), &description),
            trials: Vec::new(),
            verdicts: Vec::new(),
            warnings: notes,
        };
        Self {
            request,
            target,
            interrupt,
            listener,
            store,
            record,
            trials: Vec::new(),
            folder: None,
            workload: None,
            prepared: None,
            description,
        }
    }

    fn begin(&mut self) -> Result<(), RunError> {
        let event = RunEvent::RunStarted {
            plan: self.request.plan,
            out: self.store.root(),
            notes: &self.record.warnings,
        };
        (self.listener)(&event).map_err(RunError::Listener)
    }

    /// Runs the steps in order. Ends as interrupted where the user stops it before the last.
    fn steps(&mut self) -> Result<Status, RunError> {
        for index in 0..self.request.plan.steps.len() {
            if self.interrupt.is_triggered() || !self.step(index)? {
                return Ok(Status::Interrupted);
            }
        }
        self.tell_new_notes()?;
        Ok(Status::Complete)
    }

    /// Runs one step; false if the user stopped it.
    fn step(&mut self, index: usize) -> Result<bool, RunError> {
        let plan = self.request.plan;
        let mut facts = match self.prepared.take() {
            Some(facts) => facts,
            None => match self.target.prepare(&plan.steps[index]) {
                Err(_) if self.interrupt.is_triggered() => return Ok(false),
                prepared => prepared?,
            },
        };
        if let Some(before) = &self.workload {
            carry_on(plan, before, &mut facts);
        }
        let workload = Arc::new(Workload::compile(plan, &facts)?);
        self.workload = Some(Arc::clone(&workload));
        if self.interrupt.is_triggered() {
            return Ok(false);
        }
        self.open_folder(index)?;
        if index > 0 {
            // The first step's description was made when the run began.
            self.tell_new_notes()?;
        }
        let request = TrialRequest {
            marks: None,
            plan,
            step: index,
            workload,
            threads: plan.engine_threads(self.request.machine.cores),
            pacing: plan.pacing.into(),
        };
        let follower = StepFollower::new(
            (plan, index),
            self.interrupt,
            self.listener,
            self.folder.as_mut(),
        );
        let (result, seen) = run_step(request, self.target, self.interrupt, follower);
        match result {
            Ok(result) => self.step_ended(index, &result, seen),
            Err(error) => {
                if let Some(folder) = &mut self.folder {
                    // A log on a full disk may fail too; the error itself is returned.
                    let _ = folder.note(&format!("the load could not start: {error}"));
                }
                Err(error.into())
            }
        }
    }

    /// Opens the folder of the next trial at its first warm-up, so that warm-up rows stand first in
    /// its series. Warm-up steps that no trial follows are told to the listener only.
    fn open_folder(&mut self, index: usize) -> Result<(), RunError> {
        let mut ahead = self.request.plan.steps[index..].iter();
        let next = ahead.find(|step| !step.warmup);
        if let (None, Some(trial)) = (&self.folder, next) {
            let mut folder = self.store.open_trial(&trial.name)?;
            let RunRequest { version, build, .. } = self.request;
            folder.note(&format!(
                "docstone {version} ({build}), plan `{}`",
                self.record.name
            ))?;
            for note in &self.record.warnings {
                folder.note(note)?;
            }
            self.folder = Some(folder);
        }
        Ok(())
    }

    /// Tells what the target has changed or found since it was last asked.
    fn tell_new_notes(&mut self) -> Result<(), RunError> {
        let description = self.target.describe();
        self.record.environment = environment(surroundings(self.request), &description);
        self.description = description;
        for note in self.description.notes.clone() {
            if self.record.warnings.contains(&note) {
                continue;
            }
            if let Some(folder) = &mut self.folder {
                folder.note(&note)?;
            }
            (self.listener)(&RunEvent::Note { text: &note }).map_err(RunError::Listener)?;
            self.record.warnings.push(note);
        }
        Ok(())
    }

    /// Writes the records of a step and tells its end; false if the user stopped it. Where
    /// following the step had failed, the records are written and that first error is returned.
    fn step_ended(
        &mut self,
        index: usize,
        result: &TrialResult,
        seen: Followed,
    ) -> Result<bool, RunError> {
        let step = &self.request.plan.steps[index];
        let totals = totals(self.request.plan, &step.name, result);
        let mut error = seen.error;
        let status = match (&error, result.interrupted) {
            (Some(_), _) => Status::Failed,
            (None, true) => Status::Interrupted,
            (None, false) => Status::Complete,
        };
        if let Some(error) = &error {
            self.store.give_room();
            if let Some(folder) = &mut self.folder {
                // A log on a full disk may fail too; the error itself is returned.
                let _ = folder.note(&format!("the run failed: {error}"));
            }
        }
        let mut record = None;
        if let Some(mut folder) = self.folder.take_if(|_| !step.warmup) {
            let mut measured = seen.measured;
            measured.drill.acknowledged = self.acknowledged(result);
            let trial = self.trial_record(index, result, measured, (status, folder.n()));
            self.record.trials.push(TrialEntry {
                cell: trial.cell.clone(),
                n: trial.n,
                path: folder.relative().to_owned(),
                status,
                validity: trial.validity.clone(),
                summary: trial_summary(&trial, result),
            });
            let written = self.write_trial(&mut folder, &trial);
            error = error.or(written.err().map(RunError::Store));
            self.trials.push(trial);
            record = self.trials.last();
        }
        if let Some(error) = error {
            return Err(error);
        }
        let event = RunEvent::StepEnded {
            index,
            step,
            record,
            totals: &totals,
        };
        (self.listener)(&event).map_err(RunError::Listener)?;
        Ok(!result.interrupted)
    }

    /// What became of the inserts that a step with actions saw acknowledged.
    fn acknowledged(&self, result: &TrialResult) -> Vec<AcknowledgedRecord> {
        let Some(workload) = &self.workload else {
            return Vec::new();
        };
        let concern = self.description.environment.write_concern.as_deref();
        let deployment = self.target.deployment();
        look_up(self.request.plan, result, workload, deployment, concern)
    }

    fn write_trial(
        &mut self,
        folder: &mut TrialFolder,
        trial: &TrialRecord,
    ) -> Result<(), StoreError> {
        let record = &self.record;
        self.store.write_in_room(|store| {
            folder.finish(trial)?;
            store.write_run(record)
        })
    }

    fn trial_record(
        &self,
        index: usize,
        result: &TrialResult,
        measured: follow::Measured,
        (status, n): (Status, u32),
    ) -> TrialRecord {
        let facts = TrialFacts {
            plan: self.request.plan,
            step: index,
            n,
            started_at: measured.started_at,
            status,
            surroundings: surroundings(self.request),
            data: &self.request.data,
            target: &self.description,
            client_use: measured.client_use,
            ended_in_window: measured.ended_in_window,
            events: measured.events,
            open_groups: measured.open_groups,
            pieces: measured.pieces,
            drill: measured.drill,
        };
        trial_record(facts, result)
    }

    /// Writes how the run ended, and tells it.
    fn end(mut self, done: Result<Status, RunError>) -> Result<RunOutcome, RunError> {
        self.record.ended_at = Some(now().to_string());
        let mut error = match done {
            Ok(status) => {
                self.record.status = status;
                let record = &self.record;
                let written = self.store.write_in_room(|store| store.write_run(record));
                written.err().map(RunError::Store)
            }
            Err(error) => Some(error),
        };
        if let Some(error) = &error {
            self.record.status = Status::Failed;
            let warning = format!("the run failed: {error}");
            self.record.warnings.push(warning);
            self.store.give_room();
            // Where this fails too, the first failure is the one to tell.
            let _ = self.store.write_run(&self.record);
        }
        if !matches!(error, Some(RunError::Listener(_))) {
            let ended = RunEvent::RunEnded {
                record: &self.record,
            };
            let told = (self.listener)(&ended);
            error = error.or(told.err().map(RunError::Listener));
        }
        match error {
            Some(error) => Err(error),
            None => Ok(RunOutcome {
                record: self.record,
                trials: self.trials,
                out: self.store.root().to_owned(),
            }),
        }
    }
}

/// Inserted documents are numbered through all steps of a run: a step that began again with the
/// first number would insert keys that are there already.
fn carry_on(plan: &Plan, before: &Workload, facts: &mut Facts) {
    for operation in &plan.operations {
        let collection = &operation.collection;
        if let Some(next) = before.next_document(collection) {
            let facts = facts.collections.entry(collection.clone()).or_default();
            facts.next_document = facts.next_document.max(next);
        }
    }
}

fn surroundings<'a>(request: &'a RunRequest<'a>) -> Surroundings<'a> {
    Surroundings {
        machine: &request.machine,
        version: request.version,
        build: request.build,
    }
}

#[cfg(test)]
mod tests;
