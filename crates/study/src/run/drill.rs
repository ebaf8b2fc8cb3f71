//! The actions of a step, carried out beside its load.
//!
//! Each action has a thread that waits for its time on the clock of the trial, acts, and undoes in
//! the end what can be undone. What all of it meant for the load is computed afterwards, in
//! `record/drill.rs`.

mod acknowledged;
mod hook;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use docstone_engine::{ActFailure, Acted, Deployment, Marks};
use docstone_model::StepPlan;
use docstone_model::plan::{ActionKind, ActionPlan};
use docstone_model::record::ActionOutcome;

pub(super) use acknowledged::look_up;

use crate::record::Played;

/// For a step that no time ends: nothing takes longer.
const FAR: Duration = Duration::from_hours(24 * 365);

/// Something that an action did.
pub(super) struct Told {
    pub(super) t_s: f64,
    pub(super) kind: &'static str,
    pub(super) text: String,
}

/// What the threads of the actions share.
pub(super) struct Stage<'a> {
    step: &'a StepPlan,
    deployment: Option<&'a dyn Deployment>,
    marks: Arc<Marks>,
    cue: Mutex<Cue>,
    changed: Condvar,
}

/// What the load has come to.
#[derive(Clone, Copy, Default)]
struct Cue {
    zero: Option<Instant>,
    over: bool,
}

/// The actions of one step while they are carried out.
pub(super) struct Playing<'scope> {
    threads: Vec<std::thread::ScopedJoinHandle<'scope, Played>>,
    told: Receiver<Told>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(step: &'a StepPlan, deployment: Option<&'a dyn Deployment>) -> Self {
        Self {
            step,
            deployment,
            marks: Arc::new(Marks::new(step.actions.len())),
            cue: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// The times of the actions, for the engine.
    pub(super) fn marks(&self) -> Arc<Marks> {
        Arc::clone(&self.marks)
    }

    /// Starts the threads. They do nothing until the load begins.
    pub(super) fn play<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) -> Playing<'scope> {
        let (sender, told) = channel();
        let play = |action: usize| {
            let sender = sender.clone();
            scope.spawn(move || self.action(action, &sender))
        };
        let threads = (0..self.step.actions.len()).map(play).collect();
        Playing { threads, told }
    }

    /// The load begins; `zero` is the zero of its time axis.
    pub(super) fn begin(&self, zero: Instant) {
        self.cue().zero = Some(zero);
        self.changed.notify_all();
    }

    /// The load is over: what waits for its time does not start, and what lasts is undone.
    pub(super) fn end(&self) {
        self.cue().over = true;
        self.changed.notify_all();
    }

    fn cue(&self) -> MutexGuard<'_, Cue> {
        self.cue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.cue().over
    }

    /// The zero of the load's time axis; `None` for a load that does not begin.
    fn zero(&self) -> Option<Instant> {
        let mut cue = self.cue();
        while cue.zero.is_none() && !cue.over {
            cue = self
                .changed
                .wait(cue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        cue.zero
    }

    /// Waits for a time; false if the load is over before.
    fn wait_until(&self, time: Instant) -> bool {
        let mut cue = self.cue();
        loop {
            let left = time.saturating_duration_since(Instant::now());
            if cue.over || left.is_zero() {
                return !cue.over;
            }
            let waited = self.changed.wait_timeout(cue, left);
            (cue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Carries out one action, from its time to its undoing.
    fn action(&self, number: usize, told: &Sender<Told>) -> Played {
        let action = &self.step.actions[number];
        let mut played = Played::default();
        let Some(zero) = self.zero() else {
            return played;
        };
        let now_ns = || ns(zero.elapsed());
        let tell = |at_ns: u64, kind: &'static str, what: &str| {
            let text = format!("action {} {what}", action.name);
            let t_s = at_ns as f64 / 1e9;
            // Nobody listens any more only if the load was torn down.
            drop(told.send(Told { t_s, kind, text }));
        };
        if !self.wait_until(zero + Duration::from_nanos(action.at_ns)) {
            return played;
        }
        self.marks.start(number);
        let at_ns = now_ns();
        played.at_ns = Some(at_ns);
        tell(
            at_ns,
            "action_started",
            &format!("starts: {}", action.kind.text()),
        );
        let window = self.step.planned_window_ns();
        let until = zero + window.map_or(FAR, Duration::from_nanos);
        let acted = self.act(action, until, &mut played);
        let ended_ns = now_ns();
        if played.outcome != ActionOutcome::TimedOut {
            played.ended_ns = Some(ended_ns);
            self.marks.done(number, ended_ns);
        }
        tell(
            ended_ns,
            "action_ended",
            &ending(&played, Duration::from_nanos(ended_ns - at_ns)),
        );
        if let (Some(acted), true) = (acted, action.kind.can_be_undone()) {
            let lasts = action.lasts_ns.map_or(FAR, Duration::from_nanos);
            let _ = self.wait_until(Instant::now() + lasts);
            match self.undo(&action.kind, &acted) {
                Ok(()) => {
                    let undone_ns = now_ns();
                    played.undone_ns = Some(undone_ns);
                    tell(undone_ns, "action_undone", "is undone");
                }
                Err(why) => {
                    let why = format!("could not be undone: {why}");
                    tell(now_ns(), "action_not_undone", &why);
                    played.message = Some(why);
                }
            }
        }
        played
    }

    /// Does it; what was done, where that succeeded.
    fn act(&self, action: &ActionPlan, until: Instant, played: &mut Played) -> Option<Acted> {
        let acted = match &action.kind {
            ActionKind::Run(text) => {
                let ended = hook::run(text, until, &|| self.is_over());
                played.exit_code = ended.exit_code;
                ended.acted()
            }
            kind => match self.deployment {
                Some(deployment) => deployment.act(kind, until),
                None => Err(ActFailure::Failed("the target takes no actions".to_owned())),
            },
        };
        match acted {
            Ok(acted) => {
                played.outcome = ActionOutcome::Ok;
                played.message.clone_from(&acted.message);
                Some(acted)
            }
            Err(ActFailure::Failed(why)) => {
                played.outcome = ActionOutcome::Failed;
                played.message = Some(why);
                None
            }
            Err(ActFailure::TimedOut) => {
                played.outcome = ActionOutcome::TimedOut;
                played.message = Some("it had not been done when the load ended".to_owned());
                // A lock may have been set all the same.
                action.kind.can_be_undone().then(Acted::default)
            }
        }
    }

    fn undo(&self, kind: &ActionKind, acted: &Acted) -> Result<(), String> {
        let deployment = self.deployment.ok_or("the target takes no actions")?;
        deployment.undo(kind, acted)
    }
}

impl Playing<'_> {
    /// What the actions did since this was last asked.
    pub(super) fn told(&self) -> Vec<Told> {
        self.told.try_iter().collect()
    }

    /// Waits until all has been done and undone.
    pub(super) fn join(self) -> (Vec<Played>, Vec<Told>) {
        let threads = self.threads.into_iter();
        let played = threads
            .map(|thread| thread.join().expect("an action does not panic"))
            .collect();
        (played, self.told.try_iter().collect())
    }
}

/// How an action ended, in words.
fn ending(played: &Played, took: Duration) -> String {
    let took = format!("{:.3} s", took.as_secs_f64());
    let message = played.message.as_deref().unwrap_or("no reason is known");
    match (played.outcome, &played.message) {
        (ActionOutcome::Ok, None) => format!("was done within {took}"),
        (ActionOutcome::Ok, Some(message)) => format!("was done within {took}, {message}"),
        (ActionOutcome::Failed, _) => format!("failed after {took}: {message}"),
        (ActionOutcome::TimedOut | ActionOutcome::NotStarted, _) => {
            format!("was given up after {took}: {message}")
        }
    }
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
